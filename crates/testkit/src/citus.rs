//! Databases on the Citus cluster of `SWITCHBOARD_TEST_CITUS` (`scripts/run-citus`).
#![expect(clippy::expect_used, reason = "a test without its database must fail")]
#![expect(clippy::print_stderr, reason = "a test that is skipped says so")]

use domain::Clock;
use store::base::citus::{Cluster, cluster, perform_step, plan_distribution};
use store::{Db, Location, Statement, read};

use crate::fresh::in_database;

/// Environment variable with the URL of a database on the coordinator, as a superuser.
pub const URL_VARIABLE: &str = "SWITCHBOARD_TEST_CITUS";
/// Few, because each is a table with its indexes for every table.
const SHARDS: u32 = 4;
const CONNECTIONS: usize = 4;

/// A database of one test on all servers of the cluster. It stays if the test fails.
#[derive(Debug)]
pub struct CitusDatabase {
    name: String,
    /// The URLs of the servers' own databases, the coordinator's first.
    servers: Vec<String>,
}

impl CitusDatabase {
    /// An empty database with the extension. None, with a note, if there is no cluster to test with.
    pub async fn create() -> Option<Self> {
        let Ok(url) = std::env::var(URL_VARIABLE) else {
            eprintln!("skipped: {URL_VARIABLE} is not set; scripts/run-citus prints a URL for it");
            return None;
        };
        let name = format!("citus_{:016x}", rand::random::<u64>());
        let found = Statement::new("test", "SELECT concat(nodename, ':', nodeport) FROM pg_dist_node ORDER BY groupid");
        let addresses: Vec<String> = open(&url, 1).rows(&found, &[], read).await.expect("the cluster answers");
        let servers: Vec<String> = addresses.iter().map(|address| at_address(&url, address)).collect();
        for server in &servers {
            run(&open(server, 1), &format!("CREATE DATABASE {name}")).await;
            run(&open(&in_database(server, &name), 1), "CREATE EXTENSION citus").await;
        }
        let created = Self { name, servers };
        let db = open(&created.url(), 1);
        for (index, address) in addresses.iter().enumerate() {
            let (host, port) = address.rsplit_once(':').expect("an address has a port");
            let function = if index == 0 { "citus_set_coordinator_host" } else { "citus_add_node" };
            run(&db, &format!("SELECT {function}('{host}', {port})::text")).await;
        }
        Some(created)
    }

    /// With this version's schema, distributed.
    pub async fn distributed() -> Option<Self> {
        let created = Self::create().await?;
        let db = created.open();
        store::migrate(&db, &Clock::system()).await.expect("the database migrates");
        distribute(&db).await;
        Some(created)
    }

    pub fn url(&self) -> String {
        in_database(&self.servers[0], &self.name)
    }

    pub fn open(&self) -> Db {
        open(&self.url(), CONNECTIONS)
    }

    /// A handle with one connection.
    pub fn open_one(&self) -> Db {
        open(&self.url(), 1)
    }

    /// Deletes the database on all servers, the coordinator's first: its maintenance connects to the others.
    pub async fn remove(self) {
        for server in &self.servers {
            run(&open(server, 1), &format!("DROP DATABASE {} WITH (FORCE)", self.name)).await;
        }
    }
}

/// Performs all missing steps.
pub async fn distribute(db: &Db) -> Cluster {
    let plan = plan_distribution(db, SHARDS).await.expect("the database can be distributed");
    for step in &plan.steps {
        perform_step(db, &plan, step).await.expect("the step succeeds");
    }
    cluster(db).await.expect("the cluster answers").expect("the database is on a cluster")
}

fn open(url: &str, connections: usize) -> Db {
    Db::open(&Location::Postgres { url: url.to_owned(), connections }).expect("the database opens")
}

async fn run(db: &Db, sql: &str) {
    db.each(&Statement::composed("test", sql.to_owned()), &[], |_| Ok(())).await.expect("the server obeys");
}

/// The URL with another host and port.
fn at_address(url: &str, address: &str) -> String {
    let begins = url.find('@').or_else(|| url.find("://").map(|scheme| scheme + 2)).map_or(0, |at| at + 1);
    let ends = url[begins..].find(['/', '?']).map_or(url.len(), |end| begins + end);
    format!("{}{address}{}", &url[..begins], &url[ends..])
}

#[cfg(test)]
mod tests {
    use super::at_address;

    #[test]
    fn only_the_address_changes() {
        for (url, expected) in [
            ("postgres://me@host:5433/postgres", "postgres://me@other:1/postgres"),
            ("postgres://me:word@host/postgres?sslmode=disable", "postgres://me:word@other:1/postgres?sslmode=disable"),
            ("postgres://host", "postgres://other:1"),
        ] {
            assert_eq!(at_address(url, "other:1"), expected);
        }
    }
}
