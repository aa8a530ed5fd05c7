//! `GET /api/ext/v3/chatbots`: all chatbots of the tenant.

use crate::input::PageQuery;
use crate::prelude::*;

pub(crate) type ChatbotPage = Page<ChatbotShape, PageNumber>;

rows!(ChatbotShape: "chatbot_list" in ChatbotPage, "One page of chatbots.");

/// A chatbot.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Chatbot)]
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
    path = "/api/ext/v3/chatbots",
    params(PageQuery),
    responses((status = 200, description = "One page of chatbots.", body = ChatbotPage)),
)]
pub(crate) async fn list_chatbots(_: Caller, FromQuery(page): FromQuery<PageQuery>) -> Json<ChatbotPage> {
    Json(ChatbotPage::new([], page.into()))
}
