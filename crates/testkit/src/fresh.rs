//! An empty database without migrations, on either engine, for tests of a whole database.
#![expect(clippy::expect_used, reason = "a test without its database must fail")]

use std::path::PathBuf;

use store::{Db, Engine, Location, Statement};

use crate::database::fresh_folder;
use crate::postgres::shared_url;

const CONNECTIONS: usize = 4;

/// Ends with `remove`. A test that fails leaves its database to the server, which ends with the run.
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

    pub fn open(&self) -> Db {
        Db::open(&self.location).expect("the database opens")
    }

    /// Deletes the database, also under open connections.
    pub async fn remove(self) {
        match self.remains {
            Remains::Folder(folder) => std::fs::remove_dir_all(folder).expect("the folder can be removed"),
            Remains::Database(name) => in_shared_server(format!("DROP DATABASE {name} WITH (FORCE)")).await,
        }
    }
}

async fn in_shared_server(sql: String) {
    let server = Db::open(&Location::Postgres { url: shared_url(), connections: 1 }).expect("the server answers");
    server.each(&Statement::composed("test", sql), &[], |_| Ok(())).await.expect("the server obeys");
}

/// The URL with another database.
fn in_database(url: &str, name: &str) -> String {
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
