//! `GET /api/ext/v3/clicks`: hits on tracked links, newest first.

use app::messaging::clicks::ClickSearch;
use domain::messaging::clicks::{ClickClass, ClickSource};
use domain::{BroadcastId, MessageId};

use super::shape::ClickShape;
use crate::input::span;
use crate::prelude::*;

const DEFAULT_LIMIT: i32 = 20;
const MAX_LIMIT: i32 = 100;
/// The highest index that a button or a card can have.
const MAX_PLACE: u8 = 254;

const CLASS: &str = "expected human, repeat, preview, prefetch or scanner";

members! {
    pub(crate) query ListClicksQuery from Query {
        /// Maximum number of clicks to return.
        #[param(minimum = 1, maximum = 100, default = 20, example = 20)]
        limit: Option<i32> = number["limit", "page_size", "pageSize"](1, MAX_LIMIT),
        /// Start of the range, in RFC 3339 format. UTC is assumed if no offset is given; a date alone means the start
        /// of that day. Aliases: `dateFrom`, `start_date`.
        #[param(value_type = Option<String>, example = "2026-04-01")]
        date_from: Option<Moment> = moment["date_from", "dateFrom", "start_date"](),
        /// End of the range, inclusive. A date alone includes the whole day. Aliases: `dateTo`, `end_date`.
        #[param(value_type = Option<String>, example = "2026-04-30")]
        date_to: Option<Moment> = moment["date_to", "dateTo", "end_date"](),
        /// A template's name or id. A name includes all languages. Aliases: `template_id`, `template_name`.
        #[param(example = "spring_offer")]
        template: Option<String> = text["template", "template_id", "template_name"](),
        /// A message id. Alias: `message_id`.
        #[param(value_type = Option<String>, example = "69eb4e9a1f0c2d3e4a5b6c03")]
        message: Option<MessageId> = one_of["message", "message_id"]("expected a message's id"),
        /// A broadcast id. Alias: `broadcast_id`.
        #[param(value_type = Option<String>, example = "69eb4e9a1f0c2d3e4a5b6c04")]
        broadcast: Option<BroadcastId> = one_of["broadcast", "broadcast_id"]("expected a broadcast's id"),
        /// The message's recipient: phone number, BSUID or contact id. Aliases: `contact`, `contact_id`.
        #[param(example = "14155552671")]
        target: Option<String> = text["target", "contact", "contact_id"](),
        class: Option<ClickClass> = one_of["class"](CLASS),
        source: Option<ClickSource> = one_of["source"]("expected redirect or network"),
        /// The button's index, starting at 0. Alias: `button_index`.
        #[param(value_type = Option<i32>, minimum = 0, maximum = 254, example = 0)]
        button: Option<u8> = number["button", "button_index"](0, MAX_PLACE),
        /// The card's index, starting at 0. Alias: `card_index`.
        #[param(value_type = Option<i32>, minimum = 0, maximum = 254)]
        card: Option<u8> = number["card", "card_index"](0, MAX_PLACE),
        /// The `next_cursor` from the previous page.
        cursor: Option<String> = text["cursor"](),
    }
}

pub(crate) type ClickPage = Page<ClickShape, PageCursor>;

rows!(ClickShape: "clicks" in ClickPage, "One page of clicks.");

/// Get clicks
///
/// Returns every request for a tracked link and every click the network reported, newest first. `class` distinguishes
/// people from machines. Filters by template, message and date use an index. With other filters, each page examines a
/// bounded number of clicks, so it may contain fewer than `limit`; continue with `next_cursor`.
#[described::path(
    get,
    path = "/api/ext/v3/clicks",
    params(ListClicksQuery),
    responses(
        (status = 200, description = "One page of clicks.", body = ClickPage),
        (
            status = 404,
            description = "The template, broadcast or contact does not exist. Reasons: `not_found`.",
            body = ErrorBody
        ),
    ),
)]
pub(crate) async fn list_clicks(
    Gated(state, caller): Gated,
    FromQuery(asked): FromQuery<ListClicksQuery>,
) -> ApiResult<Json<ClickPage>> {
    let limit = asked.limit.unwrap_or(DEFAULT_LIMIT);
    let page = state.app.messaging().clicks().list(&caller, &asked.into_filter()?).await?;
    let clicks = page.clicks.into_iter().map(ClickShape::from);
    Ok(Json(ClickPage::new(clicks, PageCursor::new(limit, page.next_cursor))))
}

impl ListClicksQuery {
    fn into_filter(self) -> ApiResult<ClickSearch> {
        let (from, to) = span(["date_from", "date_to"], self.date_from, self.date_to)?;
        Ok(ClickSearch {
            template: self.template,
            message: self.message,
            broadcast: self.broadcast,
            target: self.target,
            class: self.class,
            source: self.source,
            button: self.button,
            card: self.card,
            from,
            to,
            cursor: self.cursor,
            limit: usize::try_from(self.limit.unwrap_or(DEFAULT_LIMIT)).unwrap_or(1),
        })
    }
}
