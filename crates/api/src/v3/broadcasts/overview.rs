//! `GET /api/ext/v3/broadcasts/overview`: where the recipients of all broadcasts of a span of time stand.

use app::broadcasts::Filter;
use axum::Json;
use axum::extract::State;
use domain::broadcasts::{Statistics, Status};
use domain::time::Moment;
use serde::Serialize;
use utoipa::ToSchema;

use crate::ApiState;
use crate::error::{ApiResult, ErrorBody};
use crate::gate::Caller;
use crate::input::{FromQuery, Query, members, span};

members! {
    #[derive(Debug, utoipa::IntoParams)]
    #[into_params(parameter_in = Query)]
    pub(crate) struct BroadcastOverviewQuery from Query {
        /// Broadcasts made then or later: RFC 3339; without a zone it is UTC; a date alone is its first instant. Also
        /// accepted: `dateFrom`, `start_date`.
        #[param(value_type = String, example = "2026-04-01")]
        date_from: Moment = required_moment["date_from", "dateFrom", "start_date"](),
        /// The same, inclusive; a date alone covers that whole day. Also accepted: `dateTo`, `end_date`.
        #[param(value_type = String, example = "2026-04-30")]
        date_to: Moment = required_moment["date_to", "dateTo", "end_date"](),
        /// Name, number or id of a channel; all channels when absent.
        #[param(example = "Support", nullable = false)]
        channel: Option<String> = text["channel"](),
    }
}

/// Each recipient is counted in one place.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = BroadcastOverview)]
#[expect(clippy::struct_field_names, reason = "the wire has them")]
pub(crate) struct BroadcastOverview {
    /// Links that people followed, each of each message once; see `GET /clicks/counts`.
    total_links: i64,
    /// Their time has not come.
    total_processing: i64,
    /// They may leave.
    total_queued: i64,
    total_sent: i64,
    total_delivered: i64,
    /// Read.
    total_open: i64,
    total_replied: i64,
    total_failed: i64,
    total_stopped: i64,
    /// The network has them and has said nothing yet, or nobody knows whether it has them.
    total_sending: i64,
}

/// Get the overview of broadcasts
#[utoipa::path(
    get,
    path = "/api/ext/v3/broadcasts/overview",
    tag = "broadcasts",
    params(BroadcastOverviewQuery),
    responses(
        (status = 200, description = "All broadcasts of the span together.", body = BroadcastOverview),
        (status = 404, description = "There is no such channel. Reasons: `not_found`.", body = ErrorBody),
    ),
)]
pub(crate) async fn get_broadcast_overview(
    State(state): State<ApiState>,
    caller: Caller,
    FromQuery(asked): FromQuery<BroadcastOverviewQuery>,
) -> ApiResult<Json<BroadcastOverview>> {
    let (from, to) = span(["date_from", "date_to"], Some(asked.date_from), Some(asked.date_to))?;
    let filter = Filter { from, to, channel: asked.channel };
    let broadcasts = state.app.broadcasts();
    let (statistics, links) = (broadcasts.overview(&caller, &filter).await?, broadcasts.links(&caller, &filter).await?);
    Ok(Json(BroadcastOverview::new(&statistics, links)))
}

impl BroadcastOverview {
    fn new(statistics: &Statistics, total_links: i64) -> Self {
        let of = |status| statistics.of(status);
        Self {
            total_links,
            total_processing: of(Status::Pending),
            total_queued: of(Status::Queued),
            total_sent: of(Status::Sent),
            total_delivered: of(Status::Delivered),
            total_open: of(Status::Read),
            total_replied: of(Status::Replied),
            total_failed: of(Status::Failed),
            total_stopped: of(Status::Stopped),
            total_sending: of(Status::Sending),
        }
    }
}
