//! Errors in settings, and the layer that a value came from. Errors never contain the value of a secret.

use std::fmt;
use std::path::PathBuf;

/// The layer that a value came from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    Default,
    File(PathBuf),
    Env(String),
    Flag(&'static str),
}

impl Source {
    /// The layer's name.
    pub fn layer(&self) -> &'static str {
        match self {
            Self::Default => "default",
            Self::File(_) => "file",
            Self::Env(_) => "env",
            Self::Flag(_) => "flag",
        }
    }

    /// Which file, variable or flag; nothing for a default.
    pub fn place(&self) -> Option<String> {
        match self {
            Self::Default => None,
            Self::File(path) => Some(path.display().to_string()),
            Self::Env(name) => Some(name.clone()),
            Self::Flag(name) => Some((*name).to_owned()),
        }
    }
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.layer())?;
        self.place().map_or(Ok(()), |place| write!(f, " {place}"))
    }
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SettingsError {
    #[error("cannot read the config file {} (named by {named_by}): {reason}", path.display())]
    File { path: PathBuf, named_by: &'static str, reason: String },
    #[error("the config file {} is not valid TOML at line {line}, column {column}: {reason}", path.display())]
    Syntax { path: PathBuf, line: usize, column: usize, reason: String },
    #[error("unknown setting {key} in the config file {}{hint}", path.display())]
    UnknownKey { key: String, path: PathBuf, hint: String },
    /// Only reached when a kind allows more than its field's type, because every value was validated before.
    #[error("a setting has the wrong type {0}")]
    Type(String),
    #[error(transparent)]
    Invalid(Box<InvalidSetting>),
}

impl From<InvalidSetting> for SettingsError {
    fn from(invalid: InvalidSetting) -> Self {
        Self::Invalid(Box::new(invalid))
    }
}

/// A setting with an invalid value.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("wrong setting {setting}{} (from {origin}): {problem}; allowed: {allowed}", assignment(value.as_ref()))]
pub struct InvalidSetting {
    pub setting: String,
    pub origin: Source,
    /// The value as given, quoted; absent for secrets and missing values.
    pub value: Option<String>,
    pub problem: String,
    pub allowed: String,
}

fn assignment(value: Option<&String>) -> String {
    value.map_or_else(String::new, |value| format!(" = {value}"))
}

/// An invalid value as its kind reports it, without the setting and the layer, which `layers.rs` adds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Problem {
    /// Path inside a structured value, such as `[0].audience`; empty for the value itself.
    pub at: String,
    pub value: Option<String>,
    pub what: String,
    /// What is allowed there, if the setting's own text is too general.
    pub allowed: Option<String>,
}

impl Problem {
    pub fn new(what: impl Into<String>) -> Self {
        Self { at: String::new(), value: None, what: what.into(), allowed: None }
    }

    pub fn at(mut self, at: impl Into<String>) -> Self {
        self.at = at.into();
        self
    }

    pub fn value(mut self, value: &str) -> Self {
        self.value = Some(quoted(value));
        self
    }

    pub fn allowed(mut self, allowed: impl Into<String>) -> Self {
        self.allowed = Some(allowed.into());
        self
    }
}

/// A value for an error message: on one line, truncated, without credentials of a URL.
pub(super) fn quoted(value: &str) -> String {
    const LONGEST: usize = 100;
    if value.contains('@') {
        return format!("{:?}", super::secret::mask_url(value));
    }
    let mut short: String = value.chars().take(LONGEST).collect();
    if short.len() < value.len() {
        short.push('…');
    }
    format!("{short:?}")
}
