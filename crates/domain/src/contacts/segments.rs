//! Segments: contacts under a name, put there one by one or chosen by conditions.

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
    pub members: Members,
    pub created_at: Timestamp,
}

/// Who is in a segment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", tag = "kind", content = "groups")]
pub enum Members {
    /// Whoever was put into it; each contact knows its own.
    Static,
    /// Whoever meets all conditions of one of these groups, at every moment anew.
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

pub fn check(name: &str, members: &Members) -> Result<(), BadSegment> {
    let characters = name.trim().chars().count();
    if !(1..=MAX_SEGMENT_NAME_CHARACTERS).contains(&characters) || name.chars().any(char::is_control) {
        return Err(BadSegment::Name);
    }
    match members {
        Members::Static => Ok(()),
        Members::Dynamic(groups) if !(1..=MAX_GROUPS).contains(&groups.len()) => Err(BadSegment::Groups),
        Members::Dynamic(groups) => groups.iter().enumerate().try_for_each(|(i, group)| check_group(i, group)),
    }
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
    fn holds(&self, own: &[SegmentId], attributes: &Attributes<'_>) -> bool {
        match &self.members {
            Members::Static => own.contains(&self.id),
            Members::Dynamic(groups) => groups.iter().any(|group| all_hold(group, attributes)),
        }
    }
}

/// Those of all segments of the tenant that this contact is in, in their order.
pub fn of_contact<'s>(segments: &'s [Segment], contact: &ContactView<'_>) -> Vec<&'s Segment> {
    if segments.is_empty() {
        return Vec::new();
    }
    let (own, attributes) = (contact.segments(), contact.attributes());
    segments.iter().filter(|segment| segment.holds(&own, &attributes)).collect()
}
