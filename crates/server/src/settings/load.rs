//! Loads the settings from all layers.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};

use super::error::{SettingsError, Source};
use super::layers;
use super::model::{Flags, Settings};

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
