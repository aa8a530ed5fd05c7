//! Opens an installation: from settings to an `App` on a migrated database that belongs to the configured key.
//!
//! The server and most commands start here, also at the same time on one database: migrations run under a lease, and
//! the key file is created once (`keys.rs`). Opening creates what is missing of data folder, key and schema, stores the
//! fingerprint of the key in a new database, and changes nothing else. A crash in between is harmless: every migration
//! can run again.

mod policy;

pub(crate) use policy::{guarded, media_folder};

use std::fs::DirBuilder;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::Path;
use std::time::Duration;

use anyhow::Context as _;
use app::App;
use domain::Clock;
use domain::base::keys::Keyring;
use store::migrations::MIGRATIONS;
use store::{Db, Location, PostgresOptions};

use crate::keys;
use crate::settings::Settings;

/// File name of the embedded database in the data folder.
pub const DATABASE_FILE: &str = "switchboard.db";

#[derive(Debug)]
pub struct OpenedInstallation {
    pub app: App,
    pub db: Db,
    pub keyring: Keyring,
    pub location: Location,
    /// Migrations that were applied by this call.
    pub applied: Vec<&'static str>,
}

/// For commands: statements have no time limit on PostgreSQL.
pub async fn open(settings: &Settings, clock: Clock) -> anyhow::Result<OpenedInstallation> {
    open_with(settings, clock, without_limits(settings)).await
}

/// For a server.
pub async fn open_to_serve(settings: &Settings, clock: Clock) -> anyhow::Result<OpenedInstallation> {
    open_with(settings, clock, postgres_options(settings)).await
}

async fn open_with(settings: &Settings, clock: Clock, options: PostgresOptions) -> anyhow::Result<OpenedInstallation> {
    let config = policy::config(settings)?;
    let location = location(settings);
    if let Location::Sqlite { .. } = &location {
        make_folder(&settings.data)?;
    }
    warn_of_open_folder(&settings.data);
    let keyring = keys::keyring(settings, &location)?;
    let db = Db::open_with(&location, options).with_context(|| describe(settings))?;
    let applied = migrate(settings, &location, &db, &clock).await.with_context(|| describe(settings))?;
    match applied.len() {
        0 => {}
        steps if steps == MIGRATIONS.len() => tracing::info!("a new database was created"),
        steps => tracing::info!(steps, "the database was migrated"),
    }
    app::base::keys::claim(&db, &keyring).await?;
    let app = App::new(db.clone(), clock, &keyring, config)?;
    Ok(OpenedInstallation { app, db, keyring, location, applied })
}

/// On PostgreSQL over a connection of its own, because a step may take longer than a statement of the server.
async fn migrate(settings: &Settings, location: &Location, db: &Db, clock: &Clock) -> store::Result<Vec<&'static str>> {
    if let Location::Sqlite { .. } = location {
        return store::migrate(db, clock).await;
    }
    store::migrate(&Db::open_with(location, without_limits(settings))?, clock).await
}

/// Opens the database without migrating it or checking its key, for backup and restore. Statements have no time limit.
pub fn database(settings: &Settings) -> anyhow::Result<Db> {
    let location = location(settings);
    if let Location::Sqlite { .. } = &location {
        make_folder(&settings.data)?;
    }
    Db::open_with(&location, without_limits(settings)).with_context(|| describe(settings))
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

/// Names the database in error messages, without the password.
fn describe(settings: &Settings) -> String {
    match &settings.database {
        Some(url) => format!("database {}", url.masked()),
        None => format!("data {}", settings.data.display()),
    }
}

/// Creates the folder with mode 700: it holds the secret key and all data.
fn make_folder(folder: &Path) -> anyhow::Result<()> {
    let made = DirBuilder::new().recursive(true).mode(0o700).create(folder);
    made.with_context(|| format!("data: cannot create the folder {}", folder.display()))
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

    #[tokio::test]
    async fn opening_makes_a_private_folder_and_works_beside_another() {
        let settings = test_settings(&testkit::database::fresh_folder().join("made"));
        let first = open(&settings, Clock::system()).await.unwrap();
        let mode = settings.data.metadata().unwrap().permissions().mode() & 0o777;
        assert_eq!(mode, 0o700);
        let second = open(&settings, Clock::system()).await.unwrap();
        assert_eq!(first.keyring.present().fingerprint(), second.keyring.present().fingerprint());
        assert!(second.app.identity().tenants().list().await.unwrap().is_empty());
    }

    #[tokio::test]
    async fn another_key_is_refused_unless_the_old_one_is_configured_too() {
        let mut settings = test_settings(&testkit::database::fresh_folder());
        open(&settings, Clock::system()).await.unwrap();
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
        let error = open(&test_settings(&file.join("data")), Clock::system()).await.unwrap_err().to_string();
        assert!(error.starts_with("data: cannot create the folder"), "{error}");
    }
}
