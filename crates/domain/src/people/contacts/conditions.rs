//! Conditions of lists and segments: V1's eight operators on attributes and on the contact's own name and number.

use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::own_names::{OWN_NAME, OWN_PHONE};
use super::view::{Attributes, ContactView};
use crate::base::fold::fold;
use crate::people::phone::PhoneNumber;

/// One condition of V1's `attribute` filter, or of a segment.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Condition {
    pub name: String,
    pub operator: ConditionOperator,
    pub value: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum ConditionOperator {
    #[serde(rename = "contain")]
    Contain,
    #[serde(rename = "notContain")]
    NotContain,
    #[serde(rename = "exist")]
    Exist,
    #[serde(rename = "notExist")]
    NotExist,
    #[serde(rename = "==")]
    Equal,
    #[serde(rename = "!=")]
    NotEqual,
    #[serde(rename = "valid")]
    Valid,
    #[serde(rename = "invalid")]
    Invalid,
}

/// What a condition compares.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::people) enum Compared<'a> {
    OwnName,
    OwnPhone,
    Attribute(&'a str),
}

/// The error message for an unknown operator.
pub const OPERATORS: &str = "expected contain, notContain, exist, notExist, ==, !=, valid or invalid";

impl FromStr for ConditionOperator {
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
    /// A condition as a client writes it. A phone number may be formatted, such as `+1 (415) 555-2671`; the condition
    /// has its digits.
    pub fn new(name: String, operator: ConditionOperator, value: String) -> Self {
        let condition = Self { name, operator, value };
        if condition.compared() != Compared::OwnPhone {
            return condition;
        }
        let is_sign = |c: char| matches!(c, '+' | ' ' | '-' | '.' | '(' | ')' | '\u{a0}');
        let whole = matches!(operator, ConditionOperator::Equal | ConditionOperator::NotEqual);
        let spelled = PhoneNumber::spelled(&condition.value).filter(|_| whole);
        let value = spelled.unwrap_or_else(|| condition.value.replace(is_sign, ""));
        Self { value, ..condition }
    }

    pub(in crate::people) fn compared(&self) -> Compared<'_> {
        match self.name.as_str() {
            OWN_NAME => Compared::OwnName,
            OWN_PHONE => Compared::OwnPhone,
            name => Compared::Attribute(name),
        }
    }

    /// True if the condition holds for the contact with these attributes.
    pub(super) fn holds_for(&self, contact: &ContactView<'_>, attributes: &Attributes<'_>) -> bool {
        match self.compared() {
            Compared::OwnName => self.holds(Some(contact.name).filter(|name| !name.is_empty())),
            Compared::OwnPhone => self.holds(contact.phone),
            Compared::Attribute(name) => self.holds(attributes.value(name)),
        }
    }

    /// For a negation, the condition that holds exactly where this one does not; None for any other condition.
    pub fn negated(&self) -> Option<Self> {
        let operator = match self.operator {
            ConditionOperator::NotContain => ConditionOperator::Contain,
            ConditionOperator::NotExist => ConditionOperator::Exist,
            ConditionOperator::NotEqual => ConditionOperator::Equal,
            ConditionOperator::Invalid => ConditionOperator::Valid,
            ConditionOperator::Contain
            | ConditionOperator::Exist
            | ConditionOperator::Equal
            | ConditionOperator::Valid => return None,
        };
        Some(Self { operator, ..self.clone() })
    }

    /// True if the condition holds for this value of the attribute. `valid` means present and not blank.
    pub fn holds(&self, value: Option<&str>) -> bool {
        let contains = || value.is_some_and(|value| fold(value).contains(&fold(&self.value)));
        let usable = || value.is_some_and(|value| !value.trim().is_empty());
        match self.operator {
            ConditionOperator::Contain => contains(),
            ConditionOperator::NotContain => !contains(),
            ConditionOperator::Exist => value.is_some(),
            ConditionOperator::NotExist => value.is_none(),
            ConditionOperator::Equal => value == Some(self.value.as_str()),
            ConditionOperator::NotEqual => value != Some(self.value.as_str()),
            ConditionOperator::Valid => usable(),
            ConditionOperator::Invalid => !usable(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_eight_operators() {
        let (berlin, blank, none) = (Some("Berlin"), Some(" "), None);
        for (value, operator, wanted, expected) in [
            (berlin, "contain", "ERL", true),
            (berlin, "notContain", "erl", false),
            (none, "notContain", "1", true),
            (berlin, "exist", "", true),
            (none, "notExist", "", true),
            (berlin, "==", "Berlin", true),
            (berlin, "==", "berlin", false),
            (berlin, "!=", "Paris", true),
            (none, "!=", "Paris", true),
            (blank, "valid", "", false),
            (blank, "invalid", "", true),
        ] {
            let operator = operator.parse().unwrap();
            let condition = Condition { name: "city".to_owned(), operator, value: wanted.to_owned() };
            assert_eq!(condition.holds(value), expected, "{condition:?} {value:?}");
        }
    }

    #[test]
    fn each_operator_with_a_value_a_blank_one_and_none() {
        let holds = |operator: &str, wanted: &str, value: Option<&str>| {
            let condition =
                Condition { name: "city".into(), operator: operator.parse().unwrap(), value: wanted.to_owned() };
            condition.holds(value)
        };
        // The results are for the values "Berlin" and " ", and for an absent attribute.
        for (operator, wanted, expected) in [
            ("contain", "erl", [true, false, false]),
            ("contain", "", [true, true, false]),
            ("notContain", "erl", [false, true, true]),
            ("exist", "", [true, true, false]),
            ("notExist", "", [false, false, true]),
            ("==", "Berlin", [true, false, false]),
            ("!=", "Berlin", [false, true, true]),
            ("valid", "", [true, false, false]),
            ("invalid", "", [false, true, true]),
        ] {
            let found = [Some("Berlin"), Some(" "), None].map(|value| holds(operator, wanted, value));
            assert_eq!(found, expected, "{operator} {wanted:?}");
        }
    }

    #[test]
    fn operators_are_stored_by_the_names_that_callers_write() {
        for name in ["contain", "notContain", "exist", "notExist", "==", "!=", "valid", "invalid"] {
            let operator: ConditionOperator = name.parse().unwrap();
            assert_eq!(serde_json::to_value(operator).unwrap(), name);
            assert_eq!(serde_json::from_value::<ConditionOperator>(name.into()).unwrap(), operator);
            assert!(OPERATORS.contains(name));
        }
        for bad in ["", "=", "CONTAIN", "contains", "not_exist"] {
            assert_eq!(bad.parse::<ConditionOperator>(), Err(()), "{bad}");
        }
    }
}
