//! Business failures in V1: HTTP 200 with `result: false`.

use app::Cause;
use app::messages::Refusal;
use axum::Json;
use serde::Serialize;
use utoipa::ToSchema;

use crate::error::{ApiError, ApiResult};

#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Failure {
    #[schema(example = false)]
    result: bool,
    #[schema(example = "whatsappNumber: no numbering plan has the number 11111111111")]
    info: String,
}

impl Failure {
    /// Any other error stays an error.
    pub fn of(error: app::Error) -> ApiResult<Self> {
        Ok(Self { result: false, info: info(error)? })
    }

    /// For versions that word the failure themselves.
    pub const fn new(info: String) -> Self {
        Self { result: false, info }
    }

    pub fn into_info(self) -> String {
        self.info
    }
}

/// A business failure becomes an answer; any other error stays an error.
pub(super) fn or_failure<A: From<Failure>>(outcome: app::Result<A>) -> ApiResult<Json<A>> {
    match outcome {
        Ok(answer) => Ok(Json(answer)),
        Err(error) => Failure::of(error).map(|failure| Json(failure.into())),
    }
}

/// The text of `info` for a business failure.
pub(crate) fn info(error: app::Error) -> ApiResult<String> {
    use app::Error;
    Ok(match error {
        // Clients of the hosted platforms compare this text.
        Error::Refused { cause: Cause::Send(Refusal::WindowClosed), .. } => "Ticket has been expired.".to_owned(),
        // Passing failures, and errors of the request itself, have an HTTP status in every version.
        Error::Refused { cause: Cause::FileTooLarge | Cause::NetworkUnavailable, .. } => {
            return Err(ApiError::from(error));
        }
        Error::Missing { parameter, what } => format!("{parameter}: there is no such {what}"),
        Error::NotFound(what) => format!("There is no such {what}"),
        Error::Invalid { .. }
        | Error::Conflict { .. }
        | Error::Refused { .. }
        | Error::NoChannel { .. }
        | Error::Ambiguous { .. } => error.to_string(),
        other => return Err(ApiError::from(other)),
    })
}
