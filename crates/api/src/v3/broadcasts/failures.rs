//! `GET /api/ext/v3/broadcasts/{id}/failures`: the recipients that got nothing, by cause.

use app::broadcasts::FailureCause;
use axum::Json;
use axum::extract::State;
use serde::Serialize;
use utoipa::ToSchema;

use super::broadcast_id;
use crate::ApiState;
use crate::error::{ApiResult, ErrorBody};
use crate::gate::Caller;
use crate::input::FromPath;

#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct BroadcastFailures {
    /// The most frequent cause first, at most 100.
    failures: Vec<FailureCauseShape>,
}

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = BroadcastFailureCause)]
pub(crate) struct FailureCauseShape {
    /// The network's error code, or the equivalent of Switchboard's own refusal; absent where neither gave one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "131026", nullable = false)]
    code: Option<String>,
    /// The text of one of these failures.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "Message undeliverable", nullable = false)]
    detail: Option<String>,
    /// The number of recipients.
    #[schema(example = 12, minimum = 1)]
    count: usize,
}

impl From<FailureCause> for FailureCauseShape {
    fn from(cause: FailureCause) -> Self {
        Self { code: cause.code.map(|code| code.to_string()), detail: cause.detail, count: cause.count }
    }
}

/// Get the failures of a broadcast by cause
///
/// Counts recipients that were refused at once, and messages that failed or expired. The parameter `failed_code` of the
/// list of recipients selects the recipients of one cause.
#[utoipa::path(
    get,
    path = "/api/ext/v3/broadcasts/{id}/failures",
    tag = "broadcasts",
    params(("id" = String, Path, description = "The broadcast's id.", example = "69eb4e9a1f0c2d3e4a5b6c7d")),
    responses(
        (status = 200, description = "The causes.", body = BroadcastFailures),
        (status = 404, description = "Reasons: `not_found`.", body = ErrorBody),
    ),
)]
pub(crate) async fn get_broadcast_failures(
    State(state): State<ApiState>,
    caller: Caller,
    FromPath(id): FromPath<String>,
) -> ApiResult<Json<BroadcastFailures>> {
    let causes = state.app.broadcasts().failures(&caller, broadcast_id(&id)?).await?;
    Ok(Json(BroadcastFailures { failures: causes.into_iter().map(FailureCauseShape::from).collect() }))
}
