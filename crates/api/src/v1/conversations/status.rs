//! `POST /{tenantId}/api/v1/updateChatStatus`

use axum::Json;
use axum::extract::State;
use axum::response::{IntoResponse as _, Response};
use utoipa::ToSchema;

use super::assign::{Done, DoneAnswer};
use crate::ApiState;
use crate::conversations::status;
use crate::error::ApiResult;
use crate::gate::Caller;
use crate::input::{LegacyInput, required};
use crate::v1::failure::or_failure;

const STATUS: &str = "ticketStatus";

#[derive(Debug, ToSchema)]
#[schema(as = ChatStatusV1, rename_all = "camelCase")]
#[expect(dead_code, reason = "a description of what is read member by member")]
pub(crate) struct Input {
    #[schema(example = "14155552671")]
    whatsapp_number: Option<String>,
    /// Wins over `whatsappNumber`: a phone number, a contact id, a conversation id or a BSUID.
    target: Option<String>,
    /// `OPEN`, `SOLVED`, `PENDING` or `BLOCK`.
    #[schema(example = "SOLVED")]
    ticket_status: String,
    /// Number or name of the channel. Also accepted: `channelNumber`, `channel_number`.
    #[schema(example = "14155550100")]
    channel_phone_number: Option<String>,
}

/// Set the status of a conversation
#[utoipa::path(
    post,
    path = "/{tenantId}/api/v1/updateChatStatus",
    tag = "conversations",
    params(("tenantId" = String, Path, description = "The tenant.", example = "100001")),
    request_body(content = Input, description = "Which conversation, and what it is to be.", content_type = "application/json"),
    responses((status = 200, description = "The status is set, or why not.", body = DoneAnswer)),
)]
pub(crate) async fn update_chat_status(
    State(state): State<ApiState>,
    caller: Caller,
    input: LegacyInput,
) -> ApiResult<Response> {
    let named = input.person_over(None)?;
    let status = status(STATUS, &required(STATUS, input.text(STATUS)?)?)?;
    let set = state.app.conversations().set_status(&caller, &named.target, named.member, status).await;
    or_failure(set.map(|_| Json(Done { result: true }).into_response()))
}
