//! `dry_run`: what a send would do and why not. The same code decides; only what is malformed stays an error.

use app::{Cause, Error};

use super::problem::ProblemShape;
use crate::error::ApiError;

/// In the query of every send.
pub(crate) const DRY_RUN: &[&str] = &["dry_run", "dryRun"];

/// Why it would not be sent; none when the request itself is wrong.
pub(crate) fn why_not(error: Error) -> Result<ProblemShape, ApiError> {
    let is_reason = match &error {
        Error::Refused { cause, .. } => *cause != Cause::FileTooLarge,
        Error::Missing { .. } | Error::NoChannel { .. } | Error::Ambiguous { .. } => true,
        _ => false,
    };
    let error = ApiError::from(error);
    if !is_reason || error.kind().status().is_server_error() {
        return Err(error);
    }
    Ok(ProblemShape::of_error(&error))
}
