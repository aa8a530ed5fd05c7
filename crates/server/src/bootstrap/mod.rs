//! Opens an installation: from settings to an `App` on a migrated database that belongs to the configured key.
//!
//! The server and most commands start here, also at the same time on one database: migrations run under a lease, and a
//! server holds the lock on the folder of an embedded database (`folder_lock.rs`). Commands open an installation that
//! exists; only `Creation::Allowed` (`creation.rs`) creates one: folder, schema, key, and the key's fingerprint in the
//! database. In this order, so that a crash in between is harmless: every migration can run again, and a database
//! without a fingerprint gets a key. A key without a database is then never a creation that was cut off, but a database
//! that is lost, and is refused.

mod creation;
mod folder_lock;
mod policy;

pub use creation::{Creation, InstallationError};
pub use folder_lock::FolderLock;
#[cfg(test)]
pub(crate) use policy::guarded;
pub(crate) use policy::media_folder;

use std::fs::DirBuilder;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::Path;
use std::time::Duration;

use anyhow::Context as _;
use app::App;
use domain::Clock;
use domain::base::keys::Keyring;
use rustix::fs::Access;
use store::migrations::MIGRATIONS;
use store::{Db, Location, PostgresOptions};

use creation::{describe, key_file};

use crate::settings::Settings;
use crate::{keys, ownership};

/// File name of the embedded database in the data folder.
pub const DATABASE_FILE: &str = "switchboard.db";
/// How long a starting server checks its database file: a large file must not delay the start. `switchboard check`
/// checks it as a whole.
const QUICK_CHECK_TIME: Duration = Duration::from_secs(2);

#[derive(Debug)]
pub struct OpenedInstallation {
    pub app: App,
    pub db: Db,
    pub keyring: Keyring,
    pub location: Location,
    /// Migrations that were applied by this call.
    pub applied: Vec<&'static str>,
    /// Of a server on an embedded database, or of a process that has created one. Must be kept while the server runs.
    pub lock: Option<FolderLock>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Opener {
    Command,
    Server,
}

/// For commands: fails if there is no installation. Statements have no time limit on PostgreSQL.
pub async fn open(settings: &Settings, clock: Clock) -> anyhow::Result<OpenedInstallation> {
    open_with(settings, clock, Opener::Command, Creation::Never).await
}

/// The same, and creates a missing installation if that is allowed.
pub async fn open_or_create(
    settings: &Settings,
    clock: Clock,
    creation: Creation,
) -> anyhow::Result<OpenedInstallation> {
    open_with(settings, clock, Opener::Command, creation).await
}

/// For a server: locks the folder of an embedded database, and checks the database for damage.
pub async fn open_to_serve(
    settings: &Settings,
    clock: Clock,
    creation: Creation,
) -> anyhow::Result<OpenedInstallation> {
    open_with(settings, clock, Opener::Server, creation).await
}

async fn open_with(
    settings: &Settings,
    clock: Clock,
    opener: Opener,
    creation: Creation,
) -> anyhow::Result<OpenedInstallation> {
    let config = policy::config(settings)?;
    let location = location(settings);
    check_owner(settings, &location)?;
    let lock = prepare_folder(settings, &location, opener, creation)?;
    warn_of_open_folder(&settings.data);
    let found = keys::find(settings, &location)?;
    let options = match opener {
        Opener::Command => without_limits(settings),
        Opener::Server => postgres_options(settings),
    };
    let db = Db::open_with(&location, options).with_context(|| describe(settings))?;
    if store::migrations::is_empty(&db).await.with_context(|| describe(settings))? {
        check_new(settings, creation)?;
    } else {
        if opener == Opener::Server {
            check_file(settings, &db)?;
        }
        if found.is_none() {
            check_unused(settings, &db, creation).await?;
        }
    }
    let applied = migrate(settings, &location, &db, &clock).await.with_context(|| describe(settings))?;
    match applied.len() {
        0 => {}
        steps if steps == MIGRATIONS.len() => tracing::info!("a new database was created"),
        steps => tracing::info!(steps, "the database was migrated"),
    }
    let keyring = found.map_or_else(|| keys::generate(settings), Ok)?;
    app::base::keys::claim(&db, &keyring).await?;
    let app = App::new(db.clone(), clock, &keyring, config)?;
    Ok(OpenedInstallation { app, db, keyring, location, applied, lock })
}

/// Fails if the folder of an embedded database, or a file in it, belongs to another user and cannot be used. Otherwise
/// the folder would seem to be empty, or its database to be read-only.
fn check_owner(settings: &Settings, location: &Location) -> Result<(), InstallationError> {
    let Location::Sqlite { file } = location else { return Ok(()) };
    let (read, write) = (Access::READ_OK, Access::READ_OK | Access::WRITE_OK);
    let beside = |ending: &str| settings.data.join(format!("{DATABASE_FILE}{ending}"));
    let used = [
        (settings.data.clone(), write | Access::EXEC_OK),
        (file.clone(), write),
        (beside("-wal"), write),
        (beside("-shm"), write),
        (settings.data.join(keys::KEY_FILE), read),
    ];
    for (path, needed) in used {
        if let Some(owner) = ownership::denied_by(&path, needed) {
            return Err(InstallationError::Foreign { path, owner, own: ownership::own_name() });
        }
    }
    Ok(())
}

/// Makes the folder of a new embedded database, and locks it for a server and while an installation is created.
fn prepare_folder(
    settings: &Settings,
    location: &Location,
    opener: Opener,
    creation: Creation,
) -> anyhow::Result<Option<FolderLock>> {
    let Location::Sqlite { file } = location else { return Ok(None) };
    let is_new = !holds_data(file);
    if is_new {
        check_new(settings, creation)?;
        make_folder(&settings.data)?;
    }
    (is_new || opener == Opener::Server).then(|| FolderLock::take(&settings.data)).transpose()
}

/// Fails unless a missing or empty database may become a new installation.
fn check_new(settings: &Settings, creation: Creation) -> Result<(), InstallationError> {
    if key_file(settings).is_some_and(|key| key.exists()) {
        return Err(InstallationError::KeyAlone { folder: settings.data.clone() });
    }
    creation.check(settings)
}

/// Fails if a database without a key is in use: nothing that was sealed with the lost key could be read. One that has
/// never had a key is a creation that was cut off, and goes on.
async fn check_unused(settings: &Settings, db: &Db, creation: Creation) -> Result<(), InstallationError> {
    let fingerprint = store::base::installation::key_fingerprint(db).await;
    if creation == Creation::Allowed && fingerprint.is_ok_and(|found| found.is_none()) {
        return Ok(());
    }
    Err(InstallationError::KeyMissing { file: settings.data.join(keys::KEY_FILE) })
}

/// Fails if the file of an embedded database is damaged: to write to it would damage more.
fn check_file(settings: &Settings, db: &Db) -> anyhow::Result<()> {
    let check = db.quick_check(QUICK_CHECK_TIME).with_context(|| describe(settings))?;
    if let Some(fault) = check.faults.into_iter().next() {
        return Err(InstallationError::Damaged { place: describe(settings), fault }.into());
    }
    if check.is_cut_short {
        tracing::info!(
            "the database file is too large to be checked as a whole at a start: `switchboard check` does it"
        );
    }
    Ok(())
}

/// Whether the file of an embedded database exists and is not empty.
fn holds_data(file: &Path) -> bool {
    file.metadata().is_ok_and(|metadata| metadata.len() > 0)
}

/// On PostgreSQL over a connection of its own, because a step may take longer than a statement of the server.
async fn migrate(settings: &Settings, location: &Location, db: &Db, clock: &Clock) -> store::Result<Vec<&'static str>> {
    if let Location::Sqlite { .. } = location {
        return store::migrate(db, clock).await;
    }
    store::migrate(&Db::open_with(location, without_limits(settings))?, clock).await
}

/// Opens the database of an installation without migrating it or checking its key, for backups and checks. Statements
/// have no time limit.
pub fn database(settings: &Settings) -> anyhow::Result<Db> {
    let location = location(settings);
    check_owner(settings, &location)?;
    if let Location::Sqlite { file } = &location
        && !holds_data(file)
    {
        Creation::Never.check(settings)?;
    }
    Db::open_with(&location, without_limits(settings)).with_context(|| describe(settings))
}

/// The same for a restore, which creates a missing database if that is allowed, or if its key is there already. A new
/// database comes with the lock on its folder.
pub fn database_to_restore(settings: &Settings, creation: Creation) -> anyhow::Result<(Db, Option<FolderLock>)> {
    let location = location(settings);
    check_owner(settings, &location)?;
    let mut lock = None;
    if let Location::Sqlite { file } = &location
        && !holds_data(file)
    {
        if !settings.data.join(keys::KEY_FILE).exists() {
            creation.check(settings)?;
        }
        make_folder(&settings.data)?;
        lock = Some(FolderLock::take(&settings.data)?);
    }
    let db = Db::open_with(&location, without_limits(settings)).with_context(|| describe(settings))?;
    Ok((db, lock))
}

/// How the server uses PostgreSQL.
pub(crate) fn postgres_options(settings: &Settings) -> PostgresOptions {
    let limit = Duration::from_secs(settings.postgres.statement_timeout_seconds);
    PostgresOptions { statement_timeout: Some(limit), ..without_limits(settings) }
}

fn without_limits(settings: &Settings) -> PostgresOptions {
    PostgresOptions { prepared: settings.postgres.prepared, statement_timeout: None }
}

/// Location of the database according to the settings.
pub fn location(settings: &Settings) -> Location {
    match &settings.database {
        Some(url) => {
            Location::Postgres { url: url.expose().to_owned(), connections: settings.postgres.max_connections }
        }
        None => Location::Sqlite { file: settings.data.join(DATABASE_FILE) },
    }
}

/// Creates the folder with mode 700: it holds the secret key and all data.
fn make_folder(folder: &Path) -> anyhow::Result<()> {
    let made = DirBuilder::new().recursive(true).mode(0o700).create(folder);
    made.map_err(|error| ownership::explain(folder, error))
        .with_context(|| format!("data: cannot create the folder {}", folder.display()))
}

/// Warns if other users of the machine can read, write or enter the data folder. Files of the server are private by
/// their own modes; their names, and files that an operator adds, are not.
fn warn_of_open_folder(folder: &Path) {
    use std::os::unix::fs::PermissionsExt as _;
    let Ok(found) = folder.metadata() else { return };
    if found.permissions().mode() & 0o007 != 0 {
        let folder = folder.display();
        tracing::warn!("every user of this machine can look into the data folder; close it with: chmod 700 {folder}");
    }
}

/// Default settings with this data folder and a free port.
#[cfg(test)]
pub(crate) fn test_settings(data: &Path) -> Settings {
    let flags = crate::settings::Flags {
        data: Some(data.to_string_lossy().into_owned()),
        listen: Some("127.0.0.1:0".to_owned()),
        ..Default::default()
    };
    crate::settings::load(&flags, [], data).unwrap().settings
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    async fn create(settings: &Settings) -> anyhow::Result<OpenedInstallation> {
        open_or_create(settings, Clock::system(), Creation::Allowed).await
    }

    #[tokio::test]
    async fn opening_makes_a_private_folder_and_works_beside_another() {
        let settings = test_settings(&testkit::database::fresh_folder().join("made"));
        let first = create(&settings).await.unwrap();
        let mode = settings.data.metadata().unwrap().permissions().mode() & 0o777;
        assert_eq!(mode, 0o700);
        let second = open(&settings, Clock::system()).await.unwrap();
        assert_eq!(first.keyring.present().fingerprint(), second.keyring.present().fingerprint());
        assert!(second.app.identity().tenants().list().await.unwrap().is_empty());
    }

    #[tokio::test]
    async fn a_missing_installation_is_created_only_on_request() {
        let settings = test_settings(&testkit::database::fresh_folder().join("missing"));
        for creation in [Creation::Never, Creation::NotRequested] {
            let error = open_or_create(&settings, Clock::system(), creation).await.unwrap_err().to_string();
            assert!(error.contains("there is no installation here") && error.contains("--create"), "{error}");
            assert!(open_to_serve(&settings, Clock::system(), creation).await.is_err());
            assert!(database(&settings).is_err() && !settings.data.exists());
        }
        // An empty file, as `touch` or a failed copy leaves it.
        std::fs::create_dir(&settings.data).unwrap();
        std::fs::write(settings.data.join(DATABASE_FILE), "").unwrap();
        assert!(open_to_serve(&settings, Clock::system(), Creation::NotRequested).await.is_err());
        create(&settings).await.unwrap();
    }

    #[tokio::test]
    async fn an_empty_database_beside_a_key_is_refused_and_stays_as_it_is() {
        let settings = test_settings(&testkit::database::fresh_folder());
        keys::generate(&settings).unwrap();
        let database = settings.data.join(DATABASE_FILE);
        let refused = create(&settings).await.unwrap_err().to_string();
        assert!(refused.contains("secret.key is here") && !database.exists(), "{refused}");
        // A database without tables.
        drop(Db::open(&Location::Sqlite { file: database }).unwrap());
        let refused = create(&settings).await.unwrap_err().to_string();
        assert!(refused.contains("secret.key is here"), "{refused}");
    }

    #[tokio::test]
    async fn a_creation_that_was_cut_off_goes_on_and_a_lost_key_is_not_replaced() {
        let settings = test_settings(&testkit::database::fresh_folder());
        // The schema is complete, and there is no key yet.
        let db = Db::open(&location(&settings)).unwrap();
        store::migrate(&db, &Clock::system()).await.unwrap();
        assert!(open(&settings, Clock::system()).await.is_err(), "a command creates nothing");
        create(&settings).await.unwrap();
        std::fs::remove_file(settings.data.join(keys::KEY_FILE)).unwrap();
        let error = create(&settings).await.unwrap_err().to_string();
        assert!(error.contains("secret.key") && error.contains("is missing"), "{error}");
        assert!(!settings.data.join(keys::KEY_FILE).exists());
    }

    #[tokio::test]
    async fn another_key_is_refused_unless_the_old_one_is_configured_too() {
        let mut settings = test_settings(&testkit::database::fresh_folder());
        create(&settings).await.unwrap();
        let old = std::fs::read_to_string(settings.data.join(keys::KEY_FILE)).unwrap();
        settings.secret_key_file = Some(settings.data.join("new.key"));
        let new = domain::base::keys::SecretKey::random();
        std::fs::write(settings.data.join("new.key"), new.to_file_text().as_bytes()).unwrap();
        let error = open(&settings, Clock::system()).await.unwrap_err().to_string();
        assert!(error.starts_with("secret_key: this database belongs to the key"), "{error}");
        settings.secret_key_previous = Some(serde_json::from_value(old.trim().into()).unwrap());
        open(&settings, Clock::system()).await.unwrap();
    }

    #[tokio::test]
    async fn a_folder_that_cannot_be_created_is_named() {
        let file = testkit::database::fresh_folder().join("file");
        std::fs::write(&file, "").unwrap();
        let error = create(&test_settings(&file.join("data"))).await.unwrap_err().to_string();
        assert!(error.starts_with("data: cannot create the folder"), "{error}");
    }
}
