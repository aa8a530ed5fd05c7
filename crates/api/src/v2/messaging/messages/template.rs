//! `POST /{tenantId}/api/v2/sendTemplateMessage`: sends a template to one person.

use super::sent::{TemplateSentAnswer, send};
use crate::input::LegacyInput;
use crate::prelude::*;
use crate::v1::messaging::messages::{
    NumberInPath, NumberInQuery, SendQuery, SendTemplateRequest, parse_template_send,
};

/// Send a template
///
/// Sends a template to one person. An unknown contact is created. `200` with `result: true` means accepted and stored,
/// not delivered.
#[described::path(
    post,
    path = "/{tenantId}/api/v2/sendTemplateMessage",
    tag = "templates",
    params(
        NumberInQuery,
        SendQuery,
        (
            "template_name" = Option<String>,
            Query,
            nullable = false,
            description = "Used if the body does not contain it.",
            example = "order_update"
        ),
        (
            "broadcast_name" = Option<String>,
            Query,
            nullable = false,
            description = "Used if the body does not contain it.",
            example = "May orders"
        ),
    ),
    request_body(content = Option<SendTemplateRequest>, content_type = "application/json"),
    responses((status = 200, description = "The accepted message, or why it was refused.", body = TemplateSentAnswer)),
)]
pub(crate) async fn send_template_message_v2(Gated(state, caller): Gated, input: LegacyInput) -> ApiResult<Response> {
    send_to_one(&state, &caller, None, &input).await
}

/// Send a template
///
/// Same as the operation with the number in the query, but takes the number from the path.
#[described::path(
    post,
    path = "/{tenantId}/api/v2/sendTemplateMessage/{whatsappNumber}",
    tag = "templates",
    params(
        NumberInPath,
        SendQuery,
        (
            "template_name" = Option<String>,
            Query,
            nullable = false,
            description = "Used if the body does not contain it.",
            example = "order_update"
        ),
        (
            "broadcast_name" = Option<String>,
            Query,
            nullable = false,
            description = "Used if the body does not contain it.",
            example = "May orders"
        ),
    ),
    request_body(content = Option<SendTemplateRequest>, content_type = "application/json"),
    responses((status = 200, description = "The accepted message, or why it was refused.", body = TemplateSentAnswer)),
)]
pub(crate) async fn send_template_message_v2_by_path(
    Gated(state, caller): Gated,
    FromPath(path): FromPath<NumberInPath>,
    input: LegacyInput,
) -> ApiResult<Response> {
    send_to_one(&state, &caller, Some(path), &input).await
}

async fn send_to_one(
    state: &ApiState,
    caller: &Caller,
    path: Option<NumberInPath>,
    input: &LegacyInput,
) -> ApiResult<Response> {
    let (asked, parameters) = parse_template_send(input, path)?;
    send(state, caller, asked, parameters, "whatsappNumber").await
}
