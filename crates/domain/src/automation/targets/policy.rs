//! Which promises apply to a conversation.

use serde::{Deserialize, Serialize};

use crate::{ChannelId, Field, FieldError, LabelId, Place, SegmentId, TeamId};

/// The promises about conversations that meet conditions. Stored as JSON.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TargetPolicy {
    pub name: String,
    #[serde(default)]
    pub conditions: TargetConditions,
    /// None: no promise.
    #[serde(default)]
    pub first_answer_minutes: Option<u32>,
    #[serde(default)]
    pub next_answer_minutes: Option<u32>,
    #[serde(default)]
    pub resolution_minutes: Option<u32>,
    /// The minutes pass only while the conversation's schedule is open.
    #[serde(default)]
    pub only_open_hours: bool,
}

/// A conversation must have one of the choices of each kind. A kind without choices allows every conversation.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct TargetConditions {
    pub labels: Vec<LabelId>,
    /// Segments of the contact.
    pub segments: Vec<SegmentId>,
    /// Teams that the conversation is assigned to.
    pub teams: Vec<TeamId>,
    pub channels: Vec<ChannelId>,
}

/// What the conditions look at.
#[derive(Debug, Clone, Copy)]
pub struct TargetSubject<'a> {
    pub labels: &'a [LabelId],
    pub segments: &'a [SegmentId],
    pub team: Option<TeamId>,
    pub channel: ChannelId,
}

impl TargetConditions {
    pub fn allow(&self, subject: &TargetSubject<'_>) -> bool {
        has_one(&self.labels, subject.labels)
            && has_one(&self.segments, subject.segments)
            && has_one(&self.teams, subject.team.as_slice())
            && has_one(&self.channels, &[subject.channel])
    }
}

fn has_one<T: PartialEq>(choices: &[T], present: &[T]) -> bool {
    choices.is_empty() || present.iter().any(|one| choices.contains(one))
}

/// The first policy in order whose conditions allow the conversation.
pub fn first_match<'p>(policies: &'p [TargetPolicy], subject: &TargetSubject<'_>) -> Option<&'p TargetPolicy> {
    policies.iter().find(|policy| policy.conditions.allow(subject))
}

pub const MAX_POLICY_NAME_CHARACTERS: usize = 100;
/// A year.
pub const MAX_MINUTES: u32 = 366 * 24 * 60;
/// Most choices of one kind in the conditions of a policy.
pub const MAX_CHOICES: usize = 50;

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadPolicy {
    #[error("expected 1 to {MAX_POLICY_NAME_CHARACTERS} characters, no control characters")]
    Name,
    #[error("expected 1 to {MAX_MINUTES} minutes")]
    Minutes(&'static str),
    #[error("expected at most {MAX_CHOICES} ids")]
    Choices(&'static str),
}

impl FieldError for BadPolicy {
    fn place(&self) -> Place {
        match self {
            Self::Name => Field::Name.into(),
            Self::Minutes(member) => Place::named(*member),
            Self::Choices(kind) => Place::from(Field::Conditions).key(*kind),
        }
    }
}

impl TargetPolicy {
    pub fn check(&self) -> Result<(), BadPolicy> {
        let characters = self.name.trim().chars().count();
        if !(1..=MAX_POLICY_NAME_CHARACTERS).contains(&characters) || self.name.chars().any(char::is_control) {
            return Err(BadPolicy::Name);
        }
        for (member, minutes) in [
            ("first_answer_minutes", self.first_answer_minutes),
            ("next_answer_minutes", self.next_answer_minutes),
            ("resolution_minutes", self.resolution_minutes),
        ] {
            if minutes.is_some_and(|minutes| !(1..=MAX_MINUTES).contains(&minutes)) {
                return Err(BadPolicy::Minutes(member));
            }
        }
        let TargetConditions { labels, segments, teams, channels } = &self.conditions;
        let kinds = [
            ("labels", labels.len()),
            ("segments", segments.len()),
            ("teams", teams.len()),
            ("channels", channels.len()),
        ];
        match kinds.into_iter().find(|(_, choices)| *choices > MAX_CHOICES) {
            Some((kind, _)) => Err(BadPolicy::Choices(kind)),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Id;

    fn policy(name: &str) -> TargetPolicy {
        serde_json::from_value(serde_json::json!({ "name": name })).unwrap()
    }

    fn id<K>(number: u8) -> Id<K> {
        Id::from_bytes([number; 12])
    }

    #[test]
    fn a_policy_is_checked_by_its_members() {
        assert_eq!(policy("VIP").check(), Ok(()));
        for name in ["", " ", "a\nb", &"x".repeat(101)] {
            assert_eq!(policy(name).check(), Err(BadPolicy::Name), "{name:?}");
        }
        for (minutes, is_good) in [(0, false), (1, true), (MAX_MINUTES, true), (MAX_MINUTES + 1, false)] {
            let limited = TargetPolicy { next_answer_minutes: Some(minutes), ..policy("VIP") };
            assert_eq!(limited.check().is_ok(), is_good, "{minutes}");
        }
        let bad = TargetPolicy { resolution_minutes: Some(0), ..policy("VIP") }.check().unwrap_err();
        assert_eq!(bad.place().to_string(), "resolution_minutes");
        let conditions = TargetConditions { teams: vec![id(1); 51], ..TargetConditions::default() };
        let bad = TargetPolicy { conditions, ..policy("VIP") }.check().unwrap_err();
        assert_eq!(bad.place().to_string(), "conditions.teams");
    }

    #[test]
    fn one_choice_of_each_kind_suffices_and_a_kind_without_choices_allows_all() {
        let subject = TargetSubject { labels: &[id(1), id(2)], segments: &[id(3)], team: Some(id(4)), channel: id(5) };
        let nobody = TargetSubject { labels: &[], segments: &[], team: None, ..subject };
        let all = TargetConditions::default();
        assert!(all.allow(&subject) && all.allow(&nobody));
        let labels = TargetConditions { labels: vec![id(9), id(2)], ..all.clone() };
        assert!(labels.allow(&subject) && !labels.allow(&nobody));
        let both = TargetConditions { teams: vec![id(4)], ..labels.clone() };
        assert!(both.allow(&subject));
        assert!(!TargetConditions { teams: vec![id(6)], ..labels }.allow(&subject));
        assert!(!TargetConditions { segments: vec![id(9)], ..all.clone() }.allow(&subject));
        assert!(TargetConditions { channels: vec![id(5)], ..all.clone() }.allow(&nobody));
        assert!(!TargetConditions { channels: vec![id(6)], ..all }.allow(&nobody));
    }

    #[test]
    fn the_first_policy_that_matches_applies() {
        let vip = TargetConditions { labels: vec![id(1)], ..TargetConditions::default() };
        let policies = [TargetPolicy { conditions: vip, ..policy("VIP") }, policy("All"), policy("Never reached")];
        let subject = TargetSubject { labels: &[id(1)], segments: &[], team: None, channel: id(5) };
        let name = |subject| first_match(&policies, &subject).map(|policy| policy.name.as_str());
        assert_eq!((name(subject), name(TargetSubject { labels: &[], ..subject })), (Some("VIP"), Some("All")));
        assert_eq!(first_match(&policies[..1], &TargetSubject { labels: &[], ..subject }), None);
    }
}
