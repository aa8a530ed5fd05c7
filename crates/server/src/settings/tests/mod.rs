mod documents;
mod hosts;
mod masks;
mod precedence;
mod reference;
mod wrong_values;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use super::{Flags, Loaded, SettingsError, load};

/// A working directory of its own for each test, with or without a config file in it.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let name = format!("switchboard-settings-{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        let path = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    fn with(text: &str) -> Self {
        let folder = Self::new();
        folder.write("switchboard.toml", text);
        folder
    }

    fn write(&self, name: &str, text: &str) {
        std::fs::write(self.0.join(name), text).unwrap();
    }

    fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn env(pairs: &[(&str, &str)]) -> Vec<(OsString, OsString)> {
    pairs.iter().map(|(name, value)| (name.into(), value.into())).collect()
}

fn load_all(file: &str, pairs: &[(&str, &str)], flags: &Flags) -> Result<Loaded, SettingsError> {
    load(flags, env(pairs), Folder::with(file).path())
}

fn load_file(file: &str) -> Result<Loaded, SettingsError> {
    load_all(file, &[], &Flags::default())
}

fn load_env(pairs: &[(&str, &str)]) -> Result<Loaded, SettingsError> {
    load_all("", pairs, &Flags::default())
}

fn defaults() -> Loaded {
    load(&Flags::default(), [], Folder::new().path()).unwrap()
}

fn as_json(loaded: &Loaded) -> serde_json::Value {
    serde_json::to_value(&loaded.settings).unwrap()
}
