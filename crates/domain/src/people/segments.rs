//! Segments: named sets of contacts, either listed or chosen by conditions.

use std::collections::HashMap;
use std::ops::Deref;

use serde::{Deserialize, Serialize};

use super::contacts::conditions::Compared;
use super::contacts::filter::all_hold;
use super::contacts::{
    Attributes, Condition, ConditionOperator, ContactView, MAX_PARAM_NAME_CHARACTERS, MAX_PARAM_VALUE_CHARACTERS,
};
use crate::{Field, FieldError, Place, SegmentId, Timestamp};

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

impl SegmentMembers {
    /// The number of conditions.
    pub fn conditions(&self) -> usize {
        match self {
            Self::Static => 0,
            Self::Dynamic(groups) => groups.iter().map(Vec::len).sum(),
        }
    }
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
    #[error("expected at most {MAX_PARAM_VALUE_CHARACTERS} characters")]
    Value(usize, usize),
}

impl FieldError for BadSegment {
    fn place(&self) -> Place {
        match self {
            Self::Name => Field::Name.into(),
            Self::Groups => Field::Groups.into(),
            Self::Conditions(i) => Field::Groups.at(*i).member(Field::Conditions),
            Self::Attribute(i, j) => Field::Groups.at(*i).member(Field::Conditions).at(*j).member(Field::Attribute),
            Self::Value(i, j) => Field::Groups.at(*i).member(Field::Conditions).at(*j).member(Field::Value),
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

/// The segments of a tenant, arranged so that the conditions of few are evaluated for each contact: only of those
/// groups that ask for a value, or for an attribute, that the contact has.
#[derive(Debug, Clone, Default)]
pub struct SegmentSet {
    segments: Vec<Segment>,
    /// Positions of static segments.
    by_id: HashMap<SegmentId, usize>,
    /// Groups that ask for a certain value of an attribute, by attribute and value.
    by_value: HashMap<String, HashMap<String, Vec<GroupPosition>>>,
    /// Other groups that only a contact with a certain attribute can meet, by attribute.
    by_attribute: HashMap<String, Vec<GroupPosition>>,
    /// All other groups.
    others: Vec<GroupPosition>,
}

#[derive(Debug, Clone, Copy)]
struct GroupPosition {
    segment: usize,
    group: usize,
}

/// What every contact that meets a group must have: a certain value of an attribute, an attribute with any value, or
/// nothing in particular.
enum Common<'g> {
    Value(&'g str, &'g str),
    Attribute(&'g str),
    Nothing,
}

fn common(group: &[Condition]) -> Common<'_> {
    let mut found = Common::Nothing;
    for condition in group {
        let Compared::Attribute(name) = condition.compared() else { continue };
        match condition.operator {
            ConditionOperator::Equal => return Common::Value(name, &condition.value),
            ConditionOperator::Contain | ConditionOperator::Exist | ConditionOperator::Valid => {
                found = Common::Attribute(name);
            }
            ConditionOperator::NotContain
            | ConditionOperator::NotExist
            | ConditionOperator::NotEqual
            | ConditionOperator::Invalid => {}
        }
    }
    found
}

impl From<Vec<Segment>> for SegmentSet {
    fn from(segments: Vec<Segment>) -> Self {
        let mut set = Self::default();
        for (segment, one) in segments.iter().enumerate() {
            let SegmentMembers::Dynamic(groups) = &one.members else {
                set.by_id.insert(one.id, segment);
                continue;
            };
            for (group, conditions) in groups.iter().enumerate() {
                let list = match common(conditions) {
                    Common::Value(name, value) => {
                        set.by_value.entry(name.to_owned()).or_default().entry(value.to_owned()).or_default()
                    }
                    Common::Attribute(name) => set.by_attribute.entry(name.to_owned()).or_default(),
                    Common::Nothing => &mut set.others,
                };
                list.push(GroupPosition { segment, group });
            }
        }
        Self { segments, ..set }
    }
}

impl Deref for SegmentSet {
    type Target = [Segment];

    fn deref(&self) -> &[Segment] {
        &self.segments
    }
}

impl SegmentSet {
    /// The number of conditions of all segments.
    pub fn conditions(&self) -> usize {
        self.segments.iter().map(|segment| segment.members.conditions()).sum()
    }

    pub fn into_vec(self) -> Vec<Segment> {
        self.segments
    }

    /// The segments that contain the contact, in the order of the set.
    pub fn containing(&self, contact: &ContactView<'_>) -> Vec<&Segment> {
        if self.segments.is_empty() {
            return Vec::new();
        }
        let attributes = contact.attributes();
        let mut members: Vec<usize> = contact.segments().iter().filter_map(|id| self.by_id.get(id).copied()).collect();
        let by_value = |(name, value): (&str, &str)| self.by_value.get(name).and_then(|values| values.get(value));
        let by_attribute = |(name, _): (&str, &str)| self.by_attribute.get(name);
        let asked = attributes.iter().flat_map(|one| by_value(one).into_iter().chain(by_attribute(one)));
        for position in asked.flatten().chain(&self.others) {
            if !members.contains(&position.segment) && self.holds(*position, contact, &attributes) {
                members.push(position.segment);
            }
        }
        members.sort_unstable();
        members.dedup();
        members.into_iter().filter_map(|segment| self.segments.get(segment)).collect()
    }

    fn holds(&self, position: GroupPosition, contact: &ContactView<'_>, attributes: &Attributes<'_>) -> bool {
        match self.segments.get(position.segment).map(|segment| &segment.members) {
            Some(SegmentMembers::Dynamic(groups)) => {
                groups.get(position.group).is_some_and(|group| all_hold(group, contact, attributes))
            }
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Id;
    use crate::people::contacts::{ConditionOperator, Contact, CustomParam, NewContact};

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
            let set = SegmentSet::from(all.to_vec());
            set.containing(&contact.view(&texts)).into_iter().map(|one| one.name.clone()).collect()
        };
        assert_eq!(names(&segments), ["put into", "one group of two"]);
        assert!(names(&[]).is_empty());
    }

    proptest::proptest! {
        /// `SegmentSet` leaves no member out, whatever the conditions are.
        #[test]
        fn a_set_finds_the_same_members_as_asking_each_segment(
            groups in proptest::collection::vec(
                proptest::collection::vec(
                    proptest::collection::vec((0..4_usize, 0..8_usize, 0..3_usize), 1..3),
                    1..3,
                ),
                1..6,
            ),
            values in proptest::collection::vec((0..3_usize, 0..3_usize), 0..4),
        ) {
            let operators = ["contain", "notContain", "exist", "notExist", "==", "!=", "valid", "invalid"];
            let names = ["city", "tier", "plan", "name"];
            let texts = ["Bern", "be", ""];
            let condition = |(name, operator, value): &(usize, usize, usize)| Condition {
                name: names[*name].to_owned(),
                operator: operators[*operator].parse().unwrap(),
                value: texts[*value].to_owned(),
            };
            let segments: Vec<Segment> = (1..).zip(&groups).map(|(entropy, groups)| Segment {
                id: Id::seeded(NOW, entropy),
                name: format!("segment {entropy}"),
                members: dynamic(groups.iter().map(|group| group.iter().map(condition).collect()).collect()),
                created_at: NOW,
            }).collect();
            let mut custom_params: Vec<CustomParam> = values
                .iter()
                .map(|(name, value)| CustomParam { name: names[*name].into(), value: texts[*value].into() })
                .collect();
            custom_params.sort_by(|a, b| a.name.cmp(&b.name));
            custom_params.dedup_by(|a, b| a.name == b.name);
            let contact = Contact::new(NewContact { custom_params, ..NewContact::default() }, NOW);
            let texts = contact.texts();
            let view = contact.view(&texts);
            let attributes = view.attributes();
            let meets = |segment: &Segment| match &segment.members {
                SegmentMembers::Dynamic(groups) => groups.iter().any(|group| all_hold(group, &view, &attributes)),
                SegmentMembers::Static => false,
            };
            let expected: Vec<&str> = segments.iter().filter(|one| meets(one)).map(|one| one.name.as_str()).collect();
            let set = SegmentSet::from(segments.clone());
            let found: Vec<&str> = set.containing(&view).into_iter().map(|one| one.name.as_str()).collect();
            proptest::prop_assert_eq!(found, expected);
        }
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
