//! Failures of template operations in V1: HTTP 200 with `ok: false`.

use crate::prelude::*;

#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct TemplateFailureV1 {
    #[schema(example = false)]
    ok: bool,
    #[schema(example = "buttons[2].parameter.text: 23 characters, at most 20")]
    info: String,
    /// The same as `info`.
    error: String,
}

/// A business failure becomes an answer; any other error stays an error.
pub(super) fn or_template_failure<A: From<TemplateFailureV1>>(outcome: app::Result<A>) -> ApiResult<Json<A>> {
    let info = match outcome {
        Ok(answer) => return Ok(Json(answer)),
        Err(
            error @ (app::Error::NotFound(_)
            | app::Error::Missing { .. }
            | app::Error::Invalid { .. }
            | app::Error::Conflict { .. }
            | app::Error::Refused { .. }
            | app::Error::NoChannel { .. }),
        ) => ApiError::from(error).into_message(),
        Err(error) => return Err(ApiError::from(error)),
    };
    Ok(Json(TemplateFailureV1 { ok: false, error: info.clone(), info }.into()))
}
