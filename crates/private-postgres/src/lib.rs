//! Owns a throw-away PostgreSQL server: its folder, its process and its end. Knows nothing of Switchboard or its schema.

mod binaries;
mod error;
mod server;
mod user;
mod watch;

pub use error::StartError;
pub use server::{Options, Postgres};
pub use watch::WatchedProcess;

/// Where tests look for the URL of the server that they share.
pub const URL_VARIABLE: &str = "SWITCHBOARD_TEST_POSTGRES";
