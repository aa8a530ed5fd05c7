//! `POST /api/ext/v3/webhooks/{id}/recover`: delivers the events that a webhook missed in a time window.

use domain::WebhookId;

use super::recovery::window;
use crate::prelude::*;

#[derive(Debug, Deserialize, ToSchema)]
pub(crate) struct WebhookRecovery {
    /// Start of the window, in RFC 3339 format. A date alone means the start of that day.
    #[schema(format = "date-time", example = "2026-04-24T10:00:00Z")]
    since: String,
    /// End of the window, inclusive, in RFC 3339 format. A date alone means the end of that day in UTC. Later events
    /// are not recovered: a `Defective` webhook skips them and continues with new ones; for an ordered webhook,
    /// `given_up` counts them. Defaults to now.
    #[schema(format = "date-time", nullable = false, example = "2026-04-24T12:00:00Z")]
    until: Option<String>,
}

#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct WebhookRecovered {
    webhook_id: WebhookId,
    #[schema(example = "Enabled")]
    status: &'static str,
    /// Failed, parked and waiting deliveries that are being retried now.
    #[schema(example = 12)]
    deliveries: u64,
    /// For an ordered webhook: parked deliveries outside the window. They are given up because later deliveries would
    /// wait for them.
    #[schema(example = 0)]
    given_up: u64,
    /// Undelivered events after this number are delivered now.
    #[schema(example = 4711)]
    after: i64,
    /// The number of events examined again for this.
    #[schema(example = 340)]
    events: i64,
}

/// Recover a webhook
///
/// Delivers events between `since` and `until` that were not delivered, with their original ids. Events that were
/// delivered are not delivered again. `GET /webhooks/{id}/recovery` shows the progress, and `DELETE` on the same path
/// cancels the recovery. A `Defective` webhook becomes `Enabled`; a `Disabled` one must be enabled first. Events older
/// than the `events.keep_days` setting no longer exist.
#[described::path(
    post,
    path = "/api/ext/v3/webhooks/{id}/recover",
    responses(
        (status = 200, description = "What is being delivered again.", body = WebhookRecovered),
        (status = 409, description = "Reasons: `conflict` (the webhook is disabled).", body = ErrorBody),
    ),
)]
pub(crate) async fn recover_webhook(
    Gated(state, caller): Gated,
    Path((id,)): Path<(WebhookId,)>,
    Json(input): Json<WebhookRecovery>,
) -> ApiResult<Json<WebhookRecovered>> {
    let moment = |name, text: &str| Moment::parse(text).map_err(|error| ApiError::invalid(name, error));
    let until = input.until.as_deref().map(|text| moment("until", text)).transpose()?;
    let window = window(moment("since", &input.since)?, until);
    let done = state.app.delivery().webhooks().recover(&caller, id, window).await?;
    Ok(Json(WebhookRecovered {
        webhook_id: done.id,
        status: done.status.name(),
        deliveries: done.deliveries,
        given_up: done.given_up,
        after: done.after,
        events: done.events,
    }))
}
