//! Transactions that are rolled back because they are dry runs.

use crate::Error;

/// Why a transaction is rolled back: it failed, or it was a dry run, whose result this carries out of the transaction.
#[derive(Debug)]
pub(crate) enum Rollback<T> {
    Failed(Error),
    DryRun(Box<T>),
}

impl<T> From<Error> for Rollback<T> {
    fn from(error: Error) -> Self {
        Self::Failed(error)
    }
}

impl<T> From<store::Error> for Rollback<T> {
    fn from(error: store::Error) -> Self {
        Self::Failed(error.into())
    }
}

impl<T: std::fmt::Debug + Send + Sync + 'static> store::Failure for Rollback<T> {
    fn store_error(&self) -> Option<&store::Error> {
        match self {
            Self::Failed(error) => error.store_error(),
            Self::DryRun(_) => None,
        }
    }
}

/// Turns the rollback of a dry run into the result that a real run would have had.
pub(crate) fn dry_run_as_done<T>(outcome: Result<T, Rollback<T>>) -> crate::Result<T> {
    match outcome {
        Ok(done) => Ok(done),
        Err(Rollback::DryRun(would)) => Ok(*would),
        Err(Rollback::Failed(error)) => Err(error),
    }
}
