//! `GET /api/ext/v3/webhooks/{id}/recovery`: the progress of the last recovery.

use axum::Json;
use axum::extract::State;
use domain::Timestamp;
use domain::time::{as_optional_rfc3339, as_rfc3339};
use domain::webhooks::RecoveryProgress;
use serde::Serialize;
use utoipa::ToSchema;

use super::super::webhook_id;
use crate::ApiState;
use crate::error::{ApiResult, ErrorBody};
use crate::gate::Caller;
use crate::input::FromPath;

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = WebhookRecoveryProgress)]
pub(crate) struct RecoveryAnswer {
    /// `running`; `done`: each delivery was tried, and those that failed are tried again by the usual schedule;
    /// `canceled`: by a client, or because the webhook is not enabled any more.
    #[schema(example = "running")]
    state: &'static str,
    #[serde(serialize_with = "as_rfc3339")]
    #[schema(value_type = String, format = "date-time", example = "2026-04-24T10:00:00.000Z")]
    since: Timestamp,
    /// The end of the window; null when it has none.
    #[serde(serialize_with = "as_optional_rfc3339")]
    #[schema(value_type = Option<String>, required = true, format = "date-time", example = "2026-04-24T12:00:00.000Z")]
    until: Option<Timestamp>,
    #[serde(serialize_with = "as_rfc3339")]
    #[schema(value_type = String, format = "date-time", example = "2026-04-24T13:00:00.000Z")]
    started: Timestamp,
    /// Deliveries of this recovery so far; grows while events are examined.
    #[schema(example = 12)]
    total: i64,
    #[schema(example = 9)]
    delivered: i64,
    /// Tried since the start, and not delivered.
    #[schema(example = 1)]
    failed: i64,
}

impl From<RecoveryProgress> for RecoveryAnswer {
    fn from(one: RecoveryProgress) -> Self {
        let RecoveryProgress { state, window, started_at, total, delivered, failed } = one;
        let (since, until) = (window.since, window.until);
        Self { state: state.name(), since, until, started: started_at, total, delivered, failed }
    }
}

/// Get a recovery's progress
///
/// Of the webhook's last recovery; 404 when there was none.
#[utoipa::path(
    get,
    path = "/api/ext/v3/webhooks/{id}/recovery",
    tag = "webhooks",
    params(("id" = String, Path, description = "The webhook's id.", example = "69eb4e9a1f0c2d3e4a5b6c7d")),
    responses(
        (status = 200, description = "The progress.", body = RecoveryAnswer),
        (status = 404, description = "Reasons: `not_found`.", body = ErrorBody),
    ),
)]
pub(crate) async fn get_webhook_recovery(
    State(state): State<ApiState>,
    caller: Caller,
    FromPath(id): FromPath<String>,
) -> ApiResult<Json<RecoveryAnswer>> {
    Ok(Json(state.app.webhooks().recovery(&caller, webhook_id(&id)?).await?.into()))
}
