//! `GET /api/ext/v3/conversations/{target}/messages`: a conversation's history, newest first.

use domain::MessageId;

use crate::input::ShallowPageQuery;
use crate::prelude::*;
use crate::v3::messaging::messages::shape::MessageShape;

pub(crate) type MessagePage = Page<MessageShape, PageNumber>;

rows!(MessageShape: "message_list" in MessagePage, "One page of messages.");

members! {
    pub(crate) query OlderMessagesQuery from Query {
        /// Only rows older than this message of the conversation. Cannot be combined with `page_number`. To continue at
        /// any depth, pass the id of the last row; messages that arrive in the meantime do not shift the rows. Alias:
        /// `before_id`.
        #[param(value_type = Option<String>, example = "69eb4e9a1f0c2d3e4a5b6c7d")]
        before: Option<MessageId> = one_of["before", "before_id"]("expected the id of a message"),
    }
}

/// Get a conversation's messages
///
/// Returns messages from both sides, ticket changes and broadcasts, newest first. Without a channel, a target means the
/// contact's open conversation. If conversations are open on several channels, the request fails with `409`, and the
/// error lists them.
#[described::path(
    get,
    path = "/api/ext/v3/conversations/{target}/messages",
    params(
        (
            "target" = String,
            Path,
            description = "A conversation id, or a contact's phone number, id or BSUID, optionally prefixed with a \
                channel (`Support:14155552671`).",
            example = "14155552671"
        ),
        (
            "page_number" = Option<i32>,
            Query,
            minimum = 1,
            maximum = 10_000,
            example = 1,
            nullable = false,
            description = "Page number, starting at 1. The list ends after 10 000 messages. Alias: `pageNumber`."
        ),
        (
            "page_size" = Option<i32>,
            Query,
            minimum = 1,
            maximum = 100,
            example = 20,
            nullable = false,
            description = "Messages per page. Defaults to 20. Alias: `pageSize`."
        ),
        OlderMessagesQuery,
    ),
    responses(
        (status = 200, description = "One page of messages.", body = MessagePage),
        (status = 409, description = "Reasons: `ambiguous_target`.", body = ErrorBody),
    ),
)]
pub(crate) async fn get_conversation_messages(
    Gated(state, caller): Gated,
    FromPath(target): FromPath<String>,
    FromQuery(page): FromQuery<ShallowPageQuery>,
    FromQuery(older): FromQuery<OlderMessagesQuery>,
) -> ApiResult<Json<MessagePage>> {
    if older.before.is_some() && page.has_number() {
        return Err(ApiError::invalid("before", "cannot be combined with page_number"));
    }
    let page = page.page()?;
    let conversations = state.app.inbox().conversations();
    let history = match older.before {
        Some(before) => conversations.history_before(&caller, (&target).into(), before, page.size()).await?,
        None => conversations.history(&caller, (&target).into(), page, false).await?,
    };
    let shape = |entry| MessageShape::new(entry, Some(&history.conversation));
    Ok(Json(MessagePage::new(history.entries.iter().map(shape), page.into())))
}
