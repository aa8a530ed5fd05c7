//! How a template that cannot be made or deleted is told: HTTP 200 with `ok: false`.

use axum::Json;
use axum::response::{IntoResponse as _, Response};
use serde::Serialize;
use utoipa::ToSchema;

use crate::error::{ApiError, ApiResult};

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = TemplateFailureV1)]
pub(crate) struct Failure {
    #[schema(example = false)]
    ok: bool,
    #[schema(example = "buttons[2].parameter.text: 23 characters, at most 20")]
    info: String,
    /// The same as `info`.
    error: String,
}

/// A business failure becomes an answer; anything else stays an error.
pub(super) fn or_failure(outcome: app::Result<Response>) -> ApiResult<Response> {
    let info = match outcome {
        Ok(response) => return Ok(response),
        Err(app::Error::Missing { parameter, what }) => format!("{parameter}: there is no such {what}"),
        Err(app::Error::NotFound(what)) => format!("There is no such {what}"),
        Err(
            error @ (app::Error::Invalid { .. }
            | app::Error::Conflict { .. }
            | app::Error::Refused { .. }
            | app::Error::NoChannel { .. }),
        ) => error.to_string(),
        Err(error) => return Err(ApiError::from(error)),
    };
    Ok(Json(Failure { ok: false, error: info.clone(), info }).into_response())
}
