//! A contact, the data that a business keeps about it, and the limits of that data.

use serde::{Deserialize, Serialize};

use crate::people::bsuid::Bsuid;
use crate::people::phone::PhoneNumber;
use crate::{ContactId, Field, FieldError, Id, LabelId, Place, SegmentId, TeamId, Timestamp};

/// An attribute that the business stores about a contact.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, crate::base::schema::ToSchema)]
pub struct CustomParam {
    #[schema(example = "city")]
    pub name: String,
    #[schema(example = "Berlin")]
    pub value: String,
}

/// A team of the business that looks after a contact.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Team {
    pub id: TeamId,
    pub name: String,
}

/// Whether the business may write first, with time and source of the last decision.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Consent {
    pub opted_in: bool,
    pub source: Option<String>,
    pub at: Option<Timestamp>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Contact {
    pub id: ContactId,
    pub bsuid: String,
    pub parent_bsuid: String,
    /// The handle that the person was seen with last.
    pub username: Option<String>,
    /// The number that the person was seen with last.
    pub phone: Option<String>,
    pub name: String,
    /// Where the contact came from: `API`, `IMPORT`, `WHATSAPP`.
    pub source: String,
    pub custom_params: Vec<CustomParam>,
    pub teams: Vec<Team>,
    /// Static segments of the contact. Dynamic segments are computed when they are read.
    pub segments: Vec<SegmentId>,
    #[serde(default)]
    pub labels: Vec<LabelId>,
    pub consent: Consent,
    pub allow_broadcast: bool,
    pub allow_sms: bool,
    pub blocked_at: Option<Timestamp>,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

/// The data of a new contact.
#[derive(Debug, Clone, Default)]
pub struct NewContact {
    pub phone: Option<String>,
    /// The network's id of the person; None: generated.
    pub bsuid: Option<String>,
    pub parent_bsuid: Option<String>,
    pub username: Option<String>,
    pub name: String,
    pub source: String,
    pub custom_params: Vec<CustomParam>,
}

impl Contact {
    /// A generated BSUID has the country of the number; a generated parent has that of the BSUID.
    pub fn new(new: NewContact, now: Timestamp) -> Self {
        let now = now.to_millis();
        let bsuid = new.bsuid.unwrap_or_else(|| Bsuid::generate(&country(new.phone.as_deref())).to_string());
        let country = bsuid.get(..2).unwrap_or_default();
        let parent_bsuid = new.parent_bsuid.unwrap_or_else(|| Bsuid::generate_parent(country).to_string());
        Self {
            id: Id::new(now),
            bsuid,
            parent_bsuid,
            username: new.username,
            phone: new.phone,
            name: new.name,
            source: new.source,
            custom_params: new.custom_params,
            teams: Vec::new(),
            segments: Vec::new(),
            labels: Vec::new(),
            consent: Consent { opted_in: true, source: None, at: None },
            allow_broadcast: true,
            allow_sms: true,
            blocked_at: None,
            created_at: now,
            updated_at: now,
        }
    }

    pub fn param(&self, name: &str) -> Option<&str> {
        self.custom_params.iter().find(|param| param.name == name).map(|param| param.value.as_str())
    }
}

fn country(phone: Option<&str>) -> String {
    let number = phone.and_then(|digits| PhoneNumber::parse(digits).ok());
    number.and_then(|number| number.country()).unwrap_or_default()
}

pub const MAX_NAME_CHARACTERS: usize = 256;
pub const MAX_PARAM_NAME_CHARACTERS: usize = 128;
pub const MAX_PARAM_VALUE_CHARACTERS: usize = 4096;
pub const MAX_PARAMS: usize = 200;
pub const MAX_SOURCE_CHARACTERS: usize = 64;
/// Most characters of all values together, since all of them are indexed.
pub const MAX_PARAMS_CHARACTERS: usize = 16_384;
pub const MAX_TEAMS: usize = 50;
pub const MAX_TEAM_NAME_CHARACTERS: usize = 100;

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadContact {
    #[error("{0} characters, at most {MAX_NAME_CHARACTERS}")]
    NameTooLong(usize),
    #[error("must not contain control characters")]
    NameControl,
    #[error("expected at most {MAX_SOURCE_CHARACTERS} characters, no control characters")]
    Source,
    #[error("{0} entries, at most {MAX_PARAMS}")]
    TooManyParams(usize),
    #[error("{0} characters together, at most {MAX_PARAMS_CHARACTERS}")]
    ParamsTooLong(usize),
    #[error("expected 1 to {MAX_PARAM_NAME_CHARACTERS} characters")]
    ParamName(usize),
    #[error("expected at most {MAX_PARAM_VALUE_CHARACTERS} characters")]
    ParamValue(usize),
    #[error("must not contain a NUL character")]
    ParamNul(usize, Field),
    #[error("{1:?} appears twice")]
    ParamTwice(usize, String),
    #[error("{0} names, at most {MAX_TEAMS}")]
    TooManyTeams(usize),
    #[error("expected 1 to {MAX_TEAM_NAME_CHARACTERS} characters")]
    TeamName(usize),
}

impl FieldError for BadContact {
    fn place(&self) -> Place {
        match self {
            Self::NameTooLong(_) | Self::NameControl => Field::Name.into(),
            Self::Source => Field::SourceType.into(),
            Self::TooManyParams(_) | Self::ParamsTooLong(_) => Field::Attributes.into(),
            Self::ParamName(i) | Self::ParamTwice(i, _) => Field::Attributes.at(*i).member(Field::Name),
            Self::ParamValue(i) => Field::Attributes.at(*i).member(Field::Value),
            Self::ParamNul(i, field) => Field::Attributes.at(*i).member(*field),
            Self::TooManyTeams(_) => Field::Teams.into(),
            Self::TeamName(i) => Field::Teams.at(*i),
        }
    }
}

/// Checks the name and the attributes of a contact.
pub fn check(name: &str, params: &[CustomParam]) -> Result<(), BadContact> {
    let characters = name.chars().count();
    if characters > MAX_NAME_CHARACTERS {
        return Err(BadContact::NameTooLong(characters));
    }
    if name.chars().any(char::is_control) {
        return Err(BadContact::NameControl);
    }
    check_params(params)
}

/// Checks the source of a contact, as a client names it.
pub fn check_source(source: &str) -> Result<(), BadContact> {
    let fits = source.chars().count() <= MAX_SOURCE_CHARACTERS && !source.chars().any(char::is_control);
    if fits { Ok(()) } else { Err(BadContact::Source) }
}

/// Checks attributes, either of a request or all of a contact.
pub fn check_params(params: &[CustomParam]) -> Result<(), BadContact> {
    if params.len() > MAX_PARAMS {
        return Err(BadContact::TooManyParams(params.len()));
    }
    params.iter().enumerate().try_for_each(|(i, param)| check_param(i, param, &params[..i]))?;
    let characters = params.iter().map(|param| param.value.chars().count()).sum();
    if characters > MAX_PARAMS_CHARACTERS { Err(BadContact::ParamsTooLong(characters)) } else { Ok(()) }
}

fn check_param(i: usize, param: &CustomParam, earlier: &[CustomParam]) -> Result<(), BadContact> {
    if !(1..=MAX_PARAM_NAME_CHARACTERS).contains(&param.name.chars().count()) {
        return Err(BadContact::ParamName(i));
    }
    if param.value.chars().count() > MAX_PARAM_VALUE_CHARACTERS {
        return Err(BadContact::ParamValue(i));
    }
    for (field, text) in [(Field::Name, &param.name), (Field::Value, &param.value)] {
        if text.contains('\0') {
            return Err(BadContact::ParamNul(i, field));
        }
    }
    let twice = earlier.iter().any(|other| other.name == param.name);
    if twice { Err(BadContact::ParamTwice(i, param.name.clone())) } else { Ok(()) }
}

pub fn check_teams(names: &[String]) -> Result<(), BadContact> {
    if names.len() > MAX_TEAMS {
        return Err(BadContact::TooManyTeams(names.len()));
    }
    let fits = |name: &String| (1..=MAX_TEAM_NAME_CHARACTERS).contains(&name.trim().chars().count());
    names.iter().position(|name| !fits(name)).map_or(Ok(()), |i| Err(BadContact::TeamName(i)))
}

/// Updates attributes by name; new ones are appended.
pub fn merge_params(present: &mut Vec<CustomParam>, update: &[CustomParam]) {
    for param in update {
        match present.iter_mut().find(|known| known.name == param.name) {
            Some(known) => known.value.clone_from(&param.value),
            None => present.push(param.clone()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn params(pairs: &[(&str, &str)]) -> Vec<CustomParam> {
        pairs.iter().map(|(n, v)| CustomParam { name: (*n).to_owned(), value: (*v).to_owned() }).collect()
    }

    #[test]
    fn bad_contacts_name_the_field() {
        assert_eq!(check(&"x".repeat(257), &[]), Err(BadContact::NameTooLong(257)));
        let twice = params(&[("a", "1"), ("a", "2")]);
        let error = check("x", &twice).unwrap_err();
        assert_eq!(error.place(), Field::Attributes.at(1).member(Field::Name));
        assert_eq!(error.to_string(), "\"a\" appears twice");
        assert_eq!(check("x", &params(&[("", "1")])), Err(BadContact::ParamName(0)));
        assert_eq!(check("a\0b", &[]), Err(BadContact::NameControl));
        assert_eq!(check("", &params(&[("a", "\0")])), Err(BadContact::ParamNul(0, Field::Value)));
        let long: Vec<_> = (0..5).map(|n| CustomParam { name: n.to_string(), value: "x".repeat(4096) }).collect();
        assert_eq!(check("", &long), Err(BadContact::ParamsTooLong(20_480)));
        assert_eq!(check_teams(&["Sales".to_owned(), " ".to_owned()]), Err(BadContact::TeamName(1)));
    }

    #[test]
    fn updates_replace_by_name_and_keep_the_rest() {
        let mut present = params(&[("a", "1"), ("b", "2")]);
        merge_params(&mut present, &params(&[("b", "3"), ("c", "4")]));
        assert_eq!(present, params(&[("a", "1"), ("b", "3"), ("c", "4")]));
    }

    #[test]
    fn a_contact_made_by_phone_has_ids_of_its_country() {
        let new = NewContact { phone: Some("5511987654321".to_owned()), ..NewContact::default() };
        let contact = Contact::new(new, Timestamp::from_seconds(1_776_000_000));
        assert!(contact.bsuid.starts_with("BR.") && contact.parent_bsuid.starts_with("BR.ENT."));
        let named = NewContact { bsuid: Some("DE.7".to_owned()), ..NewContact::default() };
        let contact = Contact::new(named, Timestamp::from_seconds(1_776_000_000));
        assert_eq!(contact.bsuid, "DE.7");
        assert!(contact.parent_bsuid.starts_with("DE.ENT."));
    }

    const NOW: Timestamp = Timestamp::from_seconds(1_776_000_000);

    #[test]
    fn a_name_may_be_empty_and_at_most_256_characters_long() {
        assert_eq!(check("", &[]), Ok(()));
        assert_eq!(check(&"ä".repeat(256), &[]), Ok(()));
        assert_eq!(check(&"ä".repeat(257), &[]), Err(BadContact::NameTooLong(257)));
    }

    #[test]
    fn each_limit_of_parameters_is_allowed_and_one_more_is_not() {
        let named = |characters: usize| params(&[(&"n".repeat(characters), "v")]);
        assert_eq!(check_params(&named(1)), Ok(()));
        assert_eq!(check_params(&named(128)), Ok(()));
        assert_eq!(check_params(&named(129)), Err(BadContact::ParamName(0)));
        let valued = |characters: usize| params(&[("first", ""), ("n", &"ä".repeat(characters))]);
        assert_eq!(check_params(&valued(4096)), Ok(()));
        assert_eq!(check_params(&valued(4097)), Err(BadContact::ParamValue(1)));
        let many = |count: usize| -> Vec<CustomParam> {
            (0..count).map(|n| CustomParam { name: n.to_string(), value: String::new() }).collect()
        };
        assert_eq!(check_params(&many(200)), Ok(()));
        assert_eq!(check_params(&many(201)), Err(BadContact::TooManyParams(201)));
        let mut together: Vec<_> =
            (0..4).map(|n| CustomParam { name: n.to_string(), value: "ä".repeat(4096) }).collect();
        assert_eq!(check_params(&together), Ok(()), "exactly 16 384");
        together.push(CustomParam { name: "4".to_owned(), value: "x".to_owned() });
        assert_eq!(check_params(&together), Err(BadContact::ParamsTooLong(16_385)));
    }

    #[test]
    fn a_nul_character_is_refused_in_names_and_values() {
        assert_eq!(check_params(&params(&[("a", "1"), ("b\0", "2")])), Err(BadContact::ParamNul(1, Field::Name)));
        assert_eq!(check_params(&params(&[("a", "1"), ("b", "\0")])), Err(BadContact::ParamNul(1, Field::Value)));
        assert_eq!(check_params(&params(&[("a", "line\nbreak")])), Ok(()));
    }

    #[test]
    fn a_contact_has_at_most_fifty_teams_with_names_of_1_to_100_characters() {
        let names = |count: usize| vec!["Sales".to_owned(); count];
        assert_eq!(check_teams(&names(0)), Ok(()));
        assert_eq!(check_teams(&names(50)), Ok(()));
        assert_eq!(check_teams(&names(51)), Err(BadContact::TooManyTeams(51)));
        let called = |name: String| check_teams(&["Sales".to_owned(), name]);
        assert_eq!(called("ä".repeat(100)), Ok(()));
        assert_eq!(called(format!(" {} ", "ä".repeat(100))), Ok(()), "spaces around it do not count");
        assert_eq!(called("ä".repeat(101)), Err(BadContact::TeamName(1)));
        assert_eq!(called(String::new()), Err(BadContact::TeamName(1)));
        assert_eq!(called("x".to_owned()), Ok(()));
    }

    #[test]
    fn a_new_contact_may_be_written_to_and_is_in_no_team_or_segment() {
        let new = NewContact {
            name: "Ada".into(),
            source: "API".into(),
            custom_params: params(&[("a", "1")]),
            ..NewContact::default()
        };
        let contact = Contact::new(new, Timestamp::from_micros(NOW.micros() + 999));
        assert_eq!(contact.consent, Consent { opted_in: true, source: None, at: None });
        assert!(contact.allow_broadcast && contact.allow_sms && contact.blocked_at.is_none());
        assert!(contact.teams.is_empty() && contact.segments.is_empty());
        assert_eq!((contact.created_at, contact.updated_at), (NOW, NOW), "cut to milliseconds");
        assert_eq!((contact.name.as_str(), contact.source.as_str()), ("Ada", "API"));
        assert!(contact.bsuid.starts_with("ZZ.") && contact.parent_bsuid.starts_with("ZZ.ENT."), "no country is known");
    }

    #[test]
    fn ids_of_the_network_are_kept() {
        let new = NewContact {
            phone: Some("14155552671".into()),
            bsuid: Some("DE.7".into()),
            parent_bsuid: Some("FR.ENT.8".into()),
            username: Some("ada".into()),
            ..NewContact::default()
        };
        let contact = Contact::new(new, NOW);
        assert_eq!((contact.bsuid.as_str(), contact.parent_bsuid.as_str()), ("DE.7", "FR.ENT.8"));
        assert_eq!((contact.phone.as_deref(), contact.username.as_deref()), (Some("14155552671"), Some("ada")));
    }

    #[test]
    fn a_parameter_is_found_by_its_exact_name() {
        let new = NewContact { custom_params: params(&[("city", "Bern"), ("tier", "gold")]), ..NewContact::default() };
        let contact = Contact::new(new, NOW);
        assert_eq!((contact.param("tier"), contact.param("city")), (Some("gold"), Some("Bern")));
        assert_eq!((contact.param("Tier"), contact.param("")), (None, None));
    }
}
