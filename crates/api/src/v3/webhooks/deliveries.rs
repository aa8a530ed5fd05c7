//! `GET /api/ext/v3/webhooks/{id}/deliveries`: the deliveries of a webhook and their outcomes.

use axum::Json;
use axum::extract::State;
use domain::time::{as_optional_rfc3339, as_rfc3339};
use domain::webhooks::Delivery;
use domain::webhooks::DeliveryState;
use domain::{DeliveryId, Timestamp};
use serde::Serialize;
use utoipa::ToSchema;

use super::webhook_id;
use crate::ApiState;
use crate::error::{ApiResult, ErrorBody};
use crate::gate::Caller;
use crate::input::{FromPath, FromQuery, Query, members};
use crate::page::{Page, PageRow};

const DEFAULT_LIMIT: i32 = 20;
const MAX_LIMIT: i32 = 100;

members! {
    #[derive(Debug, utoipa::IntoParams)]
    #[into_params(parameter_in = Query)]
    pub(crate) struct ListDeliveriesQuery from Query {
        #[param(minimum = 1, maximum = 100, default = 20, example = 20, nullable = false)]
        limit: Option<i32> = number["limit"](1, MAX_LIMIT),
        /// `delivered`, `retrying`, `held`, `parked` or `failed`.
        #[param(value_type = Option<String>, example = "failed", nullable = false)]
        state: Option<DeliveryState> = one_of["state"](any_state()),
        /// `next_cursor` of the previous page.
        #[param(nullable = false)]
        cursor: Option<String> = text["cursor"](),
    }
}

fn any_state() -> String {
    let names: Vec<_> = DeliveryState::ALL.iter().map(|one| one.name()).collect();
    format!("expected one of {}", names.join(", "))
}

pub(crate) type DeliveryPage = Page<DeliveryShape, NextCursor>;

impl PageRow for DeliveryShape {
    const MEMBER: &'static str = "deliveries";
    const SCHEMA: (&'static str, &'static str) = ("WebhookDeliveries", "One page of deliveries.");
}

#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct NextCursor {
    /// For the parameter `cursor` of the next call; absent on the last page.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    next_cursor: Option<String>,
}

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = WebhookDelivery)]
pub(crate) struct DeliveryShape {
    /// The event's id, which the receiver gets as `webhook-id`.
    #[schema(value_type = String, example = "69eb4e9a1f0c2d3e4a5b6c7d")]
    id: DeliveryId,
    /// The event's number in the log; 0 for a test.
    #[schema(example = 4711)]
    number: i64,
    #[schema(example = "message")]
    r#type: &'static str,
    /// `delivered`; `retrying`: tried again at `next_attempt`; `held`: waits for an earlier delivery of its
    /// conversation; `parked`: waits until the webhook is recovered; `failed`: given up.
    #[schema(example = "delivered")]
    state: &'static str,
    #[schema(example = 1)]
    attempts: i64,
    #[serde(serialize_with = "as_rfc3339")]
    #[schema(value_type = String, format = "date-time", example = "2026-04-24T10:00:00.000Z")]
    first_attempt: Timestamp,
    #[serde(serialize_with = "as_rfc3339")]
    #[schema(value_type = String, format = "date-time", example = "2026-04-24T10:00:00.000Z")]
    last_attempt: Timestamp,
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "as_optional_rfc3339")]
    #[schema(value_type = Option<String>, nullable = false, format = "date-time", example = "2026-04-24T10:00:05.000Z")]
    next_attempt: Option<Timestamp>,
    /// The HTTP status of the last answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, example = 200)]
    response_status: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, example = 38)]
    latency_ms: Option<i64>,
    /// The beginning of the last answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, example = "ok")]
    response_excerpt: Option<String>,
}

impl From<Delivery> for DeliveryShape {
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
/// The newest first. Deliveries are kept for `webhooks.keep_deliveries_days` days (a setting of the server). With
/// `state`, a page may have fewer than `limit` rows although more follow: read on while there is a `next_cursor`.
#[utoipa::path(
    get,
    path = "/api/ext/v3/webhooks/{id}/deliveries",
    tag = "webhooks",
    params(
        ("id" = String, Path, description = "The webhook's id.", example = "69eb4e9a1f0c2d3e4a5b6c7d"),
        ListDeliveriesQuery,
    ),
    responses(
        (status = 200, description = "One page of deliveries.", body = DeliveryPage),
        (status = 404, description = "Reasons: `not_found`.", body = ErrorBody),
    ),
)]
pub(crate) async fn list_webhook_deliveries(
    State(state): State<ApiState>,
    caller: Caller,
    FromPath(id): FromPath<String>,
    FromQuery(asked): FromQuery<ListDeliveriesQuery>,
) -> ApiResult<Json<DeliveryPage>> {
    let limit = usize::try_from(asked.limit.unwrap_or(DEFAULT_LIMIT)).unwrap_or(0);
    let (wanted, cursor) = (asked.state, asked.cursor.as_deref());
    let page = state.app.webhooks().deliveries(&caller, webhook_id(&id)?, wanted, cursor, limit).await?;
    let deliveries = page.deliveries.into_iter().map(DeliveryShape::from);
    Ok(Json(DeliveryPage::new(deliveries, NextCursor { next_cursor: page.next_cursor })))
}
