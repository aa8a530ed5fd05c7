//! `GET /{tenantId}/api/v1/getMessages/{whatsappNumber}`, or with the number in the query, form or body.

use app::inbox::conversations::PageRequest;
use app::messaging::conversations::ConversationTarget;
use axum::extract::OriginalUri;
use axum::http::Uri;
use domain::Field;
use domain::messaging::messages::HistoryRange;

use crate::error::Spelling;
use crate::input::{LegacyInput, NamedPerson, about_person, span};
use crate::prelude::*;
use crate::v1::failure::{Failure, or_failure};
use crate::v1::link::{Link, NextPage};
use crate::v1::messaging::messages::shape::MessageShape;
use crate::v1::messaging::messages::{NumberInPath, NumberInQuery};

members! {
    pub(crate) query ListMessagesQuery from LegacyInput {
        /// A phone number, a contact id, a conversation id or a BSUID. Takes precedence over `whatsappNumber`.
        target: Option<String> = text["target"](),
        /// The channel's number or name. Aliases: `channelNumber`, `channel_number`.
        #[param(rename = "channelPhoneNumber", example = "14155550100")]
        channel_phone_number: Option<String> = text["channelPhoneNumber", "channelNumber", "channel_number"](),
        /// Messages per page, at most 100; larger values are capped. Defaults to 20.
        #[param(rename = "pageSize", value_type = Option<i32>, minimum = 1, example = 20)]
        page_size: Option<i64> = page_size["pageSize"](100),
        /// Page number, starting at 1; 0 also means the first page. The list ends after 10 000 messages.
        #[param(rename = "pageNumber", value_type = Option<i32>, minimum = 0, maximum = 10_000, example = 1)]
        page_number: Option<i64> = page_number["pageNumber"](app::inbox::conversations::MAX_LIST_DEPTH),
        /// Only messages at this time or later, in ISO 8601 format or as `YYYY-MM-DD HH:MM:SS`. UTC is assumed if no
        /// offset is given; a date alone means the start of that day.
        #[param(value_type = Option<String>, example = "2026-04-24 10:00:00")]
        from: Option<Moment> = moment["from"](),
        /// End of the range, inclusive. A date alone includes the whole day.
        #[param(value_type = Option<String>, example = "2026-04-24 18:00:00")]
        to: Option<Moment> = moment["to"](),
    }
}

#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct MessagesV1 {
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

/// The result or a failure. Both have status 200.
#[derive(Debug, Serialize, ToSchema)]
#[serde(untagged)]
pub(crate) enum MessagesAnswer {
    Done(Box<MessagesV1>),
    Failure(Failure),
}

impl From<Failure> for MessagesAnswer {
    fn from(failure: Failure) -> Self {
        Self::Failure(failure)
    }
}

/// Get messages
///
/// Returns messages from both sides, ticket changes and broadcasts, newest first.
#[described::path(
    get,
    path = "/{tenantId}/api/v1/getMessages/{whatsappNumber}",
    tag = "conversations",
    params(NumberInPath, ListMessagesQuery),
    responses((status = 200, description = "One page of messages, or why the request failed.", body = MessagesAnswer)),
)]
pub(crate) async fn get_messages(
    Gated(state, caller): Gated,
    OriginalUri(uri): OriginalUri,
    FromPath(path): FromPath<NumberInPath>,
    input: LegacyInput,
) -> ApiResult<Json<MessagesAnswer>> {
    list(&state, &caller, &uri, ListMessagesQuery::parse(&input)?, Some(path.whatsapp_number)).await
}

/// Get messages
///
/// Same as the operation with the number in the path, but takes the number from the query, a form or the JSON body.
#[described::path(
    get,
    path = "/{tenantId}/api/v1/getMessages",
    tag = "conversations",
    params(NumberInQuery, ListMessagesQuery),
    responses((status = 200, description = "One page of messages, or why the request failed.", body = MessagesAnswer)),
)]
pub(crate) async fn get_messages_by_query(
    Gated(state, caller): Gated,
    OriginalUri(uri): OriginalUri,
    input: LegacyInput,
) -> ApiResult<Json<MessagesAnswer>> {
    let number = NumberInQuery::parse(&input)?.whatsapp_number;
    list(&state, &caller, &uri, ListMessagesQuery::parse(&input)?, number).await
}

async fn list(
    state: &ApiState,
    caller: &Caller,
    uri: &Uri,
    asked: ListMessagesQuery,
    number: Option<String>,
) -> ApiResult<Json<MessagesAnswer>> {
    let named = NamedPerson::choose(asked.target, number)?.via_channel(asked.channel_phone_number.as_deref());
    let (size, number) = (asked.page_size.unwrap_or(20), asked.page_number.unwrap_or(1));
    let page = PageRequest::new(number, size);
    let page = page.map_err(|error| Spelling(&[(Field::PageNumber, "pageNumber")]).error(error))?;
    let all = HistoryRange::default();
    let (from, to) = span(["from", "to"], asked.from, asked.to)?;
    let range = HistoryRange { from: from.unwrap_or(all.from), to: to.unwrap_or(all.to), with_notes: false };
    let target = ConversationTarget::latest(&named.target);
    let found = state.app.inbox().conversations().history_between(caller, target, page, range, true).await;
    or_failure(found.map_err(about_person(named.named_by)).map(|history| {
        let items: Vec<_> =
            history.entries.iter().map(|entry| MessageShape::new(entry, Some(&history.conversation))).collect();
        let total = history.total.unwrap_or(0);
        let next = if total > number * size { NextPage::Follows(None) } else { NextPage::None };
        let link = Link::new(uri, number, size, next, total);
        let messages = MessagePage { items, page_number: number, page_size: size, total };
        MessagesAnswer::Done(Box::new(MessagesV1 { result: "success", messages, link }))
    }))
}
