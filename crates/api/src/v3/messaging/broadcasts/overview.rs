//! `GET /api/ext/v3/broadcasts/overview`: recipient counts across all broadcasts in a time range.

use app::messaging::broadcasts::BroadcastFilter;
use domain::messaging::broadcasts::{CumulativeStatistics, RecipientStatus};

use crate::input::span;
use crate::prelude::*;

members! {
    pub(crate) query BroadcastOverviewQuery from Query {
        /// Start of the range by creation time, in RFC 3339 format. UTC is assumed if no offset is given; a date alone
        /// means the start of that day. Aliases: `dateFrom`, `start_date`.
        #[param(value_type = String, example = "2026-04-01")]
        date_from: Moment = required_moment["date_from", "dateFrom", "start_date"](),
        /// End of the range, inclusive. A date alone includes the whole day. Aliases: `dateTo`, `end_date`.
        #[param(value_type = String, example = "2026-04-30")]
        date_to: Moment = required_moment["date_to", "dateTo", "end_date"](),
        /// A channel's name, number or id. Defaults to all channels.
        #[param(example = "Support")]
        channel: Option<String> = text["channel"](),
        /// Only broadcasts whose name contains this text, ignoring case. Alias: `searchString`.
        #[param(example = "spring")]
        search_string: Option<String> = text["search_string", "searchString"](),
    }
}

/// From `total_sent` on, a message counts towards its own status and every earlier one, so `total_sent` ≥
/// `total_delivered` ≥ `total_open` ≥ `total_replied`. A message that failed after it was sent counts as both.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = BroadcastOverview)]
#[expect(clippy::struct_field_names, reason = "the wire has them")]
pub(crate) struct BroadcastOverview {
    /// Links that people opened, counted once per message; see `GET /clicks/counts`.
    total_links: i64,
    /// Scheduled for later.
    total_processing: i64,
    /// Due and waiting to be sent.
    total_queued: i64,
    total_sent: i64,
    total_delivered: i64,
    /// Read by the recipient.
    total_open: i64,
    total_replied: i64,
    total_failed: i64,
    total_stopped: i64,
    /// Accepted by the network but without a status yet.
    total_sending: i64,
    /// The network may have accepted the message, but its response was lost.
    total_unknown: i64,
}

/// Get a broadcast overview
#[described::path(
    get,
    path = "/api/ext/v3/broadcasts/overview",
    params(BroadcastOverviewQuery),
    responses(
        (status = 200, description = "Counts for all broadcasts in the range.", body = BroadcastOverview),
        (
            status = 400,
            description = "Reasons: `invalid_parameter` (also if the channel does not exist).",
            body = ErrorBody
        ),
    ),
)]
pub(crate) async fn get_broadcast_overview(
    Gated(state, caller): Gated,
    FromQuery(asked): FromQuery<BroadcastOverviewQuery>,
) -> ApiResult<Json<BroadcastOverview>> {
    let (from, to) = span(["date_from", "date_to"], Some(asked.date_from), Some(asked.date_to))?;
    let filter = BroadcastFilter { from, to, channel: asked.channel, name_part: asked.search_string };
    let broadcasts = state.app.messaging().broadcasts();
    let (statistics, links) = (broadcasts.overview(&caller, &filter).await?, broadcasts.links(&caller, &filter).await?);
    Ok(Json(BroadcastOverview::new(&statistics, links)))
}

impl BroadcastOverview {
    fn new(statistics: &CumulativeStatistics, total_links: i64) -> Self {
        let of = |status| statistics.get(status);
        Self {
            total_links,
            total_processing: of(RecipientStatus::Pending),
            total_queued: of(RecipientStatus::Queued),
            total_sent: of(RecipientStatus::Sent),
            total_delivered: of(RecipientStatus::Delivered),
            total_open: of(RecipientStatus::Read),
            total_replied: of(RecipientStatus::Replied),
            total_failed: of(RecipientStatus::Failed),
            total_stopped: of(RecipientStatus::Stopped),
            total_sending: of(RecipientStatus::Sending),
            total_unknown: of(RecipientStatus::Unknown),
        }
    }
}
