//! `serve --ephemeral`: a data folder that is removed when the server ends.
//!
//! The folder is a new one among the temporary files, with mode 700, and the server holds a lock on a file in it.
//! The folder is removed when the server stops, by an error or by SIGTERM or SIGINT. After `kill -9` it stays; the next
//! ephemeral start of the same user removes each such folder whose lock no process holds. A folder gets its final name
//! only when it is locked, so no start removes one that another start is making.

use std::fs::{self, DirBuilder, File};
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _};
use std::path::{Path, PathBuf};

use anyhow::Context as _;

use crate::output;
use crate::settings::{InvalidSetting, Loaded, SettingsError, Source};

const PREFIX: &str = "switchboard-ephemeral-";
const UNFINISHED_PREFIX: &str = "switchboard-unfinished-";
const LOCK_FILE: &str = "ephemeral.lock";
/// Number of tries to remove the folder: a thread of the database may still be closing its files.
const TRIES: usize = 5;

/// A data folder that is removed when this value is dropped.
#[derive(Debug)]
pub struct EphemeralFolder {
    path: PathBuf,
    _lock: File,
}

impl EphemeralFolder {
    /// Makes a folder in `parent`, and removes those of servers that were killed.
    pub fn create(parent: &Path) -> anyhow::Result<Self> {
        let made = Self::make(parent);
        let folder = made.with_context(|| format!("cannot create a folder in {}", parent.display()))?;
        remove_abandoned(parent, &folder.path);
        Ok(folder)
    }

    fn make(parent: &Path) -> io::Result<Self> {
        let suffix = format!("{:016x}", rand::random::<u64>());
        let unfinished = parent.join(format!("{UNFINISHED_PREFIX}{suffix}"));
        DirBuilder::new().mode(0o700).create(&unfinished)?;
        let lock = File::create_new(unfinished.join(LOCK_FILE))?;
        lock.lock()?;
        let path = parent.join(format!("{PREFIX}{suffix}"));
        fs::rename(&unfinished, &path)?;
        Ok(Self { path, _lock: lock })
    }

    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for EphemeralFolder {
    fn drop(&mut self) {
        let removed = (0..TRIES).any(|_| fs::remove_dir_all(&self.path).is_ok()) || !self.path.exists();
        if !removed {
            output::warn(&format!("could not remove the folder {}", self.path.display()));
        }
    }
}

/// Removes the folders in `parent` that killed servers of this user left. What cannot be read or removed stays.
fn remove_abandoned(parent: &Path, own: &Path) {
    let Ok(user) = fs::symlink_metadata(own).map(|found| found.uid()) else { return };
    let is_abandoned = |path: &Path| {
        let named = path.file_name().and_then(|name| name.to_str()).is_some_and(|name| name.starts_with(PREFIX));
        let ours = fs::symlink_metadata(path).is_ok_and(|found| found.is_dir() && found.uid() == user);
        named && ours && path != own && File::open(path.join(LOCK_FILE)).is_ok_and(|lock| lock.try_lock().is_ok())
    };
    let entries = fs::read_dir(parent).into_iter().flatten().flatten();
    for abandoned in entries.map(|entry| entry.path()).filter(|path| is_abandoned(path)) {
        let _ = fs::remove_dir_all(abandoned);
    }
}

/// Refuses settings that say where data is kept; `option` is what keeps none.
pub fn check(loaded: &Loaded, option: &str) -> Result<(), SettingsError> {
    let given = |key: &str| loaded.sources.get(key).filter(|source| **source != Source::Default);
    let refused = |key: &str, origin: &Source| {
        let problem = format!("{option} keeps no data, but this setting says where to keep it");
        let allowed = format!("one of the two; leave the setting out, or start without {option}");
        let (setting, origin) = (key.to_owned(), origin.clone());
        SettingsError::from(InvalidSetting { setting, origin, value: None, problem, allowed })
    };
    if let Some(origin) = given("data") {
        return Err(refused("data", origin));
    }
    match (&loaded.settings.database, given("database")) {
        (Some(_), Some(origin)) => Err(refused("database", origin)),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;
    use crate::settings::{Flags, load};

    #[test]
    fn a_folder_is_private_and_gone_afterwards() {
        let parent = testkit::database::fresh_folder();
        let folder = EphemeralFolder::create(&parent).unwrap();
        let path = folder.path().to_owned();
        assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o700);
        fs::create_dir(path.join("inner")).unwrap();
        fs::write(path.join("inner/file"), "data").unwrap();
        drop(folder);
        assert_eq!(fs::read_dir(&parent).unwrap().count(), 0);
        let missing = EphemeralFolder::create(&parent.join("missing")).unwrap_err();
        assert!(missing.to_string().contains("missing"), "{missing}");
    }

    #[test]
    fn a_start_removes_folders_of_killed_servers_and_no_others() {
        let parent = testkit::database::fresh_folder();
        let alive = EphemeralFolder::create(&parent).unwrap();
        let killed = parent.join(format!("{PREFIX}killed"));
        fs::create_dir(&killed).unwrap();
        fs::write(killed.join(LOCK_FILE), "").unwrap();
        let (unlocked, other) = (parent.join(format!("{PREFIX}unlocked")), parent.join("switchboard-other"));
        fs::create_dir(&unlocked).unwrap();
        fs::create_dir(&other).unwrap();
        fs::write(other.join(LOCK_FILE), "").unwrap();
        let started = EphemeralFolder::create(&parent).unwrap();
        assert!(!killed.exists());
        assert!(alive.path().exists() && started.path().exists() && unlocked.exists() && other.exists());
    }

    #[test]
    fn settings_that_keep_data_are_refused() {
        const OPTION: &str = "--ephemeral";
        let cwd = testkit::database::fresh_folder();
        let loaded = |flags: Flags, env: &[(&str, &str)]| {
            load(&flags, env.iter().map(|(name, value)| ((*name).into(), (*value).into())), &cwd).unwrap()
        };
        check(&loaded(Flags::default(), &[("SWITCHBOARD_DATABASE", "")]), OPTION).unwrap();
        let data = Flags { data: Some("x".to_owned()), ..Flags::default() };
        let refused = check(&loaded(data, &[]), OPTION).unwrap_err().to_string();
        assert!(refused.contains("wrong setting data (from flag --data)"), "{refused}");
        let refused = check(&loaded(Flags::default(), &[("SWITCHBOARD_DATABASE", "postgres://a:secret@b/c")]), OPTION);
        let refused = refused.unwrap_err().to_string();
        assert!(
            refused.contains("database (from env SWITCHBOARD_DATABASE)") && !refused.contains("secret"),
            "{refused}"
        );
    }
}
