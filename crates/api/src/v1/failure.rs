//! How V1 says that a well-formed request cannot be done: HTTP 200 with `result: false`.

use axum::Json;
use axum::response::{IntoResponse as _, Response};
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

/// A business failure becomes an answer; anything else stays an error.
pub(super) fn or_failure(outcome: app::Result<Response>) -> ApiResult<Response> {
    match outcome {
        Err(app::Error::Invalid { parameter, message } | app::Error::Conflict { parameter, message }) => {
            Ok(Json(Failure { result: false, info: format!("{parameter}: {message}") }).into_response())
        }
        Err(app::Error::Missing { parameter, what }) => {
            Ok(Json(Failure { result: false, info: format!("{parameter}: there is no such {what}") }).into_response())
        }
        Err(app::Error::NotFound(what)) => {
            Ok(Json(Failure { result: false, info: format!("There is no such {what}") }).into_response())
        }
        Err(error) => Err(ApiError::from(error)),
        Ok(response) => Ok(response),
    }
}
