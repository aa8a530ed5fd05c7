//! Why a server did not start, for the output of tests.

use std::fmt;
use std::io;

#[derive(Debug)]
pub struct StartError {
    what: String,
}

impl StartError {
    pub(crate) fn new(what: impl Into<String>) -> Self {
        Self { what: what.into() }
    }

    /// Whether the port was in use: PostgreSQL says so only in its log, which the error quotes.
    pub(crate) fn is_taken_port(&self) -> bool {
        self.what.contains("Address already in use")
    }

    /// For `map_err`: names the operation that failed.
    pub(crate) fn during(what: &str) -> impl FnOnce(io::Error) -> Self + '_ {
        move |error| Self::new(format!("{what}: {error}"))
    }
}

impl fmt::Display for StartError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "no private PostgreSQL: {}", self.what)
    }
}

impl std::error::Error for StartError {}
