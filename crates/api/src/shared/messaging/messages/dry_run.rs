//! `dry_run`: reports what a send would do, or why it would be refused. The same code decides as for a real send.
//! Malformed requests and server errors are returned as errors, as without `dry_run`.

use app::{Cause, Error};

use super::problem::ProblemShape;
use crate::input::LegacyInput;
use crate::prelude::*;

/// The spellings of the parameter `dry_run`, which every send operation has.
pub(crate) const DRY_RUN: &[&str] = &["dry_run", "dryRun"];

members! {
    /// The parameter `dry_run` of V1, accepted in query, form and JSON body.
    pub(crate) query DryRunQuery from LegacyInput {
        /// Dry run: returns what would happen without sending or storing anything.
        dry_run: Option<bool> = flag["dry_run", "dryRun"](),
    }
}

impl DryRunQuery {
    /// False when absent.
    pub fn is_set(input: &LegacyInput) -> ApiResult<bool> {
        Ok(Self::parse(input)?.dry_run.unwrap_or_default())
    }
}

/// Why the message would not be sent, for the answer to a dry run. Returns the error itself if the request is wrong,
/// the file is too large or the server failed.
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
