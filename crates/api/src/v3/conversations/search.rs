//! `GET /api/ext/v3/conversations/messages/search`: finds messages by their words.

use app::conversations::FoundMessage;

use super::shape::MessageShape;
use crate::prelude::*;

members! {
    pub(crate) query SearchMessagesQuery from Query {
        /// Words, or beginnings of words, in any letter case; at least one of three letters or more.
        #[param(example = "order ready", max_length = 200)]
        query: String = required_text["query", "q"](),
        #[param(minimum = 1, maximum = 100, default = 20, example = 20)]
        limit: Option<i32> = number["limit"](1, 100),
        /// `next_cursor` of the previous page.
        cursor: Option<String> = text["cursor"](),
    }
}

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = FoundMessage)]
pub(crate) struct FoundMessageShape {
    /// The part of the text around the first word.
    #[schema(example = "Hi, is my order ready?")]
    snippet: String,
    #[schema(example = "Ada Lovelace")]
    contact_name: String,
    message: MessageShape,
}

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = FoundMessages)]
pub(crate) struct FoundMessagesAnswer {
    /// The newest first.
    results: Vec<FoundMessageShape>,
    /// For the parameter `cursor` of the next call; absent at the end.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    next_cursor: Option<String>,
}

impl From<FoundMessage> for FoundMessageShape {
    fn from(found: FoundMessage) -> Self {
        let message = MessageShape::new(&found.entry, None);
        Self { snippet: found.snippet, contact_name: found.contact_name, message }
    }
}

/// Search messages
///
/// Finds received messages and free messages that were sent, but no templates and notes. A message can be found some
/// seconds after it arrived. A page examines at most 5 000 candidates and takes at most two seconds: it may have fewer
/// than `limit` results and still have a `next_cursor`.
#[described::path(
    get,
    path = "/api/ext/v3/conversations/messages/search",
    params(SearchMessagesQuery),
    responses(
        (status = 200, description = "Messages with these words.", body = FoundMessagesAnswer),
        (status = 409, description = "Reasons: `conflict` (too many searches at once; try again).", body = ErrorBody),
    ),
)]
pub(crate) async fn search_messages(
    Gated(state, caller): Gated,
    FromQuery(asked): FromQuery<SearchMessagesQuery>,
) -> ApiResult<Json<FoundMessagesAnswer>> {
    let limit = usize::try_from(asked.limit.unwrap_or(20)).unwrap_or(20);
    let found =
        state.app.conversations().search_messages(&caller, &asked.query, asked.cursor.as_deref(), limit).await?;
    let results = found.found.into_iter().map(FoundMessageShape::from).collect();
    Ok(Json(FoundMessagesAnswer { results, next_cursor: found.next_cursor }))
}
