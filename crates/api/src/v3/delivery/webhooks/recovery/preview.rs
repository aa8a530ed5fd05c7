//! `GET /api/ext/v3/webhooks/{id}/recovery/preview`: what a recovery would deliver.

use domain::WebhookId;

use super::window;
use crate::prelude::*;

members! {
    pub(crate) query PreviewRecoveryQuery from Query {
        /// Start of the window, in RFC 3339 format. A date alone means the start of that day.
        #[param(value_type = String, example = "2026-04-24T10:00:00Z")]
        since: Moment = required_moment["since"](),
        /// End of the window, inclusive, in RFC 3339 format. A date alone includes the whole day. Defaults to now.
        #[param(value_type = Option<String>, example = "2026-04-24T12:00:00Z")]
        until: Option<Moment> = moment["until"](),
    }
}

#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct WebhookRecoveryPreview {
    /// Failed, parked and waiting deliveries that would be retried.
    #[schema(example = 12)]
    deliveries: i64,
    /// Events that would be examined again to find those that were never tried.
    #[schema(example = 340)]
    events: i64,
    /// For an ordered webhook: parked deliveries outside the window, which would be given up.
    #[schema(example = 0)]
    given_up: i64,
}

/// Preview a recovery
///
/// Counts what `POST /webhooks/{id}/recover` would deliver with the same `since` and `until`. Nothing is changed.
#[described::path(
    get,
    path = "/api/ext/v3/webhooks/{id}/recovery/preview",
    params(PreviewRecoveryQuery),
    responses((status = 200, description = "What would be delivered.", body = WebhookRecoveryPreview)),
)]
pub(crate) async fn preview_webhook_recovery(
    Gated(state, caller): Gated,
    Path((id,)): Path<(WebhookId,)>,
    FromQuery(asked): FromQuery<PreviewRecoveryQuery>,
) -> ApiResult<Json<WebhookRecoveryPreview>> {
    let window = window(asked.since, asked.until);
    let found = state.app.delivery().webhooks().preview_recovery(&caller, id, window).await?;
    Ok(Json(WebhookRecoveryPreview { deliveries: found.deliveries, events: found.events, given_up: found.given_up }))
}
