//! `GET /api/ext/v3/webhooks/{id}/deliveries`: a webhook's deliveries and their outcomes.

use domain::delivery::webhooks::{Delivery, DeliveryState};
use domain::{DeliveryId, WebhookId};

use crate::prelude::*;

const DEFAULT_LIMIT: i32 = 20;
const MAX_LIMIT: i32 = 100;

members! {
    pub(crate) query ListDeliveriesQuery from Query {
        #[param(minimum = 1, maximum = 100, default = 20, example = 20)]
        limit: Option<i32> = number["limit"](1, MAX_LIMIT),
        /// `delivered`, `retrying`, `held`, `parked` or `failed`.
        #[param(value_type = Option<String>, example = "failed")]
        state: Option<DeliveryState> = one_of["state"](any_state()),
        /// The `next_cursor` from the previous page.
        cursor: Option<String> = text["cursor"](),
    }
}

fn any_state() -> String {
    let names: Vec<_> = DeliveryState::ALL.iter().map(|one| one.name()).collect();
    format!("expected one of {}", names.join(", "))
}

pub(crate) type DeliveryPage = Page<WebhookDelivery, NextCursor>;

rows!(WebhookDelivery: "deliveries" in WebhookDeliveries, "One page of deliveries.");

#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct NextCursor {
    /// Pass this as `cursor` to get the next page. Absent on the last page.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    next_cursor: Option<String>,
}

#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct WebhookDelivery {
    /// The event's id, which the receiver gets as `webhook-id`.
    id: DeliveryId,
    /// The event's number in the log; 0 for a test.
    #[schema(example = 4711)]
    number: i64,
    #[schema(example = "message")]
    r#type: &'static str,
    /// `delivered`; `retrying`: tried again at `next_attempt`; `held`: waiting for an earlier delivery of its
    /// conversation; `parked`: waiting until the webhook is recovered; `failed`: given up.
    #[schema(example = "delivered")]
    state: &'static str,
    #[schema(example = 1)]
    attempts: i64,
    #[serde(serialize_with = "as_rfc3339")]
    first_attempt: Timestamp,
    #[serde(serialize_with = "as_rfc3339")]
    last_attempt: Timestamp,
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "as_optional_rfc3339")]
    #[schema(nullable = false)]
    next_attempt: Option<Timestamp>,
    /// The HTTP status of the last response.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, example = 200)]
    response_status: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, example = 38)]
    latency_ms: Option<i64>,
    /// The beginning of the last response.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, example = "ok")]
    response_excerpt: Option<String>,
}

impl From<Delivery> for WebhookDelivery {
    fn from(one: Delivery) -> Self {
        Self {
            id: one.id,
            number: one.number,
            r#type: one.kind.name(),
            state: one.state.name(),
            attempts: one.attempts,
            first_attempt: one.first_at,
            last_attempt: one.last_at,
            next_attempt: one.due_at,
            response_status: one.status,
            latency_ms: one.latency.map(milliseconds),
            response_excerpt: one.excerpt,
        }
    }
}

/// Converts microseconds to milliseconds, rounded.
pub(super) fn milliseconds(micros: i64) -> i64 {
    micros.saturating_add(500) / 1000
}

/// Get a webhook's deliveries
///
/// Returns deliveries, newest first. Deliveries are kept for `webhooks.keep_deliveries_days` days (a server setting).
/// With `state`, a page may contain fewer than `limit` rows even if more follow: continue as long as there is a
/// `next_cursor`.
#[described::path(
    get,
    path = "/api/ext/v3/webhooks/{id}/deliveries",
    params(ListDeliveriesQuery),
    responses((status = 200, description = "One page of deliveries.", body = DeliveryPage)),
)]
pub(crate) async fn list_webhook_deliveries(
    Gated(state, caller): Gated,
    Path((id,)): Path<(WebhookId,)>,
    FromQuery(asked): FromQuery<ListDeliveriesQuery>,
) -> ApiResult<Json<DeliveryPage>> {
    let limit = usize::try_from(asked.limit.unwrap_or(DEFAULT_LIMIT)).unwrap_or(0);
    let (wanted, cursor) = (asked.state, asked.cursor.as_deref());
    let page = state.app.delivery().webhooks().deliveries(&caller, id, wanted, cursor, limit).await?;
    let deliveries = page.deliveries.into_iter().map(WebhookDelivery::from);
    Ok(Json(DeliveryPage::new(deliveries, NextCursor { next_cursor: page.next_cursor })))
}
