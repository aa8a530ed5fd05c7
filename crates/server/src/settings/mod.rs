//! The settings: one declaration (`model.rs`), four layers (flags over environment variables over a TOML file over
//! defaults), one typed result. Contains names, defaults, validation and documentation; opens
//! neither database nor socket nor log.

mod catalogue;
mod error;
mod hosts;
mod kind;
mod layers;
mod model;
mod plans;
mod secret;
mod show;
mod structured;
#[cfg(test)]
mod tests;
mod text;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::{fmt, io};

pub use error::{InvalidSetting, SettingsError, Source};
pub use model::*;
pub use secret::{DatabaseUrl, Secret};
pub use show::{show, shown};
pub use text::{help_text, sample_toml};

/// Environment variable for the config file, like `--config`.
pub const CONFIG_ENV: &str = "SWITCHBOARD_CONFIG";
/// Config file in the working directory, if neither `--config` nor `SWITCHBOARD_CONFIG` names another.
pub const DEFAULT_CONFIG_FILE: &str = "switchboard.toml";

/// Variable of the build script of `web-console`, not a setting. `SWITCHBOARD_UI=require cargo run` sets it for the
/// server too, which must not warn of it.
pub const BUILD_VARIABLE: &str = "SWITCHBOARD_UI";

/// Variables of `switchboard channel`, not settings: a channel's access token, app secret and verify token.
pub const CHANNEL_VARIABLES: [&str; 3] =
    ["SWITCHBOARD_CHANNEL_ACCESS_TOKEN", "SWITCHBOARD_CHANNEL_APP_SECRET", "SWITCHBOARD_CHANNEL_VERIFY_TOKEN"];

/// Variable of `switchboard listen`, not a setting: the token for another server.
pub const TOKEN_VARIABLE: &str = "SWITCHBOARD_TOKEN";

impl Flags {
    fn value(&self, key: &str) -> Option<&str> {
        self.by_key().find(|(name, _)| *name == key)?.1
    }
}

impl fmt::Debug for Flags {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let is_secret = |key| catalogue::find(key).is_some_and(|setting| setting.kind.is_secret());
        let masked = |key, text: &str| if is_secret(key) { secret::mask_url(text) } else { text.to_owned() };
        let settings = self.by_key().map(|(key, text)| (key, text.map(|text| masked(key, text))));
        f.debug_map().entry(&"config", &self.config).entries(settings).finish()
    }
}

/// The settings in force, with their sources.
#[derive(Debug, Clone)]
pub struct Loaded {
    pub settings: Settings,
    /// By key; plans and networks one by one (`plans.growth`), because each may come from another layer.
    pub sources: BTreeMap<String, Source>,
    /// Warnings for the operator: unknown environment variables with the prefix `SWITCHBOARD_`.
    pub warnings: Vec<String>,
    /// The config file that was read.
    pub file: Option<PathBuf>,
}

/// Reads all layers. Validates every value, also one that a stronger layer overrides, so that removing the override
/// does not reveal a mistake later.
pub fn load(
    flags: &Flags,
    env: impl IntoIterator<Item = (OsString, OsString)>,
    cwd: &Path,
) -> Result<Loaded, SettingsError> {
    let env = layers::Environment::read(env);
    let file = layers::config_file(flags, &env, cwd);
    let document = file.as_ref().map(|file| read_file(&cwd.join(&file.path), file)).transpose()?;

    let mut merged = layers::Merged::default();
    merged.add_defaults()?;
    if let (Some(file), Some(document)) = (&file, &document) {
        merged.add_file(&file.path, document)?;
    }
    merged.add_env(&env)?;
    merged.add_flags(flags)?;
    let (settings, sources) = merged.finish()?;
    Ok(Loaded { settings, sources, warnings: env.warnings(), file: file.map(|file| file.path) })
}

fn read_file(path: &Path, file: &layers::ConfigFile) -> Result<toml::Table, SettingsError> {
    let text = std::fs::read_to_string(path).map_err(|error| SettingsError::File {
        path: file.path.clone(),
        named_by: file.named_by,
        reason: match error.kind() {
            io::ErrorKind::NotFound => "there is no such file".to_owned(),
            _ => error.to_string(),
        },
    })?;
    layers::parse_document(&file.path, &text)
}
