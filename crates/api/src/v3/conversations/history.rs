//! `GET /api/ext/v3/conversations/{target}/messages`: the history of a conversation, newest first.

use axum::Json;
use axum::extract::State;

use super::shape::MessageShape;
use crate::ApiState;
use crate::error::{ApiResult, ErrorBody};
use crate::gate::Caller;
use crate::input::{FromPath, FromQuery, ShallowPageQuery};
use crate::page::{Page, PageNumber, PageRow};

pub(crate) type MessagePage = Page<MessageShape, PageNumber>;

impl PageRow for MessageShape {
    const MEMBER: &'static str = "message_list";
    const SCHEMA: (&'static str, &'static str) = ("MessagePage", "One page of messages.");
}

/// Get the messages of a conversation
///
/// Newest first: messages of both sides, changes of the ticket, and broadcasts. Without a channel, a target means the
/// contact's open conversation. If conversations are open on several channels, the answer is 409 and lists them.
#[utoipa::path(
    get,
    path = "/api/ext/v3/conversations/{target}/messages",
    tag = "conversations",
    params(
        ("target" = String, Path, description = "A conversation id, or a contact's phone number, id or BSUID, with or without a channel in front (`Support:14155552671`).", example = "14155552671"),
        ("page_number" = Option<i32>, Query, minimum = 1, maximum = 10_000, example = 1, nullable = false, description = "Pages count from 1; the list ends after 10 000 messages. Also accepted: `pageNumber`."),
        ("page_size" = Option<i32>, Query, minimum = 1, maximum = 100, example = 20, nullable = false, description = "Messages per page; 20 when absent. Also accepted: `pageSize`."),
    ),
    responses(
        (status = 200, description = "One page of messages.", body = MessagePage),
        (status = 404, description = "Reasons: `not_found`.", body = ErrorBody),
        (status = 409, description = "Reasons: `ambiguous_target`.", body = ErrorBody),
    ),
)]
pub(crate) async fn get_conversation_messages(
    State(state): State<ApiState>,
    caller: Caller,
    FromPath(target): FromPath<String>,
    FromQuery(page): FromQuery<ShallowPageQuery>,
) -> ApiResult<Json<MessagePage>> {
    let page = page.page()?;
    let history = state.app.conversations().history(&caller, &target, "target", page, false).await?;
    let shape = |entry| MessageShape::new(entry, Some(&history.conversation));
    Ok(Json(MessagePage::new(history.entries.iter().map(shape), page.into())))
}
