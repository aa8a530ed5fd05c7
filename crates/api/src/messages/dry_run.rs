//! `dry_run`: what a send would do and why not. The same code decides; only what is malformed stays an error.

use app::{Cause, Error};

use super::problem::ProblemShape;
use crate::error::{ApiError, ApiResult};
use crate::input::{LegacyInput, Members as _, members};

/// In the query of every send.
pub(crate) const DRY_RUN: &[&str] = &["dry_run", "dryRun"];

members! {
    /// The same where a client may put it anywhere.
    #[derive(Debug, utoipa::IntoParams)]
    #[into_params(parameter_in = Query)]
    pub(crate) struct DryRunQuery from LegacyInput {
        /// Say what would happen, and send and store nothing.
        #[param(nullable = false)]
        dry_run: Option<bool> = flag["dry_run", "dryRun"](),
    }
}

impl DryRunQuery {
    /// False when absent.
    pub fn asked(input: &LegacyInput) -> ApiResult<bool> {
        Ok(Self::parse(input)?.dry_run.unwrap_or_default())
    }
}

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
