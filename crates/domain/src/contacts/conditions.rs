//! Conditions of lists and segments: V1's eight operators on attributes.

use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::terms::fold;

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

/// The error for any other operator.
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
        // Of the values "Berlin", " " and of an attribute that is absent.
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
