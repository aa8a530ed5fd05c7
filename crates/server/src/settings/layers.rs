//! The four layers of settings: defaults, config file, environment, flags, merged by figment in this order. Values are
//! validated by their kinds.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use domain::suggest;
use figment::value::{Dict, Empty, Map, Tag, Value as Found};
use figment::{Figment, Metadata, Profile, Provider};
use serde::{Deserialize, Deserializer};
use toml::{Table, Value};

use super::catalogue::{self, CATALOGUE, ENV_PREFIX, Setting};
use super::error::{InvalidSetting, Problem, SettingsError, Source};
use super::{BUILD_VARIABLE, CHANNEL_VARIABLES, CONFIG_ENV, DEFAULT_CONFIG_FILE, Flags, Settings, TOKEN_VARIABLE};

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

/// One validated value of one layer, for figment.
struct Given<'a> {
    key: &'static str,
    value: Found,
    source: &'a Source,
}

impl Provider for Given<'_> {
    fn metadata(&self) -> Metadata {
        self.source.metadata()
    }

    fn data(&self) -> figment::error::Result<Map<Profile, Dict>> {
        let nested = figment::util::nest(self.key, self.value.clone());
        Ok(Profile::Default.collect(nested.into_dict().unwrap_or_default()))
    }
}

/// The values merged so far; an unset optional setting has an empty value.
pub(super) struct Merged(Figment);

impl Merged {
    pub fn new() -> Self {
        Self(Figment::new())
    }

    pub fn add_defaults(&mut self) -> Result<(), SettingsError> {
        for setting in &CATALOGUE {
            match setting.default.value() {
                Some(value) => self.set(setting, &value, &Source::Default)?,
                None => self.put(setting, unset(), &Source::Default),
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
            self.put(setting, unset(), source);
            return Ok(());
        }
        let value = setting.kind.canonical(value).map_err(|problem| invalid(setting, source, problem))?;
        let found = Found::serialize(wrapped(setting, value)).map_err(|error| wrong_type(&error))?;
        self.put(setting, found, source);
        Ok(())
    }

    fn put(&mut self, setting: &Setting, value: Found, source: &Source) {
        let weaker = std::mem::take(&mut self.0);
        self.0 = weaker.merge(Given { key: setting.key, value, source });
    }

    /// The typed settings, each with its source.
    pub fn finish(self) -> Result<(Settings, BTreeMap<String, Source>), SettingsError> {
        self.check_one_key()?;
        let settings = self.0.extract().map_err(|error| wrong_type(&error))?;
        Ok((settings, self.sources()))
    }

    fn sources(&self) -> BTreeMap<String, Source> {
        let mut sources = BTreeMap::new();
        for setting in &CATALOGUE {
            match self.0.find_value(setting.key) {
                Ok(Found::Dict(_, members)) if setting.is_merged_by_member() => sources.extend(
                    members.iter().map(|(name, member)| (format!("{}.{name}", setting.key), self.source(member.tag()))),
                ),
                Ok(value) => drop(sources.insert(setting.key.to_owned(), self.source(value.tag()))),
                Err(_) => {}
            }
        }
        sources
    }

    fn source(&self, tag: Tag) -> Source {
        self.0.get_metadata(tag).map_or(Source::Default, Source::of)
    }

    /// Refuses `secret_key` and `secret_key_file` together.
    fn check_one_key(&self) -> Result<(), SettingsError> {
        let given = |key: &str| self.0.find_value(key).ok().filter(|value| !matches!(value, Found::Empty(..)));
        let (Some(key), Some(file)) = (given("secret_key"), given("secret_key_file")) else {
            return Ok(());
        };
        Err(SettingsError::from(InvalidSetting {
            setting: "secret_key_file".to_owned(),
            origin: self.source(file.tag()),
            value: None,
            problem: format!("secret_key is set too (from {})", self.source(key.tag())),
            allowed: "one of the two; an empty value unsets the other".to_owned(),
        }))
    }
}

fn unset() -> Found {
    Found::Empty(Tag::Default, Empty::None)
}

/// figment merges tables member by member. A table that is replaced as a whole is wrapped in a list of one element,
/// which figment does not merge; [`whole_table`] and [`whole_members`] unwrap it.
fn wrapped(setting: &Setting, value: Value) -> Value {
    match value {
        Value::Table(members) if setting.is_merged_by_member() => {
            Value::Table(members.into_iter().map(|(name, member)| (name, whole(member))).collect())
        }
        value => whole(value),
    }
}

fn whole(value: Value) -> Value {
    if value.is_table() { Value::Array(vec![value]) } else { value }
}

pub(super) fn whole_table<'de, D: Deserializer<'de>, T: Deserialize<'de>>(value: D) -> Result<T, D::Error> {
    let [table] = <[T; 1]>::deserialize(value)?;
    Ok(table)
}

pub(super) fn whole_members<'de, D, T>(value: D) -> Result<BTreeMap<String, T>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    let members = BTreeMap::<String, [T; 1]>::deserialize(value)?;
    Ok(members.into_iter().map(|(name, [member])| (name, member)).collect())
}

/// Only reached when a kind allows more than its field's type, because every value was validated before.
fn wrong_type(error: &figment::Error) -> SettingsError {
    let setting = error.path.join(".");
    let origin = error.metadata.as_ref().map_or(Source::Default, Source::of);
    let allowed = catalogue::find(&setting).map_or_else(String::new, |setting| setting.kind.allowed());
    let problem = "it has the wrong type".to_owned();
    SettingsError::from(InvalidSetting { setting, origin, value: None, problem, allowed })
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
