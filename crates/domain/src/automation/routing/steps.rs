//! The steps of a decision. They are stored with the decision as JSON, and name what they are about, so that an
//! explanation stays true when a team is renamed later.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::roster::OperatorName;
use crate::people::contacts::Team;
use crate::people::teams::Language;
use crate::{LabelId, RoutingRuleId, Timestamp};

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "type")]
pub enum RoutingStep {
    /// The conditions of a rule hold.
    RuleMatched {
        rule: RoutingRuleId,
        name: String,
    },
    NoRuleMatched,
    /// The targets of all rules that apply are closed or have no room: the first of them decides.
    FirstRuleDecides {
        rule: RoutingRuleId,
        name: String,
    },
    /// Back to the operator who had the conversation before.
    Returned {
        operator: OperatorName,
    },
    FormerPassedOver {
        operator: OperatorName,
        reason: PassedOver,
    },
    FormerGone,
    SentToTeam {
        team: Team,
    },
    SentToOperator {
        operator: OperatorName,
    },
    LeftUnassigned,
    /// The operator that it waits for can have it.
    OperatorHasRoom {
        operator: OperatorName,
        open: i64,
        capacity: i64,
    },
    OperatorPassedOver {
        operator: OperatorName,
        reason: PassedOver,
    },
    /// The account is not active.
    OperatorGone,
    /// The team was deleted.
    TeamGone,
    TeamOpen {
        team: Team,
        until: Option<Timestamp>,
    },
    TeamClosed {
        team: Team,
        until: Option<Timestamp>,
    },
    /// The team's conversations are taken by hand.
    TakenByHand {
        team: Team,
    },
    /// So many members would have room and lack the skill.
    SkillMissing {
        skill: Skill,
        operators: usize,
    },
    LeastBusy {
        operator: OperatorName,
        open: i64,
        capacity: i64,
    },
    /// `after`: the member who was given a conversation last.
    RoundRobin {
        operator: OperatorName,
        after: Option<OperatorName>,
    },
    /// Why the members with the skills were passed over.
    NobodyHasRoom {
        team: Team,
        away: usize,
        busy: usize,
        full: usize,
    },
    Waits,
}

/// Why an operator is given nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "type")]
pub enum PassedOver {
    Away,
    Busy,
    Full { open: i64, capacity: i64 },
}

/// What a conversation needs its operator to have.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "type")]
pub enum Skill {
    Language { language: Language },
    Label { id: LabelId, name: String },
}

/// The steps as sentences.
pub fn explain(steps: &[RoutingStep]) -> String {
    steps.iter().map(RoutingStep::to_string).collect::<Vec<_>>().join(" ")
}

impl fmt::Display for RoutingStep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::RuleMatched { name, .. } => write!(f, "The rule \u{201c}{name}\u{201d} applies."),
            Self::NoRuleMatched => f.write_str("No rule applies."),
            Self::FirstRuleDecides { name, .. } => {
                write!(f, "No later rule can place it now, so the rule \u{201c}{name}\u{201d} decides.")
            }
            Self::Returned { operator } => write!(f, "It returns to {}, who had it before.", operator.name),
            Self::FormerPassedOver { operator, reason } => {
                write!(f, "{} had it before, but {reason}.", operator.name)
            }
            Self::FormerGone => f.write_str("The operator who had it before is no longer active."),
            Self::SentToTeam { team } => write!(f, "It goes to the team {}.", team.name),
            Self::SentToOperator { operator } => write!(f, "It goes to {}.", operator.name),
            Self::LeftUnassigned => f.write_str("It stays unassigned until an operator takes it."),
            Self::OperatorHasRoom { operator, open, capacity } => {
                write!(f, "{} is available with {open} of {capacity} open conversations.", operator.name)
            }
            Self::OperatorPassedOver { operator, reason } => write!(f, "{} {reason}.", operator.name),
            Self::OperatorGone => f.write_str("The operator is no longer active."),
            Self::TeamGone => f.write_str("The team no longer exists."),
            Self::TeamOpen { team, until } => write!(f, "The team {} is open{}.", team.name, Until(*until)),
            Self::TeamClosed { team, until } => write!(f, "The team {} is closed{}.", team.name, Until(*until)),
            Self::TakenByHand { team } => write!(f, "Members of the team {} take conversations by hand.", team.name),
            Self::SkillMissing { skill, operators: 1 } => write!(f, "1 operator with room lacks {skill}."),
            Self::SkillMissing { skill, operators } => write!(f, "{operators} operators with room lack {skill}."),
            Self::LeastBusy { operator, open, capacity } => {
                write!(f, "{} is the least busy with {open} of {capacity} open conversations.", operator.name)
            }
            Self::RoundRobin { operator, after: Some(after) } => {
                write!(f, "{} is next in turn after {}.", operator.name, after.name)
            }
            Self::RoundRobin { operator, after: None } => write!(f, "{} is first in turn.", operator.name),
            Self::NobodyHasRoom { team, away, busy, full } => {
                write!(f, "Nobody in the team {} has room{}.", team.name, Counts([*away, *busy, *full]))
            }
            Self::Waits => f.write_str("It waits."),
        }
    }
}

impl fmt::Display for PassedOver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Away => f.write_str("is away"),
            Self::Busy => f.write_str("is busy"),
            Self::Full { open, capacity } => write!(f, "is full with {open} of {capacity} open conversations"),
        }
    }
}

impl fmt::Display for Skill {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Language { language } => write!(f, "the language {language}"),
            Self::Label { name, .. } => write!(f, "the skill {name}"),
        }
    }
}

struct Until(Option<Timestamp>);

impl fmt::Display for Until {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.map_or(Ok(()), |at| write!(f, " until {}", at.to_rfc3339()))
    }
}

/// How many are away, busy and full.
struct Counts([usize; 3]);

impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let counts = self.0.into_iter().zip(["away", "busy", "full"]).filter(|(count, _)| *count > 0);
        for (place, (count, word)) in counts.enumerate() {
            write!(f, "{} {count} {word}", if place == 0 { ":" } else { "," })?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Id;

    fn ada() -> OperatorName {
        OperatorName { id: Id::from_bytes([1; 12]), name: "Ada".into() }
    }

    fn ben() -> OperatorName {
        OperatorName { id: Id::from_bytes([2; 12]), name: "Ben".into() }
    }

    fn sales() -> Team {
        Team { id: Id::from_bytes([3; 12]), name: "Sales".into() }
    }

    #[test]
    fn every_step_has_a_sentence_and_is_read_back_from_its_json() {
        let (rule, name) = (Id::from_bytes([4; 12]), "German".to_owned());
        let until = Some(Timestamp::from_seconds(1_776_000_000));
        let german = Skill::Language { language: "de".parse().unwrap() };
        let vip = Skill::Label { id: Id::from_bytes([5; 12]), name: "vip".into() };
        let full = PassedOver::Full { open: 5, capacity: 5 };
        for (step, sentence) in [
            (RoutingStep::RuleMatched { rule, name: name.clone() }, "The rule “German” applies."),
            (RoutingStep::NoRuleMatched, "No rule applies."),
            (
                RoutingStep::FirstRuleDecides { rule, name },
                "No later rule can place it now, so the rule “German” decides.",
            ),
            (RoutingStep::Returned { operator: ada() }, "It returns to Ada, who had it before."),
            (
                RoutingStep::FormerPassedOver { operator: ada(), reason: full },
                "Ada had it before, but is full with 5 of 5 open conversations.",
            ),
            (RoutingStep::FormerGone, "The operator who had it before is no longer active."),
            (RoutingStep::SentToTeam { team: sales() }, "It goes to the team Sales."),
            (RoutingStep::SentToOperator { operator: ada() }, "It goes to Ada."),
            (RoutingStep::LeftUnassigned, "It stays unassigned until an operator takes it."),
            (
                RoutingStep::OperatorHasRoom { operator: ada(), open: 1, capacity: 5 },
                "Ada is available with 1 of 5 open conversations.",
            ),
            (RoutingStep::OperatorPassedOver { operator: ada(), reason: PassedOver::Busy }, "Ada is busy."),
            (RoutingStep::OperatorGone, "The operator is no longer active."),
            (RoutingStep::TeamGone, "The team no longer exists."),
            (RoutingStep::TeamOpen { team: sales(), until }, "The team Sales is open until 2026-04-12T13:20:00.000Z."),
            (RoutingStep::TeamClosed { team: sales(), until: None }, "The team Sales is closed."),
            (RoutingStep::TakenByHand { team: sales() }, "Members of the team Sales take conversations by hand."),
            (RoutingStep::SkillMissing { skill: german, operators: 1 }, "1 operator with room lacks the language de."),
            (RoutingStep::SkillMissing { skill: vip, operators: 2 }, "2 operators with room lack the skill vip."),
            (
                RoutingStep::LeastBusy { operator: ben(), open: 2, capacity: 7 },
                "Ben is the least busy with 2 of 7 open conversations.",
            ),
            (RoutingStep::RoundRobin { operator: ben(), after: Some(ada()) }, "Ben is next in turn after Ada."),
            (RoutingStep::RoundRobin { operator: ben(), after: None }, "Ben is first in turn."),
            (
                RoutingStep::NobodyHasRoom { team: sales(), away: 2, busy: 0, full: 3 },
                "Nobody in the team Sales has room: 2 away, 3 full.",
            ),
            (
                RoutingStep::NobodyHasRoom { team: sales(), away: 0, busy: 0, full: 0 },
                "Nobody in the team Sales has room.",
            ),
            (RoutingStep::Waits, "It waits."),
        ] {
            assert_eq!(step.to_string(), sentence);
            assert_eq!(serde_json::from_str::<RoutingStep>(&crate::to_json(&step)).unwrap(), step);
        }
    }

    #[test]
    fn an_explanation_is_the_sentences_in_their_order() {
        let steps = [RoutingStep::NoRuleMatched, RoutingStep::LeftUnassigned];
        assert_eq!(explain(&steps), "No rule applies. It stays unassigned until an operator takes it.");
        assert_eq!(explain(&[]), "");
    }

    #[test]
    fn the_stored_form_stays() {
        let step =
            RoutingStep::OperatorPassedOver { operator: ada(), reason: PassedOver::Full { open: 5, capacity: 5 } };
        let json = concat!(
            r#"{"type":"operator_passed_over","operator":{"id":"010101010101010101010101","name":"Ada"},"#,
            r#""reason":{"type":"full","open":5,"capacity":5}}"#,
        );
        assert_eq!(crate::to_json(&step), json);
    }
}
