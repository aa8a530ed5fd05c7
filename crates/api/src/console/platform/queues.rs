//! `GET /console/api/queues`: how much is waiting in each queue, how many events each endpoint is behind, and which
//! node holds which lease.

use app::platform::queues::{EndpointLag, LeaseView, QueueView};
use domain::WebhookId;

use crate::console::guard::SignedIn;
use crate::prelude::*;

#[derive(Serialize, ToSchema)]
pub(crate) struct QueuesReport {
    queues: Vec<QueueShape>,
    endpoints: Vec<EndpointShape>,
    leases: Vec<Lease>,
    /// The highest count that is reported; counting stops there.
    most: i64,
}

#[derive(Serialize, ToSchema)]
#[schema(as = Queue)]
struct QueueShape {
    /// `outbox`, `inbound`, `parked`, `events`, `fetches`, `imports` or `activity`.
    name: &'static str,
    waiting: i64,
    #[serde(serialize_with = "as_optional_rfc3339")]
    oldest_at: Option<Timestamp>,
    /// `ok`, `warn` or `bad`.
    state: &'static str,
}

#[derive(Serialize, ToSchema)]
#[schema(as = QueueEndpoint)]
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

#[derive(Serialize, ToSchema)]
struct Lease {
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

impl From<LeaseView> for Lease {
    fn from(one: LeaseView) -> Self {
        Self { name: one.name, holder: one.holder, expires_at: one.expires_at }
    }
}

/// Get queues, endpoints and leases
#[described::path(
    get,
    path = "/console/api/queues",
    responses((status = 200, description = "The queues.", body = QueuesReport)),
)]
pub(crate) async fn show_queues(State(state): State<ApiState>, signed_in: SignedIn) -> ApiResult<Json<QueuesReport>> {
    let (app, caller) = (&state.app, &signed_in);
    Ok(Json(QueuesReport {
        queues: app.platform().queues(caller).await?.into_iter().map(QueueShape::from).collect(),
        endpoints: app.platform().endpoint_lags(caller).await?.into_iter().map(EndpointShape::from).collect(),
        leases: app.platform().current_leases(caller).await?.into_iter().map(Lease::from).collect(),
        most: app::platform::queues::MOST,
    }))
}
