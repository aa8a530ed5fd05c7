//! `POST /{tenantId}/api/v1/sendSessionMessage/{whatsappNumber}`: a text to one person.

use axum::extract::State;
use axum::response::Response;

use super::addressed::{Address, InPath, InQuery, Over};
use super::sent::{SentAnswer, answer, to};
use crate::ApiState;
use crate::error::ApiResult;
use crate::gate::Caller;
use crate::input::{FromPath, LegacyInput};
use crate::messages;

const TEXT: &str = "messageText";

/// Send a text
///
/// To a person who wrote in the last 24 hours; otherwise `info` says that the ticket has expired.
#[utoipa::path(
    post,
    path = "/{tenantId}/api/v1/sendSessionMessage/{whatsappNumber}",
    tag = "conversations",
    params(
        InPath,
        Over,
        ("messageText" = Option<String>, Query, nullable = false, description = "The text, in the query, a form or a JSON body.", example = "Hello!"),
        ("replyContextId" = Option<String>, Query, nullable = false, description = "Our id, or the network's, of the message that this one answers."),
        ("localMessageId" = Option<String>, Query, nullable = false, description = "The caller's own id of the message, 1 to 64 characters."),
    ),
    responses((status = 200, description = "The message, accepted, or why not.", body = SentAnswer)),
)]
pub(crate) async fn send_session_message(
    State(state): State<ApiState>,
    caller: Caller,
    FromPath(path): FromPath<InPath>,
    input: LegacyInput,
) -> ApiResult<Response> {
    send(&state, &caller, Some(path), &input).await
}

/// Send a text
///
/// The same with the number outside the path: in the query, a form or the JSON body.
#[utoipa::path(
    post,
    path = "/{tenantId}/api/v1/sendSessionMessage",
    tag = "conversations",
    params(
        InQuery,
        Over,
        ("messageText" = Option<String>, Query, nullable = false, description = "The text, in the query, a form or a JSON body.", example = "Hello!"),
        ("replyContextId" = Option<String>, Query, nullable = false, description = "Our id, or the network's, of the message that this one answers."),
        ("localMessageId" = Option<String>, Query, nullable = false, description = "The caller's own id of the message, 1 to 64 characters."),
    ),
    responses((status = 200, description = "The message, accepted, or why not.", body = SentAnswer)),
)]
pub(crate) async fn send_session_message_by_query(
    State(state): State<ApiState>,
    caller: Caller,
    input: LegacyInput,
) -> ApiResult<Response> {
    send(&state, &caller, None, &input).await
}

async fn send(state: &ApiState, caller: &Caller, path: Option<InPath>, input: &LegacyInput) -> ApiResult<Response> {
    let address = Address::parse(input, path)?;
    let dry_run = address.dry_run;
    let text = input.required_text(&[TEXT, "message_text", "text"])?;
    let send = match messages::text(TEXT, text) {
        Ok(body) => Ok(to(input, address, body)?),
        Err(error) => Err(error),
    };
    answer(state, caller, dry_run, send).await
}
