//! `POST /{tenantId}/api/v1/sendInteractiveListMessage`: sends a list to one person.

use app::messaging::messages::SessionBody;
use domain::Field;

use super::send_address::{NumberInPath, NumberInQuery, SendAddress, SendQuery};
use super::sent::{MessageIds, SentAnswerV1, build_send, send_and_answer};
use crate::error::Spelling;
use crate::input::LegacyInput;
use crate::prelude::*;
use crate::shared::messaging::messages::interactive::{ListMessage, Names};

const NAMES: Names = Names {
    spelling: Spelling(&[(Field::Link, "media.url"), (Field::Text, ""), (Field::ButtonText, "buttonText")]),
    ..Names::FLAT
};

/// Send a list
///
/// Sends up to ten rows in sections to a person who wrote in the last 24 hours.
#[described::path(
    post,
    path = "/{tenantId}/api/v1/sendInteractiveListMessage",
    tag = "conversations",
    params(NumberInQuery, SendQuery),
    request_body(content = ListMessage, content_type = "application/json"),
    responses((status = 200, description = "The accepted message, or why it was refused.", body = SentAnswerV1)),
)]
pub(crate) async fn send_interactive_list_message(
    Gated(state, caller): Gated,
    input: LegacyInput,
) -> ApiResult<Response> {
    send(&state, &caller, None, &input).await
}

/// Send a list
///
/// Same as the operation with the number in the query, but takes the number from the path.
#[described::path(
    post,
    path = "/{tenantId}/api/v1/sendInteractiveListMessage/{whatsappNumber}",
    tag = "conversations",
    params(NumberInPath, SendQuery),
    request_body(content = ListMessage, content_type = "application/json"),
    responses((status = 200, description = "The accepted message, or why it was refused.", body = SentAnswerV1)),
)]
pub(crate) async fn send_interactive_list_message_by_path(
    Gated(state, caller): Gated,
    FromPath(path): FromPath<NumberInPath>,
    input: LegacyInput,
) -> ApiResult<Response> {
    send(&state, &caller, Some(path), &input).await
}

async fn send(
    state: &ApiState,
    caller: &Caller,
    path: Option<NumberInPath>,
    input: &LegacyInput,
) -> ApiResult<Response> {
    let address = SendAddress::parse(input, path)?;
    let dry_run = address.dry_run;
    let message: ListMessage = input.whole()?;
    let send = match message.into_message(&NAMES) {
        Ok(message) => Ok(build_send(MessageIds::parse(input)?, address, SessionBody::interactive(message))),
        Err(error) => Err(error),
    };
    send_and_answer(state, caller, dry_run, send).await
}
