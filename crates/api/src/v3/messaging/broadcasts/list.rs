//! `GET /api/ext/v3/broadcasts`: pages of broadcasts, the most recently created first.

use std::collections::HashMap;

use app::messaging::broadcasts::BroadcastFilter;

use super::shape::BroadcastShape;
use crate::input::{ShallowPageQuery, span};
use crate::prelude::*;

/// Most broadcasts of a page whose recipients are counted.
const MAX_COUNTED: i64 = 50;

members! {
    pub(crate) query ListBroadcastsQuery from Query {
        /// Only broadcasts created at this time or later, in RFC 3339 format. UTC is assumed if no offset is given; a
        /// date alone means the start of that day. Aliases: `dateFrom`, `start_date`.
        #[param(value_type = Option<String>, example = "2026-04-01")]
        date_from: Option<Moment> = moment["date_from", "dateFrom", "start_date"](),
        /// End of the range, inclusive. A date alone includes the whole day. Aliases: `dateTo`, `end_date`.
        #[param(value_type = Option<String>, example = "2026-04-30")]
        date_to: Option<Moment> = moment["date_to", "dateTo", "end_date"](),
        /// A channel's name, number or id.
        #[param(example = "Support")]
        channel: Option<String> = text["channel"](),
        /// Only broadcasts whose name contains this text, ignoring case. Aliases: `search_string`, `searchString`.
        #[param(example = "spring")]
        search: Option<String> = text["search", "search_string", "searchString"](),
        /// Adds `statistics` to each broadcast and limits `page_size` to 50. Alias: `includeStatistics`.
        #[param(value_type = Option<bool>, default = false)]
        include_statistics: Option<bool> = optional_flag["include_statistics", "includeStatistics"](),
    }
}

pub(crate) type BroadcastPage = Page<BroadcastShape, PageNumber, BroadcastTotal>;

rows!(BroadcastShape: "broadcasts" in BroadcastPage, "One page of broadcasts.");

#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct BroadcastTotal {
    /// The number of broadcasts across all pages.
    #[schema(example = 1)]
    total: i64,
}

/// Get broadcasts
///
/// Returns broadcasts, the most recently created first. Every template send is a broadcast, even to a single person.
#[described::path(
    get,
    path = "/api/ext/v3/broadcasts",
    params(ListBroadcastsQuery, ShallowPageQuery),
    responses(
        (status = 200, description = "One page of broadcasts.", body = BroadcastPage),
        (
            status = 400,
            description = "Reasons: `invalid_parameter` (also if the channel does not exist).",
            body = ErrorBody
        ),
    ),
)]
pub(crate) async fn list_broadcasts(
    Gated(state, caller): Gated,
    FromQuery(asked): FromQuery<ListBroadcastsQuery>,
    FromQuery(page): FromQuery<ShallowPageQuery>,
) -> ApiResult<Json<BroadcastPage>> {
    let with_statistics = asked.include_statistics.unwrap_or(false);
    let (from, to) = span(["date_from", "date_to"], asked.date_from, asked.date_to)?;
    let (filter, page) = (BroadcastFilter { from, to, channel: asked.channel, name_part: asked.search }, page.page()?);
    if with_statistics && page.size() > MAX_COUNTED {
        return Err(ApiError::invalid("page_size", format!("at most {MAX_COUNTED} with include_statistics")));
    }
    let (found, total) = state.app.messaging().broadcasts().list(&caller, &filter, page).await?;
    let counts = if with_statistics {
        let listed: Vec<_> = found.iter().map(|one| one.broadcast.clone()).collect();
        state.app.messaging().broadcasts().counts(&caller, &listed).await?
    } else {
        HashMap::new()
    };
    let broadcasts = found.into_iter().map(|view| {
        let counted = counts.get(&view.broadcast.id);
        BroadcastShape::from(view).with_statistics(counted)
    });
    Ok(Json(Page::new(broadcasts, page.into()).with(BroadcastTotal { total })))
}
