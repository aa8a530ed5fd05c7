//! Measures one conversation.
//!
//! An interval goes from opening a conversation to resolving it; reopening begins a new one, of which everything is
//! measured again. A person waits from the first message that no operator has answered. The state between two facts is
//! small and is stored as JSON, so the facts can come one by one; a rebuild that goes through all of them gives the same
//! measurements.

use serde::{Deserialize, Serialize};

use super::measures::ReportMeasure;
use crate::{AccountId, TeamId, Timestamp};

/// Something that happened in a conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConversationFact {
    Opened,
    Reopened,
    PersonWrote,
    OperatorAnswered(AccountId),
    /// A message of a rule, a flow or an agent.
    AutomationAnswered,
    Resolved,
    /// The present assignment; both None: unassigned.
    Assigned {
        operator: Option<AccountId>,
        team: Option<TeamId>,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Measurement {
    pub measure: ReportMeasure,
    /// When it was measured: the end of a duration.
    pub at: Timestamp,
    /// The duration, if the measure has one.
    pub seconds: Option<i64>,
    /// Of an answer, the operator who answered (None: automation); otherwise the operator who has the conversation.
    pub operator: Option<AccountId>,
    pub team: Option<TeamId>,
}

/// What is known of a conversation between two of its facts.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ConversationProgress {
    operator: Option<AccountId>,
    team: Option<TeamId>,
    was_resolved: bool,
    /// None before the conversation is opened, and while it is resolved.
    interval: Option<Interval>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Interval {
    began_at: Timestamp,
    /// When the person wrote the first message that no operator has answered.
    waiting_since: Option<Timestamp>,
    /// An operator has answered.
    is_answered: bool,
    /// An operator or automation has answered.
    is_answered_at_all: bool,
}

impl ConversationProgress {
    /// Records the next fact and returns what it completes. A message of the person opens a conversation, so it does
    /// not matter whether the fact of opening it comes before or after the message. Facts that say what is known
    /// already, such as resolving a resolved conversation, measure nothing.
    pub fn record(&mut self, fact: ConversationFact, at: Timestamp) -> Vec<Measurement> {
        let mut measured = Vec::new();
        match fact {
            ConversationFact::Opened | ConversationFact::Reopened => {
                self.open(at, &mut measured);
            }
            ConversationFact::PersonWrote => {
                self.open(at, &mut measured).waiting_since.get_or_insert(at);
            }
            ConversationFact::OperatorAnswered(operator) => self.answer(Some(operator), at, &mut measured),
            ConversationFact::AutomationAnswered => self.answer(None, at, &mut measured),
            ConversationFact::Resolved => {
                if let Some(interval) = self.interval.take() {
                    self.was_resolved = true;
                    measured.push(self.measurement(ReportMeasure::Resolved, None, at));
                    measured.push(self.measurement(ReportMeasure::Resolution, Some(interval.began_at), at));
                }
            }
            ConversationFact::Assigned { operator, team } => (self.operator, self.team) = (operator, team),
        }
        measured
    }

    /// The present interval; begins one if there is none.
    fn open(&mut self, at: Timestamp, measured: &mut Vec<Measurement>) -> &mut Interval {
        if self.interval.is_none() {
            measured.push(self.measurement(ReportMeasure::Volume, None, at));
            if self.was_resolved {
                measured.push(self.measurement(ReportMeasure::Reopened, None, at));
            }
        }
        self.interval.get_or_insert(Interval {
            began_at: at,
            waiting_since: None,
            is_answered: false,
            is_answered_at_all: false,
        })
    }

    /// Records an answer of an operator, or with None of automation, which does not end the waiting for an operator.
    fn answer(&mut self, operator: Option<AccountId>, at: Timestamp, measured: &mut Vec<Measurement>) {
        let Some(interval) = &mut self.interval else { return };
        let Some(since) = interval.waiting_since else { return };
        let mut ended = Vec::new();
        if !interval.is_answered_at_all {
            interval.is_answered_at_all = true;
            ended.push((ReportMeasure::FirstAnswerWithAutomation, Some(since)));
        }
        if operator.is_some() {
            let is_first = !interval.is_answered;
            interval.is_answered = true;
            interval.waiting_since = None;
            let duration = if is_first { ReportMeasure::FirstAnswer } else { ReportMeasure::NextAnswer };
            ended.extend([(ReportMeasure::Answered, None), (duration, Some(since))]);
        }
        let of_answer = |(measure, since)| Measurement { operator, ..self.measurement(measure, since, at) };
        measured.extend(ended.into_iter().map(of_answer));
    }

    fn measurement(&self, measure: ReportMeasure, since: Option<Timestamp>, at: Timestamp) -> Measurement {
        let seconds = since.map(|since| at.seconds_since(since));
        Measurement { measure, at, seconds, operator: self.operator, team: self.team }
    }
}

#[cfg(test)]
mod tests {
    use super::ConversationFact::{
        Assigned, AutomationAnswered, Opened, OperatorAnswered, PersonWrote, Reopened, Resolved,
    };
    use super::*;
    use crate::Id;

    const START: Timestamp = Timestamp::from_seconds(1_776_000_000);

    fn ada() -> AccountId {
        Id::from_bytes([1; 12])
    }

    fn ben() -> AccountId {
        Id::from_bytes([2; 12])
    }

    /// Facts at seconds after the start; the measures with their durations and operators.
    fn measured(facts: &[(i64, ConversationFact)]) -> Vec<(&'static str, Option<i64>, Option<AccountId>)> {
        let mut progress = ConversationProgress::default();
        let mut all = Vec::new();
        for (second, fact) in facts {
            all.extend(progress.record(*fact, START.plus_seconds(*second)));
            let stored = crate::to_json(&progress);
            assert_eq!(serde_json::from_str::<ConversationProgress>(&stored).unwrap(), progress);
        }
        all.into_iter().map(|one| (one.measure.name(), one.seconds, one.operator)).collect()
    }

    #[test]
    fn a_first_answer_is_that_of_an_operator() {
        let facts =
            [(0, Opened), (0, PersonWrote), (5, AutomationAnswered), (20, PersonWrote), (60, OperatorAnswered(ada()))];
        assert_eq!(
            measured(&facts),
            [
                ("volume", None, None),
                ("first_answer_with_automation", Some(5), None),
                ("answered", None, Some(ada())),
                ("first_answer", Some(60), Some(ada())),
            ]
        );
    }

    #[test]
    fn a_person_waits_from_the_first_message_without_an_answer() {
        let facts = [
            (0, PersonWrote),
            (10, OperatorAnswered(ada())),
            (20, OperatorAnswered(ada())),
            (100, PersonWrote),
            (130, PersonWrote),
            (135, AutomationAnswered),
            (160, OperatorAnswered(ben())),
        ];
        assert_eq!(
            measured(&facts),
            [
                ("volume", None, None),
                ("first_answer_with_automation", Some(10), Some(ada())),
                ("answered", None, Some(ada())),
                ("first_answer", Some(10), Some(ada())),
                ("answered", None, Some(ben())),
                ("next_answer", Some(60), Some(ben())),
            ]
        );
    }

    #[test]
    fn a_reopened_conversation_is_measured_anew() {
        let assigned = Assigned { operator: Some(ada()), team: None };
        let again = [
            ("volume", None, Some(ada())),
            ("reopened", None, Some(ada())),
            ("first_answer_with_automation", Some(7), Some(ben())),
            ("answered", None, Some(ben())),
            ("first_answer", Some(7), Some(ben())),
        ];
        let orders = [[(1_000, Reopened), (1_000, PersonWrote)], [(1_000, PersonWrote), (1_000, Reopened)]];
        for reopening in orders {
            let mut facts = vec![(0, Opened), (0, PersonWrote), (1, assigned), (300, Resolved), (400, Resolved)];
            facts.extend(reopening);
            facts.push((1_007, OperatorAnswered(ben())));
            let mut expected =
                vec![("volume", None, None), ("resolved", None, Some(ada())), ("resolution", Some(300), Some(ada()))];
            expected.extend(again);
            assert_eq!(measured(&facts), expected);
        }
    }

    #[test]
    fn what_the_business_writes_first_answers_nothing() {
        let facts = [(0, Opened), (0, OperatorAnswered(ada())), (9, AutomationAnswered), (50, PersonWrote)];
        assert_eq!(measured(&facts), [("volume", None, None)]);
        assert_eq!(measured(&[(0, OperatorAnswered(ada())), (1, Resolved), (2, AutomationAnswered)]), []);
    }

    #[test]
    fn a_measurement_has_the_team_and_never_a_negative_duration() {
        let mut progress = ConversationProgress::default();
        let team = Some(Id::from_bytes([3; 12]));
        progress.record(PersonWrote, START);
        progress.record(Assigned { operator: None, team }, START);
        let measured = progress.record(Resolved, START.plus_seconds(-5));
        let of = |measure, seconds| Measurement { measure, at: START.plus_seconds(-5), seconds, operator: None, team };
        assert_eq!(measured, [of(ReportMeasure::Resolved, None), of(ReportMeasure::Resolution, Some(0))]);
    }
}
