//! `GET /{tenantId}/api/v1/chatbots`

use crate::prelude::*;

/// A chatbot.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ChatbotV1)]
pub(crate) struct ChatbotShape {
    #[schema(example = "69eb4e9a1f0c2d3e4a5b6c7d")]
    id: String,
    #[schema(example = "Welcome")]
    name: String,
    #[schema(format = "date-time", example = "2026-04-24T10:00:00.000Z")]
    created: String,
}

/// Get chatbots
///
/// Switchboard has no chatbots, so the list is always empty.
#[described::path(
    get,
    path = "/{tenantId}/api/v1/chatbots",
    tag = "chatbots",
    responses((status = 200, description = "All chatbots.", body = Vec<ChatbotShape>)),
)]
pub(crate) async fn get_chatbots(_: Caller) -> Json<Vec<ChatbotShape>> {
    Json(Vec::new())
}
