//! `POST /{tenantId}/api/v1/sendSessionMessage/{whatsappNumber}`: sends a text to one person.

use super::send_address::{NumberInPath, NumberInQuery, SendAddress, SendQuery};
use super::sent::{MessageIds, SentAnswerV1, build_send, send_and_answer};
use crate::input::{LegacyInput, required};
use crate::prelude::*;
use crate::shared::messaging::messages;

const TEXT: &str = "messageText";

members! {
    pub(crate) query SendTextQuery from LegacyInput {
        /// The text, in the query, a form or a JSON body.
        #[param(rename = "messageText", example = "Hello!")]
        text: Option<String> = text["messageText", "message_text", "text"](),
    }
}

/// Send a text
///
/// Sends a text to a person who wrote in the last 24 hours. Otherwise, `info` says that the ticket has expired.
#[described::path(
    post,
    path = "/{tenantId}/api/v1/sendSessionMessage/{whatsappNumber}",
    tag = "conversations",
    params(NumberInPath, SendQuery, SendTextQuery, MessageIds),
    responses((status = 200, description = "The accepted message, or why it was refused.", body = SentAnswerV1)),
)]
pub(crate) async fn send_session_message(
    Gated(state, caller): Gated,
    FromPath(path): FromPath<NumberInPath>,
    input: LegacyInput,
) -> ApiResult<Response> {
    send(&state, &caller, Some(path), &input).await
}

/// Send a text
///
/// Same as the operation with the number in the path, but takes the number from the query, a form or the JSON body.
#[described::path(
    post,
    path = "/{tenantId}/api/v1/sendSessionMessage",
    tag = "conversations",
    params(NumberInQuery, SendQuery, SendTextQuery, MessageIds),
    responses((status = 200, description = "The accepted message, or why it was refused.", body = SentAnswerV1)),
)]
pub(crate) async fn send_session_message_by_query(
    Gated(state, caller): Gated,
    input: LegacyInput,
) -> ApiResult<Response> {
    send(&state, &caller, None, &input).await
}

async fn send(
    state: &ApiState,
    caller: &Caller,
    path: Option<NumberInPath>,
    input: &LegacyInput,
) -> ApiResult<Response> {
    let address = SendAddress::parse(input, path)?;
    let dry_run = address.dry_run;
    let text = required(TEXT, SendTextQuery::parse(input)?.text)?;
    let send = match messages::text(TEXT, text) {
        Ok(body) => Ok(build_send(MessageIds::parse(input)?, address, body)),
        Err(error) => Err(error),
    };
    send_and_answer(state, caller, dry_run, send).await
}
