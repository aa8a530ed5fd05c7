//! `GET /api/ext/v3/broadcasts/overview`: counts of the recipients of all broadcasts in a range of time.

use app::broadcasts::BroadcastFilter;
use domain::broadcasts::{CumulativeStatistics, RecipientStatus};

use crate::input::span;
use crate::prelude::*;

members! {
    pub(crate) query BroadcastOverviewQuery from Query {
        /// The start of the range, by creation time: RFC 3339, in UTC if it names no zone; a date means its first
        /// instant. Also accepted: `dateFrom`, `start_date`.
        #[param(value_type = String, example = "2026-04-01")]
        date_from: Moment = required_moment["date_from", "dateFrom", "start_date"](),
        /// The end of the range, inclusive; a date includes the whole day. Also accepted: `dateTo`, `end_date`.
        #[param(value_type = String, example = "2026-04-30")]
        date_to: Moment = required_moment["date_to", "dateTo", "end_date"](),
        /// Name, number or id of a channel; all channels when absent.
        #[param(example = "Support")]
        channel: Option<String> = text["channel"](),
        /// Only broadcasts with this part in their name, in any letter case. Also accepted: `searchString`.
        #[param(example = "spring")]
        search_string: Option<String> = text["search_string", "searchString"](),
    }
}

/// From `total_sent` on, a message counts in its own status and in every earlier one: `total_sent` ≥ `total_delivered`
/// ≥ `total_open` ≥ `total_replied`. A message that failed after it was sent counts in both.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = BroadcastOverview)]
#[expect(clippy::struct_field_names, reason = "the wire has them")]
pub(crate) struct BroadcastOverview {
    /// Links that people opened, each once per message; see `GET /clicks/counts`.
    total_links: i64,
    /// Scheduled for later.
    total_processing: i64,
    /// Due, and waiting to be sent.
    total_queued: i64,
    total_sent: i64,
    total_delivered: i64,
    /// Read by the recipient.
    total_open: i64,
    total_replied: i64,
    total_failed: i64,
    total_stopped: i64,
    /// Accepted by the network without a status yet, or of unknown outcome.
    total_sending: i64,
}

/// Get the overview of broadcasts
#[described::path(
    get,
    path = "/api/ext/v3/broadcasts/overview",
    params(BroadcastOverviewQuery),
    responses(
        (status = 200, description = "The counts of all broadcasts in the range.", body = BroadcastOverview),
        (status = 400, description = "Reasons: `invalid_parameter`; also for a channel that does not exist.", body = ErrorBody),
    ),
)]
pub(crate) async fn get_broadcast_overview(
    Gated(state, caller): Gated,
    FromQuery(asked): FromQuery<BroadcastOverviewQuery>,
) -> ApiResult<Json<BroadcastOverview>> {
    let (from, to) = span(["date_from", "date_to"], Some(asked.date_from), Some(asked.date_to))?;
    let filter = BroadcastFilter { from, to, channel: asked.channel, name_part: asked.search_string };
    let broadcasts = state.app.broadcasts();
    let (statistics, links) = (broadcasts.overview(&caller, &filter).await?, broadcasts.links(&caller, &filter).await?);
    Ok(Json(BroadcastOverview::new(&statistics, links)))
}

impl BroadcastOverview {
    fn new(statistics: &CumulativeStatistics, total_links: i64) -> Self {
        let of = |status| statistics.of(status);
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
        }
    }
}
