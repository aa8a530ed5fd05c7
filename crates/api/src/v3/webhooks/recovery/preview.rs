//! `GET /api/ext/v3/webhooks/{id}/recovery/preview`: what a recovery would deliver.

use axum::Json;
use axum::extract::State;
use domain::time::Moment;
use serde::Serialize;
use utoipa::ToSchema;

use super::super::webhook_id;
use super::window;
use crate::ApiState;
use crate::error::{ApiResult, ErrorBody};
use crate::gate::Caller;
use crate::input::{FromPath, FromQuery, Query, members};

members! {
    #[derive(Debug, utoipa::IntoParams)]
    #[into_params(parameter_in = Query)]
    pub(crate) struct PreviewRecoveryQuery from Query {
        /// The start of the window: RFC 3339; a date means its first instant.
        #[param(value_type = String, example = "2026-04-24T10:00:00Z")]
        since: Moment = required_moment["since"](),
        /// The end of the window: RFC 3339, inclusive; a date includes the whole day. Now when absent.
        #[param(value_type = Option<String>, example = "2026-04-24T12:00:00Z", nullable = false)]
        until: Option<Moment> = moment["until"](),
    }
}

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = WebhookRecoveryPreview)]
pub(crate) struct PreviewAnswer {
    /// Failed, parked and waiting deliveries that would be tried again.
    #[schema(example = 12)]
    deliveries: i64,
    /// Events that would be examined again, to find those that were never tried.
    #[schema(example = 340)]
    events: i64,
    /// For an ordered webhook: parked deliveries outside of the window, which would be given up.
    #[schema(example = 0)]
    given_up: i64,
}

/// Preview a recovery
///
/// Counts what `POST /webhooks/{id}/recover` would deliver with the same `since` and `until`. Changes nothing.
#[utoipa::path(
    get,
    path = "/api/ext/v3/webhooks/{id}/recovery/preview",
    tag = "webhooks",
    params(
        ("id" = String, Path, description = "The webhook's id.", example = "69eb4e9a1f0c2d3e4a5b6c7d"),
        PreviewRecoveryQuery,
    ),
    responses(
        (status = 200, description = "What would be delivered.", body = PreviewAnswer),
        (status = 404, description = "Reasons: `not_found`.", body = ErrorBody),
    ),
)]
pub(crate) async fn preview_webhook_recovery(
    State(state): State<ApiState>,
    caller: Caller,
    FromPath(id): FromPath<String>,
    FromQuery(asked): FromQuery<PreviewRecoveryQuery>,
) -> ApiResult<Json<PreviewAnswer>> {
    let window = window(asked.since, asked.until);
    let found = state.app.webhooks().preview_recovery(&caller, webhook_id(&id)?, window).await?;
    Ok(Json(PreviewAnswer { deliveries: found.deliveries, events: found.events, given_up: found.given_up }))
}
