//! How an import reads the values of its consent column. A value opts a contact in only if it is known to mean that;
//! every other value opts the contact out, because a wrong opt-in costs more than a wrong opt-out.

use serde::{Deserialize, Serialize};

use crate::base::fold::fold;
use crate::{FieldError, Place};

/// Values that opt in, if the import names none.
pub const OPTS_IN: [&str; 16] = [
    "true",
    "t",
    "yes",
    "y",
    "1",
    "on",
    "opted in",
    "opt in",
    "subscribed",
    "granted",
    "agreed",
    "ja",
    "oui",
    "si",
    "sí",
    "sim",
];
/// Values that clearly opt out. Unknown values opt out, too, but the report marks them.
pub const OPTS_OUT: [&str; 17] = [
    "false",
    "f",
    "no",
    "n",
    "0",
    "off",
    "opted out",
    "opt out",
    "unsubscribed",
    "revoked",
    "declined",
    "none",
    "never",
    "nein",
    "non",
    "não",
    "nao",
];
/// Most distinct values that are reported, and most that an import may name.
pub const MAX_CONSENT_VALUES: usize = 50;
/// The name of the list of values in a request.
const OPTED_IN_VALUES: &str = "opted_in_values";
/// Longest reported value, in characters.
const MAX_CHARACTERS: usize = 100;

/// What a value of the consent column means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConsentReading {
    OptedIn,
    OptedOut,
    /// Not recognized: opts out.
    Unknown,
    /// An empty cell: a known contact keeps its consent, a new one is not opted in.
    Empty,
}

impl ConsentReading {
    pub const fn name(self) -> &'static str {
        match self {
            Self::OptedIn => "opted_in",
            Self::OptedOut => "opted_out",
            Self::Unknown => "unknown",
            Self::Empty => "empty",
        }
    }

    /// The consent of a contact that exists already; None leaves it as it is.
    pub const fn decision(self) -> Option<bool> {
        match self {
            Self::OptedIn => Some(true),
            Self::OptedOut | Self::Unknown => Some(false),
            Self::Empty => None,
        }
    }
}

/// A distinct value of the consent column.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ConsentValue {
    /// As first spelled in the file. Values that differ only in letter case, `_` and `-` are the same.
    pub value: String,
    pub rows: i64,
}

/// The consent column of an import: how its values are read, and which were found so far.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct ConsentColumn {
    /// The only values that opt in; None for `OPTS_IN`.
    #[serde(skip_serializing_if = "Option::is_none")]
    opts_in: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    found: Vec<ConsentValue>,
}

/// Why the values that are to opt in are refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadConsentValues {
    #[error("expected at most {MAX_CONSENT_VALUES} values")]
    TooMany,
    #[error("{1:?} opts out, whatever the file means by it")]
    OptsOut(usize, String),
}

impl FieldError for BadConsentValues {
    fn place(&self) -> Place {
        let list = Place::named(OPTED_IN_VALUES);
        match self {
            Self::TooMany => list,
            Self::OptsOut(index, _) => list.at(*index),
        }
    }
}

impl ConsentColumn {
    /// A column in which only these values opt in. None of them may be a word of `OPTS_OUT`: in doubt "no" wins.
    pub fn opting_in(values: Option<&[String]>) -> Result<Self, BadConsentValues> {
        let Some(values) = values else { return Ok(Self::default()) };
        if values.len() > MAX_CONSENT_VALUES {
            return Err(BadConsentValues::TooMany);
        }
        let keys: Vec<String> = values.iter().map(|value| key(value)).collect();
        if let Some(index) = keys.iter().position(|key| OPTS_OUT.contains(&key.as_str())) {
            return Err(BadConsentValues::OptsOut(index, values[index].clone()));
        }
        Ok(Self { opts_in: Some(keys), found: Vec::new() })
    }

    /// The stored form; empty for the default column.
    pub fn to_text(&self) -> String {
        if *self == Self::default() { String::new() } else { crate::to_json(self) }
    }

    /// None if the text is not the stored form of a column.
    pub fn from_text(text: &str) -> Option<Self> {
        if text.is_empty() { Some(Self::default()) } else { serde_json::from_str(text).ok() }
    }

    pub fn read(&self, value: &str) -> ConsentReading {
        let value = key(value);
        let opts_in = match &self.opts_in {
            Some(named) => named.contains(&value),
            None => OPTS_IN.contains(&value.as_str()),
        };
        if value.is_empty() {
            ConsentReading::Empty
        } else if opts_in {
            ConsentReading::OptedIn
        } else if OPTS_OUT.contains(&value.as_str()) {
            ConsentReading::OptedOut
        } else {
            ConsentReading::Unknown
        }
    }

    /// True if both read every value the same way.
    pub fn reads_like(&self, other: &Self) -> bool {
        self.opts_in == other.opts_in
    }

    /// The values found so far with their readings, in the order of their first rows.
    pub fn found(&self) -> impl Iterator<Item = (&ConsentValue, ConsentReading)> {
        self.found.iter().map(|found| (found, self.read(&found.value)))
    }

    /// Counts the values of more rows.
    pub fn count<'a>(&mut self, values: impl Iterator<Item = &'a str>) {
        for value in values {
            let value: String = value.trim().chars().take(MAX_CHARACTERS).collect();
            let same = |found: &ConsentValue| found.value == value;
            let alike = |found: &ConsentValue| key(&found.value) == key(&value);
            let place = self.found.iter().position(same).or_else(|| self.found.iter().position(alike));
            if let Some(place) = place {
                self.found[place].rows += 1;
            } else if self.found.len() < MAX_CONSENT_VALUES {
                self.found.push(ConsentValue { value, rows: 1 });
            }
        }
    }

    /// The same column before its first row.
    #[must_use]
    pub fn without_found(self) -> Self {
        Self { found: Vec::new(), ..self }
    }
}

/// The form in which values are compared.
fn key(value: &str) -> String {
    fold(value.trim()).replace(['_', '-'], " ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_known_values_opt_in() {
        let usual = ConsentColumn::default();
        for (value, reading) in [
            ("yes", ConsentReading::OptedIn),
            (" TRUE ", ConsentReading::OptedIn),
            ("Opted-In", ConsentReading::OptedIn),
            ("SÍ", ConsentReading::OptedIn),
            ("no", ConsentReading::OptedOut),
            ("Opted_out", ConsentReading::OptedOut),
            ("maybe", ConsentReading::Unknown),
            ("not yes", ConsentReading::Unknown),
            ("", ConsentReading::Empty),
            ("  ", ConsentReading::Empty),
        ] {
            assert_eq!(usual.read(value), reading, "{value}");
        }
        assert!(OPTS_IN.iter().all(|word| !OPTS_OUT.contains(word) && key(word) == *word));
        assert!(OPTS_OUT.iter().all(|word| key(word) == *word));
    }

    #[test]
    fn named_values_replace_the_usual_ones() {
        let named = ConsentColumn::opting_in(Some(&["Double-Opt-In".to_owned(), "web form".to_owned()])).unwrap();
        assert_eq!(named.read("double opt in"), ConsentReading::OptedIn);
        assert_eq!(named.read("No"), ConsentReading::OptedOut);
        assert_eq!(named.read("yes"), ConsentReading::Unknown);
        let none = ConsentColumn::opting_in(Some(&[])).unwrap();
        assert_eq!(none.read("yes").decision(), Some(false));
        assert_eq!((none.read("").decision(), none.reads_like(&named)), (None, false));
    }

    #[test]
    fn a_value_that_opts_out_cannot_be_named_to_opt_in() {
        for word in ["no", " NO", "Opted-Out", "0", "nein"] {
            let refused = ConsentColumn::opting_in(Some(&["yes".to_owned(), word.to_owned()])).unwrap_err();
            assert_eq!(refused, BadConsentValues::OptsOut(1, word.to_owned()));
            assert_eq!(refused.place().to_string(), "opted_in_values[1]");
        }
        let many = vec!["x".to_owned(); MAX_CONSENT_VALUES + 1];
        assert_eq!(ConsentColumn::opting_in(Some(&many)), Err(BadConsentValues::TooMany));
    }

    #[test]
    fn values_are_counted_without_regard_to_spelling_and_bounded() {
        let mut column = ConsentColumn::default();
        column.count(["Yes", "no", "YES ", "", "no", "x"].into_iter());
        let found: Vec<_> = column.found().map(|(one, read)| (one.value.as_str(), one.rows, read.name())).collect();
        assert_eq!(found, [("Yes", 2, "opted_in"), ("no", 2, "opted_out"), ("", 1, "empty"), ("x", 1, "unknown")]);
        for column in [&column, &ConsentColumn::opting_in(Some(&[])).unwrap(), &ConsentColumn::default()] {
            assert_eq!(ConsentColumn::from_text(&column.to_text()).as_ref(), Some(column));
        }
        let many: Vec<String> = (0..80).map(|n| format!("value {n}")).collect();
        column.count(many.iter().map(String::as_str));
        assert_eq!(column.found().count(), MAX_CONSENT_VALUES);
        assert_eq!(column.without_found(), ConsentColumn::default());
    }
}
