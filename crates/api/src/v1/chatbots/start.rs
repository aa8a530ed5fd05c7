//! `POST /{tenantId}/api/v1/chatbots/start`

use axum::response::Response;
use utoipa::ToSchema;

use crate::error::ApiResult;
use crate::gate::Caller;
use crate::input::{LegacyInput, required};
use crate::v1::failure::{Failure, or_failure};

#[derive(Debug, ToSchema)]
#[schema(as = StartChatbotV1)]
#[expect(dead_code, reason = "a description of what is read member by member")]
pub(crate) struct Input {
    #[schema(rename = "whatsappNumber", example = "14155552671")]
    whatsapp_number: String,
    #[schema(rename = "chatbotId", example = "69eb4e9a1f0c2d3e4a5b6c7d")]
    chatbot_id: String,
}

/// Start a chatbot
///
/// A server without chatbots answers `result: false`.
#[utoipa::path(
    post,
    path = "/{tenantId}/api/v1/chatbots/start",
    tag = "chatbots",
    params(("tenantId" = String, Path, description = "The tenant.", example = "100001")),
    request_body(content = Option<Input>, content_type = "application/json"),
    responses((status = 200, description = "Why no chatbot talks.", body = Failure)),
)]
pub(crate) async fn start_chatbot_v1(_: Caller, input: LegacyInput) -> ApiResult<Response> {
    input.person(None)?;
    required("chatbotId", input.text("chatbotId")?.or(input.text("chatbot_id")?))?;
    or_failure(Err(app::Error::Missing { parameter: "chatbotId".to_owned(), what: app::Thing::Chatbot }))
}
