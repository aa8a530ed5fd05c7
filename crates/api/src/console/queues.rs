//! `GET /console/api/queues`: how much waits in each queue, how many events each endpoint is behind, and which node
//! holds which lease.

use app::queues::{EndpointLag, LeaseView, QueueView};
use axum::Json;
use axum::extract::State;
use domain::time::{as_optional_rfc3339, as_rfc3339};
use domain::{Timestamp, WebhookId};
use serde::Serialize;

use super::guard::SignedIn;
use crate::ApiState;
use crate::error::ApiResult;

#[derive(Serialize)]
pub(crate) struct QueuesAnswer {
    queues: Vec<QueueShape>,
    endpoints: Vec<EndpointShape>,
    leases: Vec<LeaseShape>,
    /// The highest count that is reported: counting stops there.
    most: i64,
}

#[derive(Serialize)]
struct QueueShape {
    /// `outbox`, `inbound`, `parked`, `events`, `fetches`, `imports` or `activity`.
    name: &'static str,
    waiting: i64,
    #[serde(serialize_with = "as_optional_rfc3339")]
    oldest_at: Option<Timestamp>,
    /// `ok`, `warn` or `bad`.
    state: &'static str,
}

#[derive(Serialize)]
struct EndpointShape {
    id: WebhookId,
    url: String,
    status: &'static str,
    behind: i64,
    #[serde(serialize_with = "as_optional_rfc3339")]
    oldest_at: Option<Timestamp>,
    #[serde(serialize_with = "as_optional_rfc3339")]
    failing_since: Option<Timestamp>,
    failed_in_a_row: i64,
    reason: Option<String>,
    state: &'static str,
}

#[derive(Serialize)]
struct LeaseShape {
    name: String,
    holder: String,
    #[serde(serialize_with = "as_rfc3339")]
    expires_at: Timestamp,
}

impl From<QueueView> for QueueShape {
    fn from(one: QueueView) -> Self {
        Self { name: one.name, waiting: one.waiting, oldest_at: one.oldest_at, state: one.state.name() }
    }
}

impl From<EndpointLag> for EndpointShape {
    fn from(one: EndpointLag) -> Self {
        let EndpointLag { webhook, behind, oldest_at, state } = one;
        Self {
            id: webhook.id,
            url: webhook.url,
            status: webhook.status.name(),
            behind,
            oldest_at,
            failing_since: webhook.health.failing_since,
            failed_in_a_row: webhook.health.failed_in_a_row,
            reason: webhook.reason,
            state: state.name(),
        }
    }
}

impl From<LeaseView> for LeaseShape {
    fn from(one: LeaseView) -> Self {
        Self { name: one.name, holder: one.holder, expires_at: one.expires_at }
    }
}

pub(crate) async fn show_queues(State(state): State<ApiState>, signed_in: SignedIn) -> ApiResult<Json<QueuesAnswer>> {
    let (app, caller) = (&state.app, &signed_in);
    Ok(Json(QueuesAnswer {
        queues: app.queues(caller).await?.into_iter().map(QueueShape::from).collect(),
        endpoints: app.endpoint_lags(caller).await?.into_iter().map(EndpointShape::from).collect(),
        leases: app.held_leases(caller).await?.into_iter().map(LeaseShape::from).collect(),
        most: app::queues::MOST,
    }))
}
