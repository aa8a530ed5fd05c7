//! `GET /api/ext/v3/broadcasts/overview`: where the recipients of all broadcasts of a span of time stand.

use axum::Json;
use axum::extract::State;
use domain::broadcasts::{Statistics, Status};
use serde::Serialize;
use utoipa::ToSchema;

use super::{DATE_FROM, DATE_TO, filter};
use crate::ApiState;
use crate::error::{ApiError, ApiResult, ErrorBody};
use crate::gate::Caller;
use crate::input::Query;

/// The parameters, for the document: what is read is read name by name.
#[derive(utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "a description of what is read name by name")]
pub(crate) struct Parameters {
    /// Broadcasts made then or later: RFC 3339; without a zone it is UTC; a date alone is its first instant. Also
    /// accepted: `dateFrom`, `start_date`.
    #[param(example = "2026-04-01")]
    date_from: String,
    /// The same, inclusive; a date alone covers that whole day. Also accepted: `dateTo`, `end_date`.
    #[param(example = "2026-04-30")]
    date_to: String,
    /// Name, number or id of a channel; all channels when absent.
    #[param(example = "Support", nullable = false)]
    channel: Option<String>,
}

/// Each recipient is counted in one place.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = BroadcastOverview)]
#[expect(clippy::struct_field_names, reason = "the wire has them")]
pub(crate) struct Overview {
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
    params(Parameters),
    responses(
        (status = 200, description = "All broadcasts of the span together.", body = Overview),
        (status = 404, description = "There is no such channel. Reasons: `not_found`.", body = ErrorBody),
    ),
)]
pub(crate) async fn get_broadcast_overview(
    State(state): State<ApiState>,
    caller: Caller,
    query: Query,
) -> ApiResult<Json<Overview>> {
    let filter = filter(&query)?;
    for (name, given) in [(DATE_FROM[0], filter.from), (DATE_TO[0], filter.to)] {
        given.ok_or_else(|| ApiError::invalid(name, "is required"))?;
    }
    let broadcasts = state.app.broadcasts();
    let (statistics, links) = (broadcasts.overview(&caller, &filter).await?, broadcasts.links(&caller, &filter).await?);
    Ok(Json(Overview::new(&statistics, links)))
}

impl Overview {
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
