//! A database that nobody has migrated yet, for the few tests that are about a database and not about a tenant.

use std::path::PathBuf;

use store::{Db, Engine, Location};

pub struct Fresh {
    pub location: Location,
    remains: Remains,
}

enum Remains {
    Folder(PathBuf),
    Database(String),
}

impl Fresh {
    pub async fn on(engine: Engine) -> Self {
        match engine {
            Engine::Sqlite => Self::sqlite(),
            Engine::Postgres => Self::postgres().await,
        }
    }

    fn sqlite() -> Self {
        let folder = testkit::database::fresh_folder();
        Self { location: Location::Sqlite { file: folder.join("fresh.db") }, remains: Remains::Folder(folder) }
    }

    async fn postgres() -> Self {
        let name = format!("fresh_{:016x}", rand::random::<u64>());
        let shared = testkit::postgres::shared_url();
        postgres_client(&shared).await.batch_execute(&format!("CREATE DATABASE {name}")).await.unwrap();
        let location = Location::Postgres { url: in_database(&shared, &name), connections: 4 };
        Self { location, remains: Remains::Database(name) }
    }

    pub fn open(&self) -> Db {
        Db::open(&self.location).unwrap()
    }

    /// Last: a test that fails before leaves its database to the server, which does not outlive the run.
    pub async fn remove(self) {
        match self.remains {
            Remains::Folder(folder) => std::fs::remove_dir_all(folder).unwrap(),
            Remains::Database(name) => {
                let client = postgres_client(&testkit::postgres::shared_url()).await;
                client.batch_execute(&format!("DROP DATABASE {name} WITH (FORCE)")).await.unwrap();
            }
        }
    }
}

/// The same server, user and parameters, with another database.
fn in_database(url: &str, name: &str) -> String {
    let (before, parameters) = url.split_once('?').map_or((url, None), |(before, after)| (before, Some(after)));
    let authority_ends = before.find("://").map_or(0, |scheme| scheme + 3);
    let server = before[authority_ends..].find('/').map_or(before, |path| &before[..authority_ends + path]);
    parameters.map_or_else(|| format!("{server}/{name}"), |parameters| format!("{server}/{name}?{parameters}"))
}

pub async fn postgres_client(url: &str) -> tokio_postgres::Client {
    let (client, connection) = tokio_postgres::connect(url, tokio_postgres::NoTls).await.unwrap();
    tokio::spawn(connection);
    client
}
