//! `GET /{tenantId}/api/v1/chatbots`

use axum::Json;
use serde::Serialize;
use utoipa::ToSchema;

use crate::gate::Caller;

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ChatbotsV1)]
pub(crate) struct ChatbotsAnswer {
    #[schema(example = true)]
    result: bool,
    chatbots: Vec<ChatbotShape>,
}

/// A chatbot.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ChatbotV1)]
pub(crate) struct ChatbotShape {
    #[schema(example = "69eb4e9a1f0c2d3e4a5b6c7d")]
    id: String,
    #[schema(example = "Welcome")]
    name: String,
}

/// Get chatbots
///
/// Switchboard has no chatbots: the list is empty.
#[utoipa::path(
    get,
    path = "/{tenantId}/api/v1/chatbots",
    tag = "chatbots",
    responses((status = 200, description = "All chatbots.", body = ChatbotsAnswer)),
)]
pub(crate) async fn get_chatbots(_: Caller) -> Json<ChatbotsAnswer> {
    Json(ChatbotsAnswer { result: true, chatbots: Vec::new() })
}
