//! `dry_run`: what a send would do, or why it would be refused. The same code decides as for a send; only malformed
//! requests stay errors.

use app::{Cause, Error};

use super::problem::ProblemShape;
use crate::error::{ApiError, ApiResult};
use crate::input::{LegacyInput, Members as _, members};

/// The query parameter of every send.
pub(crate) const DRY_RUN: &[&str] = &["dry_run", "dryRun"];

members! {
    /// The same parameter where a V1 client may put it anywhere.
    #[derive(Debug, utoipa::IntoParams)]
    #[into_params(parameter_in = Query)]
    pub(crate) struct DryRunQuery from LegacyInput {
        /// Reports what would happen. Nothing is sent or stored.
        #[param(nullable = false)]
        dry_run: Option<bool> = flag["dry_run", "dryRun"](),
    }
}

impl DryRunQuery {
    /// False when absent.
    pub fn is_set(input: &LegacyInput) -> ApiResult<bool> {
        Ok(Self::parse(input)?.dry_run.unwrap_or_default())
    }
}

/// The reason that the message would not be sent; an error when the request itself is wrong.
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
