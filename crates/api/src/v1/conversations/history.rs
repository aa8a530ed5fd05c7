//! `GET /{tenantId}/api/v1/getMessages/{whatsappNumber}`, or with the number in the query, form or body.

use app::conversations::Page;
use axum::Json;
use axum::extract::{OriginalUri, State};
use axum::http::Uri;
use serde::Serialize;
use utoipa::ToSchema;

use super::shape::MessageShape;
use crate::ApiState;
use crate::error::ApiResult;
use crate::gate::Caller;
use crate::input::{FromPath, LegacyInput, Named};
use crate::v1::failure::{Failure, or_failure};
use crate::v1::link::{Link, Next};

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = MessagesV1)]
pub(crate) struct Found {
    #[schema(example = "success")]
    result: &'static str,
    messages: MessagePage,
    link: Link,
}

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = MessagePageV1)]
#[serde(rename_all = "camelCase")]
pub(crate) struct MessagePage {
    /// Newest first.
    items: Vec<MessageShape>,
    page_number: i64,
    page_size: i64,
    total: i64,
}

/// Either it worked or it says why not, both with status 200.
#[derive(Debug, Serialize, ToSchema)]
#[serde(untagged)]
pub(crate) enum MessagesAnswer {
    Done(Box<Found>),
    Failure(Failure),
}

impl From<Failure> for MessagesAnswer {
    fn from(failure: Failure) -> Self {
        Self::Failure(failure)
    }
}

/// Get messages
///
/// Newest first: messages of both sides, what happened to the ticket, and broadcasts as one stream.
#[utoipa::path(
    get,
    path = "/{tenantId}/api/v1/getMessages/{whatsappNumber}",
    tag = "conversations",
    params(
        ("whatsappNumber" = String, Path, description = "With country code, with or without `+`.", example = "14155552671"),
        ("pageSize" = Option<i32>, Query, minimum = 1, maximum = 100, example = 20, nullable = false, description = "Messages on a page; 20 when absent."),
        ("pageNumber" = Option<i32>, Query, minimum = 1, maximum = 10_000, example = 1, nullable = false, description = "Pages count from 1; the list goes 10 000 messages deep."),
        ("channelPhoneNumber" = Option<String>, Query, nullable = false, description = "Number or name of the channel. Also accepted: `channelNumber`, `channel_number`.", example = "14155550100"),
        ("target" = Option<String>, Query, nullable = false, description = "Wins over `whatsappNumber`: a phone number, a contact id, a conversation id or a BSUID."),
    ),
    responses((status = 200, description = "One page of messages, or why not.", body = MessagesAnswer)),
)]
pub(crate) async fn get_messages(
    State(state): State<ApiState>,
    caller: Caller,
    OriginalUri(uri): OriginalUri,
    FromPath(path): FromPath<(String, String)>,
    input: LegacyInput,
) -> ApiResult<Json<MessagesAnswer>> {
    let (_tenant, number) = path;
    let named = Named::chosen(input.text(&["target"])?, Some(number))?.over(input.channel()?.as_deref());
    read(&state, &caller, &uri, named, &input).await
}

/// Get messages
///
/// The same with the number outside the path: in the query, a form or the JSON body.
#[utoipa::path(
    get,
    path = "/{tenantId}/api/v1/getMessages",
    tag = "conversations",
    params(
        ("whatsappNumber" = Option<String>, Query, nullable = false, description = "With country code, with or without `+`.", example = "14155552671"),
        ("pageSize" = Option<i32>, Query, minimum = 1, maximum = 100, example = 20, nullable = false, description = "Messages on a page; 20 when absent."),
        ("pageNumber" = Option<i32>, Query, minimum = 1, maximum = 10_000, example = 1, nullable = false, description = "Pages count from 1; the list goes 10 000 messages deep."),
        ("channelPhoneNumber" = Option<String>, Query, nullable = false, description = "Number or name of the channel. Also accepted: `channelNumber`, `channel_number`.", example = "14155550100"),
        ("target" = Option<String>, Query, nullable = false, description = "Wins over `whatsappNumber`: a phone number, a contact id, a conversation id or a BSUID."),
    ),
    responses((status = 200, description = "One page of messages, or why not.", body = MessagesAnswer)),
)]
pub(crate) async fn get_messages_by_query(
    State(state): State<ApiState>,
    caller: Caller,
    OriginalUri(uri): OriginalUri,
    input: LegacyInput,
) -> ApiResult<Json<MessagesAnswer>> {
    let named = input.person_over(&["target", "whatsappNumber"])?;
    read(&state, &caller, &uri, named, &input).await
}

async fn read(
    state: &ApiState,
    caller: &Caller,
    uri: &Uri,
    named: Named,
    input: &LegacyInput,
) -> ApiResult<Json<MessagesAnswer>> {
    let size = input.number(&["pageSize"], 1, 100)?.unwrap_or(20);
    let number = input.number(&["pageNumber"], 1, app::conversations::DEPTH)?.unwrap_or(1);
    let page = Page::new(number, size, "pageNumber")?;
    let found = state.app.conversations().history(caller, &named.target, named.member, page, true).await;
    or_failure(found.map(|history| {
        let items: Vec<_> =
            history.entries.iter().map(|entry| MessageShape::new(entry, Some(&history.conversation))).collect();
        let total = history.total.unwrap_or(0);
        let next = if total > number * size { Next::Page(None) } else { Next::Nothing };
        let link = Link::new(uri, number, size, next, total);
        let messages = MessagePage { items, page_number: number, page_size: size, total };
        MessagesAnswer::Done(Box::new(Found { result: "success", messages, link }))
    }))
}
