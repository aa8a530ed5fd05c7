//! Contacts: the people whom a business talks with, and the conditions that lists of them are filtered by.

use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::{Id, Timestamp};

/// A value that the business keeps about a contact, by its own name for it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CustomParam {
    pub name: String,
    pub value: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Contact {
    pub id: Id,
    pub bsuid: String,
    pub parent_bsuid: String,
    pub username: Option<String>,
    pub phone: Option<String>,
    pub name: String,
    /// Where the contact came from: `API`, `IMPORT`, `WHATSAPP`.
    pub source: String,
    pub custom_params: Vec<CustomParam>,
    pub opted_in: bool,
    pub allow_broadcast: bool,
    pub allow_sms: bool,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

pub const MAX_NAME_CHARACTERS: usize = 256;
pub const MAX_PARAM_NAME_CHARACTERS: usize = 128;
pub const MAX_PARAM_VALUE_CHARACTERS: usize = 4096;
pub const MAX_PARAMS: usize = 200;

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadContact {
    #[error("name: {0} characters, at most {MAX_NAME_CHARACTERS}")]
    NameTooLong(usize),
    #[error("customParams: {0} entries, at most {MAX_PARAMS}")]
    TooManyParams(usize),
    #[error("customParams[{0}].name: expected 1 to {MAX_PARAM_NAME_CHARACTERS} characters")]
    ParamName(usize),
    #[error("customParams[{0}].value: more than {MAX_PARAM_VALUE_CHARACTERS} characters")]
    ParamValue(usize),
    #[error("customParams[{0}].name: {1:?} is there twice")]
    ParamTwice(usize, String),
}

/// Is a contact with this name and these parameters acceptable?
pub fn check(name: &str, params: &[CustomParam]) -> Result<(), BadContact> {
    let characters = name.chars().count();
    if characters > MAX_NAME_CHARACTERS {
        return Err(BadContact::NameTooLong(characters));
    }
    if params.len() > MAX_PARAMS {
        return Err(BadContact::TooManyParams(params.len()));
    }
    params.iter().enumerate().try_for_each(|(i, param)| check_param(i, param, &params[..i]))
}

fn check_param(i: usize, param: &CustomParam, earlier: &[CustomParam]) -> Result<(), BadContact> {
    if !(1..=MAX_PARAM_NAME_CHARACTERS).contains(&param.name.chars().count()) {
        return Err(BadContact::ParamName(i));
    }
    if param.value.chars().count() > MAX_PARAM_VALUE_CHARACTERS {
        return Err(BadContact::ParamValue(i));
    }
    let twice = earlier.iter().any(|other| other.name == param.name);
    if twice { Err(BadContact::ParamTwice(i, param.name.clone())) } else { Ok(()) }
}

/// Parameters after an update: named ones replaced, others kept, new ones at the end.
pub fn merge_params(present: &mut Vec<CustomParam>, update: &[CustomParam]) {
    for param in update {
        match present.iter_mut().find(|known| known.name == param.name) {
            Some(known) => known.value.clone_from(&param.value),
            None => present.push(param.clone()),
        }
    }
}

/// One condition of V1's `attribute` filter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Condition {
    pub name: String,
    pub operator: Operator,
    pub value: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operator {
    Contain,
    NotContain,
    Exist,
    NotExist,
    Equal,
    NotEqual,
    Valid,
    Invalid,
}

impl FromStr for Operator {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        Ok(match text {
            "contain" => Self::Contain,
            "notContain" => Self::NotContain,
            "exist" => Self::Exist,
            "notExist" => Self::NotExist,
            "==" => Self::Equal,
            "!=" => Self::NotEqual,
            "valid" => Self::Valid,
            "invalid" => Self::Invalid,
            _ => return Err(()),
        })
    }
}

impl Condition {
    /// `valid` and `invalid` ask whether the attribute holds something that can be used: present and not blank.
    pub fn holds(&self, params: &[CustomParam]) -> bool {
        let value = params.iter().find(|param| param.name == self.name).map(|param| param.value.as_str());
        let contains = value.is_some_and(|value| value.to_lowercase().contains(&self.value.to_lowercase()));
        let usable = value.is_some_and(|value| !value.trim().is_empty());
        match self.operator {
            Operator::Contain => contains,
            Operator::NotContain => !contains,
            Operator::Exist => value.is_some(),
            Operator::NotExist => value.is_none(),
            Operator::Equal => value == Some(self.value.as_str()),
            Operator::NotEqual => value != Some(self.value.as_str()),
            Operator::Valid => usable,
            Operator::Invalid => !usable,
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
    fn the_eight_operators() {
        let has = params(&[("city", "Berlin"), ("note", " ")]);
        for (name, operator, value, expected) in [
            ("city", "contain", "ERL", true),
            ("city", "notContain", "erl", false),
            ("zip", "notContain", "1", true),
            ("city", "exist", "", true),
            ("zip", "notExist", "", true),
            ("city", "==", "Berlin", true),
            ("city", "==", "berlin", false),
            ("city", "!=", "Paris", true),
            ("note", "valid", "", false),
            ("note", "invalid", "", true),
        ] {
            let condition =
                Condition { name: name.to_owned(), operator: operator.parse().unwrap(), value: value.to_owned() };
            assert_eq!(condition.holds(&has), expected, "{condition:?}");
        }
    }

    #[test]
    fn bad_contacts_name_the_member() {
        assert_eq!(check(&"x".repeat(257), &[]), Err(BadContact::NameTooLong(257)));
        let twice = params(&[("a", "1"), ("a", "2")]);
        assert_eq!(check("x", &twice).unwrap_err().to_string(), "customParams[1].name: \"a\" is there twice");
        assert_eq!(check("x", &params(&[("", "1")])), Err(BadContact::ParamName(0)));
    }

    #[test]
    fn updates_replace_by_name_and_keep_the_rest() {
        let mut present = params(&[("a", "1"), ("b", "2")]);
        merge_params(&mut present, &params(&[("b", "3"), ("c", "4")]));
        assert_eq!(present, params(&[("a", "1"), ("b", "3"), ("c", "4")]));
    }
}
