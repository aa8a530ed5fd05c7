//! The installation's secret key: from a setting, from a file, or generated next to a new embedded database. A key is
//! written to its file and nowhere else.

use std::fs::{File, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _};
use std::path::Path;
use std::time::Duration;

use anyhow::{Context as _, bail};
use domain::base::keys::{Keyring, SecretKey};
use store::Location;

use crate::ownership;
use crate::settings::{Secret, Settings};

/// File name in the data folder.
pub const KEY_FILE: &str = "secret.key";
/// Number of tries to read a key file: another process may have created it a moment ago and not written it yet.
const TRIES: u32 = 20;
const BETWEEN_TRIES: Duration = Duration::from_millis(50);

/// The keys in force. None if no key is configured and the embedded database has no key file beside it.
pub fn find(settings: &Settings, location: &Location) -> anyhow::Result<Option<Keyring>> {
    let previous = previous(settings)?;
    Ok(present(settings, location)?.map(|present| Keyring::new(present, previous)))
}

/// Generates the key of a new embedded database, in a file beside it.
pub fn generate(settings: &Settings) -> anyhow::Result<Keyring> {
    Ok(Keyring::new(make(&settings.data.join(KEY_FILE))?, previous(settings)?))
}

fn previous(settings: &Settings) -> anyhow::Result<Option<SecretKey>> {
    settings.secret_key_previous.as_ref().map(|key| named("secret_key_previous", key)).transpose()
}

fn present(settings: &Settings, location: &Location) -> anyhow::Result<Option<SecretKey>> {
    if let Some(key) = &settings.secret_key {
        return named("secret_key", key).map(Some);
    }
    if let Some(file) = &settings.secret_key_file {
        return read(file).context("secret_key_file").map(Some);
    }
    match location {
        Location::Sqlite { file } => {
            let key = file.with_file_name(KEY_FILE);
            key.exists().then(|| read(&key)).transpose()
        }
        Location::Postgres { .. } => bail!(
            "secret_key: PostgreSQL requires a secret key, the same one on every node. Generate one with \
             `openssl rand -base64 32` and set it as secret_key (SWITCHBOARD_SECRET_KEY) or in a file named by \
             secret_key_file (SWITCHBOARD_SECRET_KEY_FILE)"
        ),
    }
}

fn named(setting: &'static str, key: &Secret) -> anyhow::Result<SecretKey> {
    SecretKey::parse(key.expose()).context(setting)
}

fn make(file: &Path) -> anyhow::Result<SecretKey> {
    let key = SecretKey::random();
    match write_new(file, &key) {
        Ok(()) => Ok(key),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => read(file),
        Err(error) => Err(error).with_context(|| format!("{}: cannot write the secret key", file.display())),
    }
}

/// Synced to disk before the key is used: data sealed with a key that a power failure lost could never be read.
fn write_new(file: &Path, key: &SecretKey) -> io::Result<()> {
    let mut open = OpenOptions::new().write(true).create_new(true).mode(0o600).open(file)?;
    writeln!(open, "{}", *key.to_file_text())?;
    open.sync_all()?;
    file.parent().map_or(Ok(()), |folder| File::open(folder)?.sync_all())
}

/// Reads a key from a file.
pub(crate) fn read(file: &Path) -> anyhow::Result<SecretKey> {
    warn_if_shared(file);
    let text = read_filled(file).map_err(|error| ownership::explain(file, error));
    let text = text.with_context(|| format!("{}: cannot read the secret key", file.display()))?;
    SecretKey::parse(&text).with_context(|| file.display().to_string())
}

fn read_filled(file: &Path) -> io::Result<String> {
    for _ in 1..TRIES {
        let text = std::fs::read_to_string(file)?;
        if text.ends_with('\n') || SecretKey::parse(&text).is_ok() {
            return Ok(text);
        }
        std::thread::sleep(BETWEEN_TRIES);
    }
    std::fs::read_to_string(file)
}

fn warn_if_shared(file: &Path) {
    let Ok(metadata) = file.metadata() else { return };
    let mode = metadata.permissions().mode() & 0o777;
    if mode & 0o077 != 0 {
        let file = file.display();
        tracing::warn!(%file, mode = format!("{mode:o}"), "others can read the secret key; its mode should be 600");
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;

    fn settings(change: impl FnOnce(&mut Settings)) -> Settings {
        let mut settings = crate::bootstrap::test_settings(&testkit::database::fresh_folder());
        change(&mut settings);
        settings
    }

    fn keyring_of(settings: &Settings) -> anyhow::Result<Option<Keyring>> {
        find(settings, &crate::bootstrap::location(settings))
    }

    fn key_file(settings: &Settings) -> PathBuf {
        settings.data.join(KEY_FILE)
    }

    #[test]
    fn a_generated_key_is_for_its_owner_alone_and_is_found_again() {
        let settings = settings(|_| ());
        assert!(keyring_of(&settings).unwrap().is_none() && !key_file(&settings).exists());
        let keyring = generate(&settings).unwrap();
        let mode = key_file(&settings).metadata().unwrap().permissions().mode() & 0o777;
        assert_eq!(mode, 0o600);
        let again = keyring_of(&settings).unwrap().unwrap();
        assert_eq!(keyring.present().fingerprint(), again.present().fingerprint());
    }

    #[test]
    fn postgres_needs_a_key_and_the_message_says_how_to_make_one() {
        let settings = settings(|_| ());
        let location = Location::Postgres { url: "postgres://localhost/x".to_owned(), connections: 2 };
        let error = find(&settings, &location).unwrap_err().to_string();
        assert!(error.starts_with("secret_key: ") && error.contains("openssl rand -base64 32"), "{error}");
        assert!(!key_file(&settings).exists());
    }

    #[test]
    fn a_named_file_is_read_and_must_hold_a_key() {
        let file = testkit::database::fresh_folder().join("own.key");
        let settings = settings(|settings| settings.secret_key_file = Some(file.clone()));
        let missing = format!("{:#}", keyring_of(&settings).unwrap_err());
        assert!(missing.starts_with("secret_key_file: ") && missing.contains("own.key"), "{missing}");
        std::fs::write(&file, "not a key\n").unwrap();
        let wrong = format!("{:#}", keyring_of(&settings).unwrap_err());
        assert!(wrong.contains("own.key: a secret key is 32 random bytes") && !wrong.contains("not a key"), "{wrong}");
        let key = SecretKey::random();
        std::fs::write(&file, key.to_file_text().as_bytes()).unwrap();
        assert_eq!(keyring_of(&settings).unwrap().unwrap().present().fingerprint(), key.fingerprint());
        assert!(!key_file(&settings).exists());
    }

    #[test]
    fn starters_at_the_same_time_agree_on_one_key() {
        let settings = settings(|_| ());
        let all: Vec<String> = std::thread::scope(|scope| {
            let starter = || generate(&settings).unwrap().present().fingerprint();
            let running: Vec<_> = (0..8).map(|_| scope.spawn(starter)).collect();
            running.into_iter().map(|one| one.join().unwrap()).collect()
        });
        assert!(all.iter().all(|fingerprint| *fingerprint == all[0]), "{all:?}");
    }
}
