//! Segments: named sets of contacts, either listed or chosen by conditions.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use super::conditions::Condition;
use super::filter::all_hold;
use super::view::{Attributes, ContactView};
use super::{MAX_PARAM_NAME_CHARACTERS, MAX_PARAM_VALUE_CHARACTERS};
use crate::{MemberError, SegmentId, Timestamp};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Segment {
    pub id: SegmentId,
    pub name: String,
    pub members: SegmentMembers,
    pub created_at: Timestamp,
}

/// The members of a segment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", tag = "kind", content = "groups")]
pub enum SegmentMembers {
    /// Listed contacts; each contact has the ids of its static segments.
    Static,
    /// The contacts that at present meet all conditions of one of these groups.
    Dynamic(Vec<Vec<Condition>>),
}

pub const MAX_SEGMENT_NAME_CHARACTERS: usize = 100;
pub const MAX_GROUPS: usize = 10;
pub const MAX_CONDITIONS: usize = 20;

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadSegment {
    #[error("expected 1 to {MAX_SEGMENT_NAME_CHARACTERS} characters")]
    Name,
    #[error("expected 1 to {MAX_GROUPS} groups of conditions")]
    Groups,
    #[error("expected 1 to {MAX_CONDITIONS} conditions")]
    Conditions(usize),
    #[error("expected 1 to {MAX_PARAM_NAME_CHARACTERS} characters")]
    Attribute(usize, usize),
    #[error("more than {MAX_PARAM_VALUE_CHARACTERS} characters")]
    Value(usize, usize),
}

impl MemberError for BadSegment {
    fn member(&self) -> Cow<'static, str> {
        match self {
            Self::Name => "name".into(),
            Self::Groups => "groups".into(),
            Self::Conditions(i) => format!("groups[{i}].conditions").into(),
            Self::Attribute(i, j) => format!("groups[{i}].conditions[{j}].attribute").into(),
            Self::Value(i, j) => format!("groups[{i}].conditions[{j}].value").into(),
        }
    }
}

pub fn check(name: &str, members: &SegmentMembers) -> Result<(), BadSegment> {
    let characters = name.trim().chars().count();
    if !(1..=MAX_SEGMENT_NAME_CHARACTERS).contains(&characters) || name.chars().any(char::is_control) {
        return Err(BadSegment::Name);
    }
    match members {
        SegmentMembers::Static => Ok(()),
        SegmentMembers::Dynamic(groups) => check_groups(groups),
    }
}

pub fn check_groups(groups: &[Vec<Condition>]) -> Result<(), BadSegment> {
    if !(1..=MAX_GROUPS).contains(&groups.len()) {
        return Err(BadSegment::Groups);
    }
    groups.iter().enumerate().try_for_each(|(i, group)| check_group(i, group))
}

fn check_group(i: usize, group: &[Condition]) -> Result<(), BadSegment> {
    if !(1..=MAX_CONDITIONS).contains(&group.len()) {
        return Err(BadSegment::Conditions(i));
    }
    group.iter().enumerate().try_for_each(|(j, condition)| {
        if !(1..=MAX_PARAM_NAME_CHARACTERS).contains(&condition.name.chars().count()) {
            return Err(BadSegment::Attribute(i, j));
        }
        let fits = condition.value.chars().count() <= MAX_PARAM_VALUE_CHARACTERS;
        if fits { Ok(()) } else { Err(BadSegment::Value(i, j)) }
    })
}

impl Segment {
    fn holds(&self, contact: &ContactView<'_>, own: &[SegmentId], attributes: &Attributes<'_>) -> bool {
        match &self.members {
            SegmentMembers::Static => own.contains(&self.id),
            SegmentMembers::Dynamic(groups) => groups.iter().any(|group| all_hold(group, contact, attributes)),
        }
    }
}

/// Those of `segments` that contain the contact, in their order.
pub fn of_contact<'s>(segments: &'s [Segment], contact: &ContactView<'_>) -> Vec<&'s Segment> {
    if segments.is_empty() {
        return Vec::new();
    }
    let (own, attributes) = (contact.segments(), contact.attributes());
    segments.iter().filter(|segment| segment.holds(contact, &own, &attributes)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Id;
    use crate::contacts::{ConditionOperator, Contact, CustomParam, NewContact};

    const NOW: Timestamp = Timestamp::from_seconds(1_776_000_000);

    fn is(name: &str, value: &str) -> Condition {
        Condition { name: name.to_owned(), operator: ConditionOperator::Equal, value: value.to_owned() }
    }

    fn dynamic(groups: Vec<Vec<Condition>>) -> SegmentMembers {
        SegmentMembers::Dynamic(groups)
    }

    #[test]
    fn a_name_has_1_to_100_characters_without_control_characters() {
        let named = |name: &str| check(name, &SegmentMembers::Static);
        for good in ["x", " x ", "ä".repeat(100).as_str(), format!(" {} ", "x".repeat(100)).as_str()] {
            assert_eq!(named(good), Ok(()), "{good:?}");
        }
        for bad in ["", "  ", "a\nb", "a\0", "ä".repeat(101).as_str()] {
            assert_eq!(named(bad), Err(BadSegment::Name), "{bad:?}");
        }
    }

    #[test]
    fn groups_and_conditions_are_counted() {
        let groups = |count: usize| check("x", &dynamic(vec![vec![is("a", "b")]; count]));
        assert_eq!(groups(0), Err(BadSegment::Groups));
        assert_eq!((groups(1), groups(10), groups(11)), (Ok(()), Ok(()), Err(BadSegment::Groups)));
        let conditions = |count: usize| check("x", &dynamic(vec![vec![is("a", "b")], vec![is("a", "b"); count]]));
        assert_eq!(conditions(0), Err(BadSegment::Conditions(1)));
        assert_eq!((conditions(20), conditions(21)), (Ok(()), Err(BadSegment::Conditions(1))));
    }

    #[test]
    fn a_condition_is_held_to_the_limits_of_an_attribute() {
        let with = |name: usize, value: usize| {
            let one = is(&"ä".repeat(name), &"ä".repeat(value));
            check("x", &dynamic(vec![vec![is("a", "b")], vec![is("a", "b"), one]]))
        };
        assert_eq!((with(1, 0), with(128, 4096)), (Ok(()), Ok(())));
        assert_eq!((with(0, 1), with(129, 1)), (Err(BadSegment::Attribute(1, 1)), Err(BadSegment::Attribute(1, 1))));
        assert_eq!(with(1, 4097), Err(BadSegment::Value(1, 1)));
    }

    #[test]
    fn a_contact_is_in_the_segments_it_was_put_into_and_in_those_whose_conditions_it_meets() {
        let segment = |entropy, name: &str, members| Segment {
            id: Id::seeded(NOW, entropy),
            name: name.to_owned(),
            members,
            created_at: NOW,
        };
        let segments = [
            segment(1, "put into", SegmentMembers::Static),
            segment(2, "not put into", SegmentMembers::Static),
            segment(3, "one group of two", dynamic(vec![vec![is("city", "Rome")], vec![is("city", "Bern")]])),
            segment(4, "half a group", dynamic(vec![vec![is("city", "Bern"), is("tier", "gold")]])),
        ];
        let custom_params = vec![CustomParam { name: "city".into(), value: "Bern".into() }];
        let new = NewContact { custom_params, ..NewContact::default() };
        let contact = Contact { segments: vec![Id::seeded(NOW, 1), Id::seeded(NOW, 4)], ..Contact::new(new, NOW) };
        let texts = contact.texts();
        let names = |all: &[Segment]| -> Vec<String> {
            of_contact(all, &contact.view(&texts)).into_iter().map(|one| one.name.clone()).collect()
        };
        assert_eq!(names(&segments), ["put into", "one group of two"]);
        assert!(names(&[]).is_empty());
    }

    #[test]
    fn members_are_stored_by_their_kind() {
        let members = dynamic(vec![vec![is("city", "Bern")]]);
        let text = serde_json::to_string(&members).unwrap();
        assert_eq!(text, r#"{"kind":"dynamic","groups":[[{"name":"city","operator":"==","value":"Bern"}]]}"#);
        assert_eq!(serde_json::from_str::<SegmentMembers>(&text).unwrap(), members);
        assert_eq!(serde_json::to_string(&SegmentMembers::Static).unwrap(), r#"{"kind":"static"}"#);
    }
}
