//! `POST /{tenantId}/api/v2/sendTemplateMessage`: a template to one person.

use axum::extract::State;
use axum::response::Response;

use super::sent::{Sent, send};
use crate::ApiState;
use crate::error::ApiResult;
use crate::gate::Caller;
use crate::input::{FromPath, LegacyInput};
use crate::v1::messages::{InPath, InQuery, Over, Tenant};
use crate::v1::messages::{OneInput as Input, asked, broadcast};

/// Send a template
///
/// To one person; an unknown contact is made. 200 with `result: true` means accepted and stored, never delivered.
#[utoipa::path(
    post,
    path = "/{tenantId}/api/v2/sendTemplateMessage",
    tag = "templates",
    params(
        Tenant,
        InQuery,
        Over,
        ("template_name" = Option<String>, Query, nullable = false, description = "Where the body does not have it.", example = "order_update"),
        ("broadcast_name" = Option<String>, Query, nullable = false, description = "Where the body does not have it.", example = "May orders"),
    ),
    request_body(content = Option<Input>, content_type = "application/json"),
    responses((status = 200, description = "The message, accepted, or why not.", body = Sent)),
)]
pub(crate) async fn send_template_message_v2(
    State(state): State<ApiState>,
    caller: Caller,
    input: LegacyInput,
) -> ApiResult<Response> {
    one(&state, &caller, None, &input).await
}

/// Send a template
///
/// The same with the number in the path.
#[utoipa::path(
    post,
    path = "/{tenantId}/api/v2/sendTemplateMessage/{whatsappNumber}",
    tag = "templates",
    params(
        InPath,
        Over,
        ("template_name" = Option<String>, Query, nullable = false, description = "Where the body does not have it.", example = "order_update"),
        ("broadcast_name" = Option<String>, Query, nullable = false, description = "Where the body does not have it.", example = "May orders"),
    ),
    request_body(content = Option<Input>, content_type = "application/json"),
    responses((status = 200, description = "The message, accepted, or why not.", body = Sent)),
)]
pub(crate) async fn send_template_message_v2_by_path(
    State(state): State<ApiState>,
    caller: Caller,
    FromPath(path): FromPath<(String, String)>,
    input: LegacyInput,
) -> ApiResult<Response> {
    let (_tenant, number) = path;
    one(&state, &caller, Some(number), &input).await
}

async fn one(state: &ApiState, caller: &Caller, path: Option<String>, input: &LegacyInput) -> ApiResult<Response> {
    let (recipient, parameters) = asked(input, path)?;
    send(state, caller, broadcast(input, vec![recipient], "whatsappNumber")?, parameters).await
}
