//! `POST /api/ext/v3/chatbots/start`: always fails, because there are no chatbots.

use axum::Json;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::error::{ApiResult, ErrorBody};
use crate::gate::Caller;
use crate::input::{JsonBody, required};

#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = StartChatbot)]
pub(crate) struct StartChatbotRequest {
    /// The person: a phone number, a contact id or a BSUID, with or without `channel:`.
    #[schema(example = "14155552671", nullable = false)]
    target: Option<String>,
    #[schema(example = "69eb4e9a1f0c2d3e4a5b6c7d", nullable = false)]
    chatbot_id: Option<String>,
}

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ChatbotStarted)]
pub(crate) struct StartChatbotAnswer {
    result: bool,
}

/// Start a chatbot
///
/// Switchboard has no chatbots and answers 404.
#[utoipa::path(
    post,
    path = "/api/ext/v3/chatbots/start",
    tag = "chatbots",
    request_body(content = StartChatbotRequest, content_type = "application/json"),
    responses(
        (status = 200, description = "The chatbot was started.", body = StartChatbotAnswer),
        (status = 404, description = "Reasons: `not_found`.", body = ErrorBody),
    ),
)]
pub(crate) async fn start_chatbot(
    _: Caller,
    JsonBody(input): JsonBody<StartChatbotRequest>,
) -> ApiResult<Json<StartChatbotAnswer>> {
    let given = |text: Option<String>| text.filter(|text| !text.trim().is_empty());
    required("target", given(input.target))?;
    required("chatbot_id", given(input.chatbot_id))?;
    Err(app::Error::Missing { parameter: "chatbot_id".to_owned(), what: app::Thing::Chatbot }.into())
}
