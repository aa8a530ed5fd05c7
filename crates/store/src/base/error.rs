//! Errors of the database. The variants differ by what a caller can do.

/// The version of this program.
pub(crate) const VERSION: &str = env!("CARGO_PKG_VERSION");

pub type Result<T, E = Error> = std::result::Result<T, E>;

#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A conflict with another transaction: the same work may succeed when it is tried again.
    #[error("the database asked to try again: {0}")]
    TryAgain(String),
    /// The database cannot be reached, does not answer, or cannot work at the moment: disk full, read-only, shutting
    /// down.
    #[error("the database is not available: {0}")]
    Unavailable(String),
    /// A row with the same key exists.
    #[error("statement {statement}: {message}")]
    Duplicate { statement: String, message: String },
    #[error("a text contains a NUL character, which cannot be stored")]
    NulInText,
    #[error("statement {statement}: {message}")]
    Statement { statement: String, message: String },
    #[error("column {0} does not contain the expected value")]
    Column(usize),
    /// The body of a transaction awaited something other than its database. Only SQLite notices this.
    #[error("a transaction awaited something that is not its database")]
    ForeignAwait,
    /// A pool of threads refused the work, because too much waits for it already.
    #[error("too much work is waiting")]
    Overloaded,
    #[error("a transaction panicked")]
    Panicked,
    #[error("{0}")]
    Migration(String),
    /// The database was made before the baseline of the schema.
    #[error(
        "this database was created before the first release of Switchboard, and cannot be upgraded: use an empty data \
         folder or an empty PostgreSQL database, or keep running the version that created it"
    )]
    BeforeBaseline,
    /// The database has a migration that this program does not know.
    #[error("{}", newer_schema(step, version.as_deref()))]
    NewerSchema {
        step: String,
        /// The version of the program that applied the migration, if it was recorded.
        version: Option<String>,
    },
}

/// An error of a transaction's body. The façade needs to see whether the transaction should run again.
pub trait Failure: From<Error> + Send + 'static {
    fn store_error(&self) -> Option<&Error>;
}

impl Failure for Error {
    fn store_error(&self) -> Option<&Error> {
        Some(self)
    }
}

impl Error {
    /// True if the same transaction may succeed when it runs again; only the PostgreSQL driver runs it again. That
    /// includes a duplicate key: statements that expect one have `ON CONFLICT`, so another one most likely comes from a
    /// concurrent transaction, whose row the next run finds.
    pub(crate) const fn is_transient(&self) -> bool {
        matches!(self, Self::TryAgain(_) | Self::Duplicate { .. })
    }

    pub(crate) fn sqlite(statement: &str, error: &rusqlite::Error) -> Self {
        use rusqlite::ErrorCode::{CannotOpen, DatabaseBusy, DatabaseLocked, DiskFull, ReadOnly, SystemIoFailure};
        if error.sqlite_extended_error_code().is_some_and(is_duplicate) {
            return Self::Duplicate { statement: statement.to_owned(), message: error.to_string() };
        }
        match error.sqlite_error_code() {
            Some(DatabaseBusy | DatabaseLocked) => Self::TryAgain(error.to_string()),
            Some(CannotOpen | DiskFull | ReadOnly | SystemIoFailure) => Self::Unavailable(error.to_string()),
            _ => Self::Statement { statement: statement.to_owned(), message: error.to_string() },
        }
    }

    pub(crate) fn postgres(statement: &str, error: &tokio_postgres::Error) -> Self {
        use tokio_postgres::error::SqlState;
        let Some(state) = error.code() else {
            return Self::Unavailable(with_cause(error));
        };
        let message = with_cause(error);
        if *state == SqlState::UNIQUE_VIOLATION {
            return Self::Duplicate { statement: statement.to_owned(), message };
        }
        if [SqlState::T_R_SERIALIZATION_FAILURE, SqlState::T_R_DEADLOCK_DETECTED].contains(state) {
            return Self::TryAgain(message);
        }
        // Classes 08 (connection lost), 53 (out of resources) and 57 (shut down, or statement cancelled); and a standby
        // that has not been promoted yet.
        let passes = ["08", "53", "57"].iter().any(|class| state.code().starts_with(class));
        if passes || *state == SqlState::READ_ONLY_SQL_TRANSACTION {
            return Self::Unavailable(message);
        }
        Self::Statement { statement: statement.to_owned(), message }
    }
}

fn is_duplicate(extended: std::ffi::c_int) -> bool {
    [rusqlite::ffi::SQLITE_CONSTRAINT_UNIQUE, rusqlite::ffi::SQLITE_CONSTRAINT_PRIMARYKEY].contains(&extended)
}

fn newer_schema(step: &str, version: Option<&str>) -> String {
    version.map_or_else(
        || {
            format!(
                "this database was written by a newer version; this is version {VERSION}: \
                 install the newer version, or restore a backup (unknown migration: {step})"
            )
        },
        |version| {
            format!(
                "this database was written by version {version}; this is version {VERSION}: \
                 install version {version} or newer, or restore a backup (unknown migration: {step})"
            )
        },
    )
}

/// The error with its causes, since tokio-postgres itself says only "db error". Errors of the pool name their cause
/// already; it is not repeated.
pub(crate) fn with_cause(error: &dyn std::error::Error) -> String {
    let (mut text, mut next) = (error.to_string(), error.source());
    while let Some(cause) = next {
        let said = cause.to_string();
        if !text.ends_with(&said) {
            text = format!("{text}: {said}");
        }
        next = cause.source();
    }
    text
}
