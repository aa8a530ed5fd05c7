//! Teams: operators who share a queue of conversations, and how that queue is given out. `automation/routing` decides
//! with it.

use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::contacts::{MAX_TEAM_NAME_CHARACTERS, Team};
use crate::base::named::named;
use crate::{AccountId, Field, FieldError, LabelId, OpeningHoursId, Place, TeamId, Timestamp};

named! {
    /// How the conversations of a team get an operator.
    AssignmentMethod {
        ByHand => "by_hand",
        RoundRobin => "round_robin",
        LeastBusy => "least_busy",
    }
}

/// Most members of a team.
pub const MAX_MEMBERS: usize = 200;
/// Most open conversations that an operator can be given.
pub const MAX_CAPACITY: i64 = 1_000;
/// The capacity of a new team, and of an operator who is in no team.
pub const DEFAULT_CAPACITY: i64 = 10;
/// Most languages of a member, and most labels.
pub const MAX_SKILLS: usize = 50;

/// A language without its region: `pt` for `pt_BR`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Language(String);

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("expected a language code such as de or pt_BR")]
pub struct NotALanguage;

impl Language {
    pub fn code(&self) -> &str {
        &self.0
    }
}

impl FromStr for Language {
    type Err = NotALanguage;

    /// Takes the codes of ISO 639 with or without a region, in any letter case.
    fn from_str(text: &str) -> Result<Self, NotALanguage> {
        let code = text.trim().split(['_', '-']).next().unwrap_or_default();
        let is_code = matches!(code.len(), 2 | 3) && code.bytes().all(|byte| byte.is_ascii_alphabetic());
        if is_code { Ok(Self(code.to_ascii_lowercase())) } else { Err(NotALanguage) }
    }
}

impl fmt::Display for Language {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Serialize for Language {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for Language {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

/// An operator of a team.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TeamMember {
    pub account_id: AccountId,
    /// Most open conversations of the operator; None: the team's. With 0 the member is given none.
    pub capacity: Option<i64>,
    /// Skills: the languages that the operator speaks, and the labels whose conversations the operator can handle.
    pub languages: BTreeSet<Language>,
    pub labels: BTreeSet<LabelId>,
}

/// How a team works.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TeamSettings {
    pub id: TeamId,
    pub name: String,
    pub method: AssignmentMethod,
    /// Most open conversations of a member, for members that have no capacity of their own.
    pub capacity: i64,
    /// The opening hours in which the team is given conversations; None: always.
    pub opening_hours_id: Option<OpeningHoursId>,
    pub created_at: Timestamp,
}

impl TeamSettings {
    /// The settings of a new team: its conversations are taken by hand.
    pub fn new(Team { id, name }: Team, created_at: Timestamp) -> Self {
        Self {
            id,
            name,
            method: AssignmentMethod::ByHand,
            capacity: DEFAULT_CAPACITY,
            opening_hours_id: None,
            created_at,
        }
    }
}

/// A team with its members, ordered by account.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TeamRouting {
    pub settings: TeamSettings,
    pub members: Vec<TeamMember>,
}

impl TeamRouting {
    pub fn id(&self) -> TeamId {
        self.settings.id
    }

    pub fn team(&self) -> Team {
        Team { id: self.settings.id, name: self.settings.name.clone() }
    }

    pub fn capacity_of(&self, member: &TeamMember) -> i64 {
        member.capacity.unwrap_or(self.settings.capacity)
    }

    pub fn member(&self, account: AccountId) -> Option<&TeamMember> {
        self.members.iter().find(|member| member.account_id == account)
    }
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadTeam {
    #[error("expected 1 to {MAX_TEAM_NAME_CHARACTERS} characters, no control characters")]
    Name,
    #[error("expected by_hand, round_robin or least_busy")]
    Method,
    #[error("expected 1 to {MAX_CAPACITY}")]
    Capacity,
    #[error("{0} members, at most {MAX_MEMBERS}")]
    TooManyMembers(usize),
    #[error("the operator appears twice")]
    MemberTwice(usize),
    #[error("expected 0 to {MAX_CAPACITY}")]
    MemberCapacity(usize),
    #[error("at most {MAX_SKILLS}")]
    TooManySkills(usize, Field),
}

impl FieldError for BadTeam {
    fn place(&self) -> Place {
        match self {
            Self::Name => Field::Name.into(),
            Self::Method => Field::Method.into(),
            Self::Capacity => Field::Capacity.into(),
            Self::TooManyMembers(_) => Field::Members.into(),
            Self::MemberTwice(i) => Field::Members.at(*i).member(Field::Operator),
            Self::MemberCapacity(i) => Field::Members.at(*i).member(Field::Capacity),
            Self::TooManySkills(i, field) => Field::Members.at(*i).member(*field),
        }
    }
}

/// The name without surrounding spaces.
pub fn check_name(name: &str) -> Result<&str, BadTeam> {
    let name = name.trim();
    let fits = (1..=MAX_TEAM_NAME_CHARACTERS).contains(&name.chars().count()) && !name.chars().any(char::is_control);
    if fits { Ok(name) } else { Err(BadTeam::Name) }
}

pub fn check_method(method: &str) -> Result<AssignmentMethod, BadTeam> {
    method.trim().to_lowercase().parse().map_err(|()| BadTeam::Method)
}

pub fn check_capacity(capacity: i64) -> Result<i64, BadTeam> {
    if (1..=MAX_CAPACITY).contains(&capacity) { Ok(capacity) } else { Err(BadTeam::Capacity) }
}

pub const fn check_member_count(count: usize) -> Result<(), BadTeam> {
    if count > MAX_MEMBERS { Err(BadTeam::TooManyMembers(count)) } else { Ok(()) }
}

/// Checks each member; `check_member_count` checks how many there are.
pub fn check_members(members: &[TeamMember]) -> Result<(), BadTeam> {
    let mut known = BTreeSet::new();
    for (i, member) in members.iter().enumerate() {
        if !known.insert(member.account_id) {
            return Err(BadTeam::MemberTwice(i));
        }
        if member.capacity.is_some_and(|capacity| !(0..=MAX_CAPACITY).contains(&capacity)) {
            return Err(BadTeam::MemberCapacity(i));
        }
        for (field, skills) in [(Field::Languages, member.languages.len()), (Field::Labels, member.labels.len())] {
            if skills > MAX_SKILLS {
                return Err(BadTeam::TooManySkills(i, field));
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Id;

    fn member(number: u8) -> TeamMember {
        TeamMember {
            account_id: Id::from_bytes([number; 12]),
            capacity: None,
            languages: BTreeSet::new(),
            labels: BTreeSet::new(),
        }
    }

    #[test]
    fn a_language_has_no_region() {
        for (text, code) in [("de", "de"), (" pt_BR", "pt"), ("EN-us", "en"), ("fil", "fil"), ("zh_Hant_TW", "zh")] {
            let language: Language = text.parse().unwrap();
            assert_eq!((language.code(), language.to_string().as_str()), (code, code), "{text}");
            assert_eq!(serde_json::from_str::<Language>(&crate::to_json(&language)).unwrap(), language);
        }
        for text in ["", "d", "german", "d1", "_de", "ää"] {
            assert_eq!(text.parse::<Language>(), Err(NotALanguage), "{text:?}");
        }
    }

    #[test]
    fn names_methods_and_capacities_are_checked() {
        assert_eq!(check_name(" Sales "), Ok("Sales"));
        assert_eq!(check_name(&"ä".repeat(100)), Ok("ä".repeat(100).as_str()));
        for name in ["", " ", "a\nb", &"x".repeat(101)] {
            assert_eq!(check_name(name), Err(BadTeam::Name), "{name:?}");
        }
        assert_eq!(check_method(" Round_Robin "), Ok(AssignmentMethod::RoundRobin));
        assert_eq!(check_method("random"), Err(BadTeam::Method));
        assert_eq!((check_capacity(1), check_capacity(1_000)), (Ok(1), Ok(1_000)));
        assert_eq!((check_capacity(0), check_capacity(1_001)), (Err(BadTeam::Capacity), Err(BadTeam::Capacity)));
    }

    #[test]
    fn members_are_there_once_with_capacities_and_skills_within_their_limits() {
        assert_eq!(check_members(&[member(1), member(2)]), Ok(()));
        assert_eq!(check_members(&[TeamMember { capacity: Some(0), ..member(1) }]), Ok(()));
        let refused = |members: &[TeamMember]| check_members(members).unwrap_err();
        assert_eq!((check_member_count(200), check_member_count(201)), (Ok(()), Err(BadTeam::TooManyMembers(201))));
        assert_eq!(refused(&[member(1), member(1)]), BadTeam::MemberTwice(1));
        for capacity in [-1, 1_001] {
            assert_eq!(refused(&[TeamMember { capacity: Some(capacity), ..member(1) }]), BadTeam::MemberCapacity(0));
        }
        let labels = (0..51).map(|number| Id::from_bytes([number; 12])).collect();
        let unskilled = refused(&[member(1), TeamMember { labels, ..member(2) }]);
        assert_eq!(unskilled, BadTeam::TooManySkills(1, Field::Labels));
        assert_eq!(unskilled.place().to_string(), "members[1].labels");
    }

    #[test]
    fn a_member_without_a_capacity_has_that_of_the_team() {
        let own = TeamMember { capacity: Some(3), ..member(2) };
        let named = Team { id: Id::from_bytes([9; 12]), name: "Sales".into() };
        let settings = TeamSettings { capacity: 7, ..TeamSettings::new(named.clone(), Timestamp::from_seconds(0)) };
        let team = TeamRouting { settings, members: vec![member(1), own.clone()] };
        assert_eq!((team.team(), team.id()), (named.clone(), named.id));
        assert_eq!((team.capacity_of(&member(1)), team.capacity_of(&own)), (7, 3));
        assert_eq!((team.member(own.account_id), team.member(Id::from_bytes([5; 12]))), (Some(&own), None));
    }
}
