//! The four layers of settings: defaults, config file, environment, flags, merged in this order. Values are validated
//! by their kinds.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use domain::base::suggest;
use toml::{Table, Value};

use super::catalogue::{self, CATALOGUE};
use super::error::{InvalidSetting, Problem, SettingsError, Source};
use super::model::{Flags, Settings};
use super::names::{BUILD_VARIABLE, CHANNEL_VARIABLES, CONFIG_ENV, DEFAULT_CONFIG_FILE, ENV_PREFIX, TOKEN_VARIABLE};
use super::setting::Setting;

/// Environment variables with the prefix `SWITCHBOARD_`.
pub(super) struct Environment(BTreeMap<String, OsString>);

impl Environment {
    /// Ignores variables whose names are not Unicode.
    pub fn read(pairs: impl IntoIterator<Item = (OsString, OsString)>) -> Self {
        let named = pairs.into_iter().filter_map(|(name, value)| Some((name.into_string().ok()?, value)));
        Self(named.filter(|(name, _)| name.starts_with(ENV_PREFIX)).collect())
    }

    /// Unknown variables are warnings, not errors: platforms inject variables with a service's name (Kubernetes:
    /// `SWITCHBOARD_PORT`).
    pub fn warnings(&self) -> Vec<String> {
        let known: Vec<String> = CATALOGUE.iter().map(Setting::env_name).chain([CONFIG_ENV.to_owned()]).collect();
        let endings: Vec<&str> = known.iter().filter_map(|name| name.strip_prefix(ENV_PREFIX)).collect();
        let is_of_another_use =
            |name: &str| [BUILD_VARIABLE, TOKEN_VARIABLE].contains(&name) || CHANNEL_VARIABLES.contains(&name);
        let unknown = self.0.keys().filter(|name| !known.contains(name) && !is_of_another_use(name));
        unknown.map(|name| unknown_variable(name, &endings)).collect()
    }
}

/// The warning for an unknown variable, with a similar name if there is one. Names are compared without their common
/// prefix, which would make all of them similar.
fn unknown_variable(name: &str, endings: &[&str]) -> String {
    let ending = name.strip_prefix(ENV_PREFIX).unwrap_or(name);
    let hint = suggest::nearest(ending, endings.iter().copied());
    let hint = hint.map_or_else(String::new, |ending| format!("; did you mean {ENV_PREFIX}{ending}?"));
    format!("{name} is not a setting{hint}")
}

/// The config file, and what named it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct ConfigFile {
    pub path: PathBuf,
    pub named_by: &'static str,
}

/// A file that a flag or variable names is returned even if it does not exist, so that reading it fails with an error.
pub(super) fn config_file(flags: &Flags, env: &Environment, cwd: &Path) -> Option<ConfigFile> {
    let found = |path: PathBuf, named_by| Some(ConfigFile { path, named_by });
    if let Some(path) = &flags.config {
        return found(path.into(), "--config");
    }
    match env.0.get(CONFIG_ENV).filter(|path| !path.is_empty()) {
        Some(path) => found(path.into(), CONFIG_ENV),
        None if cwd.join(DEFAULT_CONFIG_FILE).exists() => found(DEFAULT_CONFIG_FILE.into(), "the working directory"),
        None => None,
    }
}

/// The parser's message quotes the line, which may contain a secret; the error has only position and reason.
pub(super) fn parse_document(path: &Path, text: &str) -> Result<Table, SettingsError> {
    text.parse().map_err(|error: toml::de::Error| {
        let before = error.span().and_then(|span| text.get(..span.start)).unwrap_or_default();
        SettingsError::Syntax {
            path: path.to_owned(),
            line: before.matches('\n').count() + 1,
            column: before.chars().rev().take_while(|c| *c != '\n').count() + 1,
            reason: error.message().to_owned(),
        }
    })
}

/// The values merged so far. An unset optional setting has a source and no value.
#[derive(Default)]
pub(super) struct Merged {
    /// By name of the table; the top has the empty name.
    tables: BTreeMap<&'static str, Table>,
    /// By key; members of tables that are merged by member have one each.
    sources: BTreeMap<String, Source>,
}

impl Merged {
    pub fn add_defaults(&mut self) -> Result<(), SettingsError> {
        for setting in &CATALOGUE {
            match setting.default.value() {
                Some(value) => self.set(setting, &value, &Source::Default)?,
                None => self.unset(setting, &Source::Default),
            }
        }
        Ok(())
    }

    pub fn add_file(&mut self, path: &Path, document: &Table) -> Result<(), SettingsError> {
        self.add_section(path, "", document)
    }

    fn add_section(&mut self, path: &Path, section: &str, table: &Table) -> Result<(), SettingsError> {
        for (name, value) in table {
            let key = if section.is_empty() { name.clone() } else { format!("{section}.{name}") };
            // A quoted name that contains a dot is not a path.
            let setting = if name.contains('.') { None } else { catalogue::find(&key) };
            if let Some(setting) = setting {
                self.set(setting, value, &Source::File(path.to_owned()))?;
            } else if catalogue::is_section(&key) {
                self.add_section(path, &key, section_table(path, &key, value)?)?;
            } else {
                let hint = suggest::hint(&key, catalogue::keys_and_sections());
                return Err(SettingsError::UnknownKey { key, path: path.to_owned(), hint });
            }
        }
        Ok(())
    }

    pub fn add_env(&mut self, env: &Environment) -> Result<(), SettingsError> {
        for setting in &CATALOGUE {
            let name = setting.env_name();
            if let Some(value) = env.0.get(&name) {
                self.set_text(setting, value.to_str(), &Source::Env(name))?;
            }
        }
        Ok(())
    }

    pub fn add_flags(&mut self, flags: &Flags) -> Result<(), SettingsError> {
        for setting in &CATALOGUE {
            if let (Some(flag), Some(text)) = (setting.flag, flags.value(setting.key)) {
                self.set_text(setting, Some(text), &Source::Flag(flag))?;
            }
        }
        Ok(())
    }

    fn set_text(&mut self, setting: &Setting, text: Option<&str>, source: &Source) -> Result<(), SettingsError> {
        let value =
            text.ok_or_else(|| Problem::new("it is not UTF-8")).and_then(|text| setting.kind.value_of_text(text));
        self.set(setting, &value.map_err(|problem| invalid(setting, source, problem))?, source)
    }

    fn set(&mut self, setting: &Setting, value: &Value, source: &Source) -> Result<(), SettingsError> {
        if setting.is_optional() && value.as_str().is_some_and(str::is_empty) {
            self.unset(setting, source);
            return Ok(());
        }
        let value = setting.kind.canonical(value).map_err(|problem| invalid(setting, source, problem))?;
        match value {
            Value::Table(members) if setting.is_merged_by_member() => {
                for (name, member) in members {
                    self.sources.insert(format!("{}.{name}", setting.key), source.clone());
                    self.tables.entry(setting.key).or_default().insert(name, member);
                }
            }
            value => {
                self.sources.insert(setting.key.to_owned(), source.clone());
                self.tables.entry(setting.section()).or_default().insert(setting.name().to_owned(), value);
            }
        }
        Ok(())
    }

    fn unset(&mut self, setting: &Setting, source: &Source) {
        self.sources.insert(setting.key.to_owned(), source.clone());
        self.tables.entry(setting.section()).or_default().remove(setting.name());
    }

    /// The typed settings, each with its source.
    pub fn finish(mut self) -> Result<(Settings, BTreeMap<String, Source>), SettingsError> {
        self.check_one_key()?;
        let mut values = self.tables.remove("").unwrap_or_default();
        values.extend(self.tables.into_iter().map(|(name, table)| (name.to_owned(), Value::Table(table))));
        // The last line of the message names the setting; the others may hold its value.
        let wrong_type = |error: toml::de::Error| {
            SettingsError::Type(error.to_string().lines().last().unwrap_or_default().to_owned())
        };
        Ok((values.try_into().map_err(wrong_type)?, self.sources))
    }

    /// Refuses `secret_key` and `secret_key_file` together.
    fn check_one_key(&self) -> Result<(), SettingsError> {
        let top = self.tables.get("");
        let source = |key: &str| self.sources.get(key).filter(|_| top.is_some_and(|top| top.contains_key(key)));
        let (Some(key), Some(file)) = (source("secret_key"), source("secret_key_file")) else {
            return Ok(());
        };
        Err(SettingsError::from(InvalidSetting {
            setting: "secret_key_file".to_owned(),
            origin: file.clone(),
            value: None,
            problem: format!("secret_key is set too (from {key})"),
            allowed: "one of the two; an empty value unsets the other".to_owned(),
        }))
    }
}

fn section_table<'a>(path: &Path, key: &str, value: &'a Value) -> Result<&'a Table, SettingsError> {
    value.as_table().ok_or_else(|| {
        let names = CATALOGUE.iter().filter(|setting| setting.section() == key).map(Setting::name);
        SettingsError::from(InvalidSetting {
            setting: key.to_owned(),
            origin: Source::File(path.to_owned()),
            value: None,
            problem: "it is a section, not a value".to_owned(),
            allowed: format!("a table with {}", names.collect::<Vec<_>>().join(", ")),
        })
    })
}

fn invalid(setting: &Setting, source: &Source, problem: Problem) -> SettingsError {
    let dot = if problem.at.is_empty() || problem.at.starts_with('[') { "" } else { "." };
    SettingsError::from(InvalidSetting {
        setting: format!("{}{dot}{}", setting.key, problem.at),
        origin: source.clone(),
        value: problem.value.filter(|_| !setting.kind.is_secret()),
        problem: problem.what,
        allowed: problem.allowed.unwrap_or_else(|| setting.kind.allowed()),
    })
}
