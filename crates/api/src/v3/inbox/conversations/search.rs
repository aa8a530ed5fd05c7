//! `GET /api/ext/v3/conversations/messages/search`: finds messages by their words.

use app::inbox::conversations::{ContactSummary, FoundMessage};

use crate::prelude::*;
use crate::v3::messaging::messages::shape::MessageShape;

members! {
    pub(crate) query SearchMessagesQuery from Query {
        /// Words, or beginnings of words, ignoring case. At least one must have three letters or more.
        #[param(example = "order ready", max_length = 200)]
        query: String = required_text["query", "q"](),
        #[param(minimum = 1, maximum = 100, default = 20, example = 20)]
        limit: Option<i32> = number["limit"](1, 100),
        /// The `next_cursor` from the previous page.
        cursor: Option<String> = text["cursor"](),
    }
}

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = FoundMessage)]
pub(crate) struct FoundMessageShape {
    /// The text around the first matching word.
    #[schema(example = "Hi, is my order ready?")]
    snippet: String,
    #[schema(example = "Ada Lovelace")]
    contact_name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "ada.lovelace", nullable = false)]
    username: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "14155552671", nullable = false)]
    phone: Option<String>,
    message: MessageShape,
}

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = FoundMessages)]
pub(crate) struct FoundMessagesAnswer {
    /// Newest first.
    results: Vec<FoundMessageShape>,
    /// Pass this as `cursor` to get the next page. Absent on the last page.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    next_cursor: Option<String>,
}

impl From<FoundMessage> for FoundMessageShape {
    fn from(found: FoundMessage) -> Self {
        let message = MessageShape::new(&found.entry, None);
        let ContactSummary { name, username, phone, .. } = found.contact;
        Self { snippet: found.snippet, contact_name: name, username, phone, message }
    }
}

/// Search messages
///
/// Finds received messages and free-form messages that were sent, but not templates or notes. Messages become
/// searchable a few seconds after they arrive. Each page examines at most 5 000 candidates and takes at most two
/// seconds, so it may contain fewer than `limit` results and still have a `next_cursor`.
#[described::path(
    get,
    path = "/api/ext/v3/conversations/messages/search",
    params(SearchMessagesQuery),
    responses(
        (status = 200, description = "Messages that contain these words.", body = FoundMessagesAnswer),
        (
            status = 409,
            description = "Reasons: `conflict` (too many simultaneous searches; try again).",
            body = ErrorBody
        ),
    ),
)]
pub(crate) async fn search_messages(
    Gated(state, caller): Gated,
    FromQuery(asked): FromQuery<SearchMessagesQuery>,
) -> ApiResult<Json<FoundMessagesAnswer>> {
    let limit = usize::try_from(asked.limit.unwrap_or(20)).unwrap_or(20);
    let found = state
        .app
        .inbox()
        .conversations()
        .search_messages(&caller, &asked.query, asked.cursor.as_deref(), limit)
        .await?;
    let results = found.found.into_iter().map(FoundMessageShape::from).collect();
    Ok(Json(FoundMessagesAnswer { results, next_cursor: found.next_cursor }))
}
