//! Business failures in V1: errors that are answered with HTTP 200 and `result: false`.

use app::Cause;
use app::messaging::messages::Refusal;

use crate::prelude::*;

#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Failure {
    #[schema(example = false)]
    result: bool,
    #[schema(example = "whatsappNumber: 11111111111 is not a valid phone number in any country")]
    info: String,
}

impl Failure {
    /// The failure for an error that V1 answers with 200. Any other error is returned as an error.
    pub fn from_error(error: app::Error) -> ApiResult<Self> {
        Ok(Self { result: false, info: info(error)? })
    }

    /// For operations that word `info` themselves.
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
        Err(error) => Failure::from_error(error).map(|failure| Json(failure.into())),
    }
}

/// The text of `info` for a business failure. Any other error is returned as an error.
pub(crate) fn info(error: app::Error) -> ApiResult<String> {
    use app::Error;
    Ok(match error {
        // Clients of the hosted platforms compare this text.
        Error::Refused { cause: Cause::Send(Refusal::WindowClosed), .. } => "Ticket has been expired.".to_owned(),
        // These are answered with an HTTP error status in every version.
        Error::Refused { cause: Cause::FileTooLarge | Cause::NetworkUnavailable, .. } => {
            return Err(ApiError::from(error));
        }
        Error::NotFound(_)
        | Error::Missing { .. }
        | Error::Invalid { .. }
        | Error::Conflict { .. }
        | Error::Refused { .. }
        | Error::NoChannel { .. }
        | Error::Ambiguous { .. } => ApiError::from(error).into_message(),
        other => return Err(ApiError::from(other)),
    })
}
