//! A throw-away PostgreSQL server, or Citus cluster, for tests and benchmarks. Dropping the handle stops it and removes its
//! folder.

mod binaries;
mod citus;
mod error;
mod server;
mod user;
mod watch;

pub use citus::{CITUS_VARIABLE, Citus};
pub use error::StartError;
pub use server::{Options, Postgres};
pub use watch::WatchedProcess;

/// Environment variable with the URL of the server that tests share.
pub const URL_VARIABLE: &str = "SWITCHBOARD_TEST_POSTGRES";
