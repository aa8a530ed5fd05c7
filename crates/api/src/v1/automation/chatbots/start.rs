//! `POST /{tenantId}/api/v1/chatbots/start`

use domain::Place;

use crate::input::{LegacyInput, NamedPerson};
use crate::prelude::*;
use crate::v1::failure::{Failure, or_failure};

members! {
    #[derive(Debug, ToSchema)]
    #[schema(as = StartChatbotV1)]
    pub(crate) struct StartChatbotRequest from LegacyInput {
        #[schema(rename = "whatsappNumber", value_type = String, example = "14155552671")]
        person: NamedPerson = person["target", "whatsappNumber"](),
        #[schema(rename = "chatbotId", example = "69eb4e9a1f0c2d3e4a5b6c7d")]
        chatbot_id: String = required_text["chatbotId", "chatbot_id"](),
    }
}

/// Start a chatbot
///
/// Switchboard has no chatbots, so this always returns `result: false`.
#[described::path(
    post,
    path = "/{tenantId}/api/v1/chatbots/start",
    tag = "chatbots",
    request_body(content = Option<StartChatbotRequest>, content_type = "application/json"),
    responses((status = 200, description = "Why no chatbot was started.", body = Failure)),
)]
pub(crate) async fn start_chatbot_v1(_: Caller, input: LegacyInput) -> ApiResult<Json<Failure>> {
    let StartChatbotRequest { person, chatbot_id } = StartChatbotRequest::parse(&input)?;
    tracing::debug!(by = %person.named_by, chatbot_id, "start of a chatbot requested; there are no chatbots");
    or_failure(Err(app::Error::missing(Place::named("chatbotId"), app::Thing::Chatbot)))
}
