//! A database of its own for one test, on either engine: empty and without migrations, or on PostgreSQL a copy of a
//! migrated one.
#![expect(clippy::expect_used, reason = "a test without its database must fail")]

use std::hash::{Hash as _, Hasher as _};
use std::path::PathBuf;

use domain::Clock;
use store::migrations::MIGRATIONS;
use store::{Db, Engine, Location, Statement};
use tokio::sync::OnceCell;

use crate::folders::fresh_folder;
use crate::postgres::shared_url;

const CONNECTIONS: usize = 4;

/// A database that `remove` deletes. If the test fails before, a PostgreSQL database stays until the server is deleted
/// after the run.
#[derive(Debug)]
pub struct FreshDatabase {
    pub location: Location,
    remains: Remains,
}

#[derive(Debug)]
enum Remains {
    Folder(PathBuf),
    /// The name of the database in the shared server.
    Database(String),
    /// A database of a server that its test started, and removes.
    Nothing,
}

impl FreshDatabase {
    pub async fn on(engine: Engine) -> Self {
        match engine {
            Engine::Sqlite => Self::sqlite(),
            Engine::Postgres => Self::postgres().await,
        }
    }

    fn sqlite() -> Self {
        let folder = fresh_folder();
        Self { location: Location::Sqlite { file: folder.join("switchboard.db") }, remains: Remains::Folder(folder) }
    }

    async fn postgres() -> Self {
        let name = format!("fresh_{:016x}", rand::random::<u64>());
        in_shared_server(format!("CREATE DATABASE {name}")).await;
        let url = in_database(&shared_url(), &name);
        Self { location: Location::Postgres { url, connections: CONNECTIONS }, remains: Remains::Database(name) }
    }

    /// A migrated database on PostgreSQL, copied from one that is migrated once for all tests of the server.
    pub(crate) async fn migrated_postgres() -> Self {
        static TEMPLATE: OnceCell<String> = OnceCell::const_new();
        let template = TEMPLATE.get_or_init(migrated_template).await;
        let name = format!("fresh_{:016x}", rand::random::<u64>());
        in_shared_server(format!("CREATE DATABASE {name} TEMPLATE {template}")).await;
        let url = in_database(&shared_url(), &name);
        Self { location: Location::Postgres { url, connections: CONNECTIONS }, remains: Remains::Database(name) }
    }

    /// The database at this URL, of a server that the test started.
    pub fn given(url: String) -> Self {
        Self { location: Location::Postgres { url, connections: CONNECTIONS }, remains: Remains::Nothing }
    }

    pub fn open(&self) -> Db {
        Db::open(&self.location).expect("the database opens")
    }

    /// Deletes the database, even if connections to it are open.
    pub async fn remove(self) {
        match self.remains {
            Remains::Folder(folder) => std::fs::remove_dir_all(folder).expect("the folder can be removed"),
            Remains::Database(name) => in_shared_server(format!("DROP DATABASE {name} WITH (FORCE)")).await,
            Remains::Nothing => {}
        }
    }
}

/// Creates the template database for this version's schema, unless the server has it, and returns its name. The lock,
/// which belongs to the one connection of `server`, keeps other processes of the run from creating it at the same time.
async fn migrated_template() -> String {
    let name = template_name();
    let server = shared_server();
    execute(&server, "SELECT pg_advisory_lock(20261116)".to_owned()).await;
    let found = Statement::composed("test", format!("SELECT 1 FROM pg_database WHERE datname = '{name}'"));
    if server.row(&found, &[], |_| Ok(())).await.expect("the server answers").is_none() {
        let draft = format!("{name}_draft");
        execute(&server, format!("DROP DATABASE IF EXISTS {draft} WITH (FORCE)")).await;
        execute(&server, format!("CREATE DATABASE {draft}")).await;
        let url = in_database(&shared_url(), &draft);
        let db = Db::open(&Location::Postgres { url, connections: 1 }).expect("the database opens");
        store::migrate(&db, &Clock::system()).await.expect("the database migrates");
        drop(db);
        // PostgreSQL copies and renames a database only while nothing is connected to it, and the connections of the
        // dropped pool end later.
        execute(&server, format!("ALTER DATABASE {draft} ALLOW_CONNECTIONS false")).await;
        let end = format!("SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE datname = '{draft}'");
        execute(&server, end).await;
        execute(&server, format!("ALTER DATABASE {draft} RENAME TO {name}")).await;
    }
    execute(&server, "SELECT pg_advisory_unlock(20261116)".to_owned()).await;
    name
}

/// Contains a hash of the migrations, because several versions may use the same server.
fn template_name() -> String {
    let mut hasher = std::hash::DefaultHasher::new();
    for migration in MIGRATIONS {
        migration.sql.hash(&mut hasher);
    }
    format!("migrated_{:016x}", hasher.finish())
}

fn shared_server() -> Db {
    Db::open(&Location::Postgres { url: shared_url(), connections: 1 }).expect("the server answers")
}

async fn in_shared_server(sql: String) {
    execute(&shared_server(), sql).await;
}

async fn execute(server: &Db, sql: String) {
    server.each(&Statement::composed("test", sql), &[], |_| Ok(())).await.expect("the server obeys");
}

/// The URL with the name of another database.
pub(crate) fn in_database(url: &str, name: &str) -> String {
    let (before, parameters) = url.split_once('?').map_or((url, None), |(before, after)| (before, Some(after)));
    let authority_ends = before.find("://").map_or(0, |scheme| scheme + 3);
    let server = before[authority_ends..].find('/').map_or(before, |path| &before[..authority_ends + path]);
    parameters.map_or_else(|| format!("{server}/{name}"), |parameters| format!("{server}/{name}?{parameters}"))
}

#[cfg(test)]
mod tests {
    use super::in_database;

    #[test]
    fn only_the_name_of_the_database_changes() {
        for (url, expected) in [
            ("postgres://me@host:5433/postgres", "postgres://me@host:5433/other"),
            ("postgres://me@host:5433", "postgres://me@host:5433/other"),
            ("postgres://me@host/postgres?sslmode=disable", "postgres://me@host/other?sslmode=disable"),
        ] {
            assert_eq!(in_database(url, "other"), expected);
        }
    }
}
