//! `GET /api/ext/v3/activity/messages`: the rows behind a daily count.

use app::platform::activity::{ActivityRow, ActivitySearch};
use domain::platform::activity::ActivityMetric;
use domain::{ChannelId, ContactId, ConversationId, MessageId};

use crate::input::span;
use crate::prelude::*;

const DEFAULT_LIMIT: i32 = 50;
const MAX_LIMIT: i32 = 100;
const MEASURES: &str = "expected received, sent, templates_sent, delivered, read, failed, clicked or first_responses";

members! {
    pub(crate) query ActivityMessagesQuery from Query {
        /// The count to expand: `received`, `sent`, `templates_sent`, `delivered`, `read`, `failed`, `clicked` or
        /// `first_responses`.
        #[param(required = true, example = "failed")]
        measure: Option<String> = text["measure"](),
        /// First day, in UTC. Defaults to 29 days before the last day.
        #[param(value_type = Option<String>, example = "2026-04-01")]
        date_from: Option<Moment> = moment["date_from", "dateFrom", "start_date"](),
        /// Last day, in UTC, inclusive. Defaults to today.
        #[param(value_type = Option<String>, example = "2026-04-30")]
        date_to: Option<Moment> = moment["date_to", "dateTo", "end_date"](),
        /// Only activity on the channel with this id.
        #[param(value_type = Option<String>, example = "69eb4e9a1f0c2d3e4a5b6c01")]
        channel_id: Option<ChannelId> = one_of["channel_id", "channel"]("expected the id of a channel"),
        /// Maximum number of rows to return.
        #[param(minimum = 1, maximum = 100, default = 50)]
        limit: Option<i32> = number["limit", "page_size", "pageSize"](1, MAX_LIMIT),
        /// The `next_cursor` from the previous page.
        cursor: Option<String> = text["cursor"](),
    }
}

#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ActivityMessages {
    /// Newest first.
    rows: Vec<ActivityRowShape>,
    /// Pass this as `cursor` to get the next page. Absent on the last page.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    next_cursor: Option<String>,
    /// Present if the range starts before the oldest stored row: rows before this time are no longer kept.
    #[serde(serialize_with = "as_optional_rfc3339", skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    kept_since: Option<Timestamp>,
}

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ActivityRow)]
pub(crate) struct ActivityRowShape {
    /// When the message was received, sent, reported or answered, or the link was opened.
    #[serde(serialize_with = "as_rfc3339")]
    at: Timestamp,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    conversation_id: Option<ConversationId>,
    /// Absent if the contact was deleted.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    contact_id: Option<ContactId>,
    #[schema(example = "Ada Lovelace")]
    contact_name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "ada.lovelace", nullable = false)]
    username: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "14155552671", nullable = false)]
    phone: Option<String>,
    #[schema(example = "US.13491208655302741918")]
    bsuid: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    channel_id: Option<ChannelId>,
    /// Absent for clicks.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    message_id: Option<MessageId>,
    /// The network's message type. Absent for clicks and failures.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    #[schema(example = "text", nullable = false)]
    kind: Option<String>,
    /// The first 100 characters of the text.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "Where is my order?", nullable = false)]
    text: Option<String>,
    /// Why the message failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    detail: Option<String>,
    /// For first responses: how many seconds the person waited.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = 180, nullable = false)]
    seconds: Option<i64>,
}

impl From<ActivityRow> for ActivityRowShape {
    fn from(row: ActivityRow) -> Self {
        Self {
            at: row.at,
            conversation_id: row.conversation_id,
            contact_id: row.contact_id,
            contact_name: row.contact.name,
            username: row.contact.username,
            phone: row.contact.phone,
            bsuid: row.contact.bsuid,
            channel_id: row.channel_id,
            message_id: row.message_id,
            kind: row.kind,
            text: row.text,
            detail: row.detail,
            seconds: row.seconds,
        }
    }
}

/// Get the rows behind a daily count
///
/// Returns what `GET /activity/daily` counts, one row each, newest first. Days begin at midnight UTC. Each page
/// examines a bounded number of entries, so it may contain fewer rows than `limit`; continue with `next_cursor`. Rows
/// are kept as long as events, and first responses as long as messages.
#[described::path(
    get,
    path = "/api/ext/v3/activity/messages",
    params(ActivityMessagesQuery),
    responses((status = 200, description = "One page of rows.", body = ActivityMessages)),
)]
pub(crate) async fn list_activity_messages(
    Gated(state, caller): Gated,
    FromQuery(asked): FromQuery<ActivityMessagesQuery>,
) -> ApiResult<Json<ActivityMessages>> {
    let measure = asked.measure.as_deref().and_then(|text| text.parse::<ActivityMetric>().ok());
    let measure = measure.filter(|measure| *measure != ActivityMetric::FirstResponseSeconds);
    let measure = measure.ok_or_else(|| ApiError::invalid("measure", MEASURES))?;
    let (from, to) = span(["date_from", "date_to"], asked.date_from, asked.date_to)?;
    let search = ActivitySearch {
        measure,
        from,
        to,
        channel: asked.channel_id,
        cursor: asked.cursor,
        limit: usize::try_from(asked.limit.unwrap_or(DEFAULT_LIMIT)).unwrap_or(1),
    };
    let found = state.app.platform().activity().rows(&caller, &search).await?;
    Ok(Json(ActivityMessages {
        rows: found.rows.into_iter().map(ActivityRowShape::from).collect(),
        next_cursor: found.next_cursor,
        kept_since: found.kept_since,
    }))
}
