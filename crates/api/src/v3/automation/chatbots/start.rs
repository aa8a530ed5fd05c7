//! `POST /api/ext/v3/chatbots/start`: always fails, because there are no chatbots.

use domain::Place;

use crate::input::required;
use crate::prelude::*;

#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = StartChatbot)]
pub(crate) struct StartChatbotRequest {
    /// The person: a phone number, contact id or BSUID, optionally prefixed with `channel:`.
    #[schema(example = "14155552671", nullable = false)]
    target: Option<String>,
    #[schema(example = "69eb4e9a1f0c2d3e4a5b6c7d", nullable = false)]
    chatbot_id: Option<String>,
}

#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ChatbotStarted {
    result: bool,
}

/// Start a chatbot
///
/// Switchboard has no chatbots, so this always returns `404`.
#[described::path(
    post,
    path = "/api/ext/v3/chatbots/start",
    request_body(content = StartChatbotRequest, content_type = "application/json"),
    responses(
        (status = 200, description = "The chatbot was started.", body = ChatbotStarted),
        (status = 404, description = "Reasons: `not_found`.", body = ErrorBody),
    ),
)]
pub(crate) async fn start_chatbot(
    _: Caller,
    Json(input): Json<StartChatbotRequest>,
) -> ApiResult<Json<ChatbotStarted>> {
    let given = |text: Option<String>| text.filter(|text| !text.trim().is_empty());
    required("target", given(input.target))?;
    required("chatbot_id", given(input.chatbot_id))?;
    Err(app::Error::missing(Place::named("chatbot_id"), app::Thing::Chatbot).into())
}
