//! `POST /{tenantId}/api/v1/updateChatStatus`

use app::messaging::conversations::ConversationTarget;

use crate::input::{LegacyInput, NamedPerson, about_person, required};
use crate::prelude::*;
use crate::shared::messaging::conversations::status;
use crate::v1::answer::DoneAnswer;
use crate::v1::failure::or_failure;

const STATUS: &str = "ticketStatus";

members! {
    #[derive(Debug, ToSchema)]
    #[schema(as = ChatStatusV1, rename_all = "camelCase")]
    pub(crate) struct SetChatStatusRequest from LegacyInput {
        /// A phone number, a contact id, a conversation id or a BSUID. Takes precedence over `whatsappNumber`.
        target: Option<String> = text["target"](),
        #[schema(example = "14155552671")]
        whatsapp_number: Option<String> = text["whatsappNumber"](),
        /// The channel's number or name. Aliases: `channelNumber`, `channel_number`.
        #[schema(example = "14155550100")]
        channel_phone_number: Option<String> = text["channelPhoneNumber", "channelNumber", "channel_number"](),
        /// `OPEN`, `SOLVED`, `PENDING` or `BLOCK`.
        #[schema(value_type = String, example = "SOLVED")]
        ticket_status: Option<String> = text["ticketStatus"](),
    }
}

/// Set a conversation's status
#[described::path(
    post,
    path = "/{tenantId}/api/v1/updateChatStatus",
    tag = "conversations",
    request_body(content = SetChatStatusRequest, description = "The conversation and its new status.", content_type = "application/json"),
    responses((status = 200, description = "The outcome.", body = DoneAnswer)),
)]
pub(crate) async fn update_chat_status(Gated(state, caller): Gated, input: LegacyInput) -> ApiResult<Json<DoneAnswer>> {
    let asked = SetChatStatusRequest::parse(&input)?;
    let named =
        NamedPerson::choose(asked.target, asked.whatsapp_number)?.via_channel(asked.channel_phone_number.as_deref());
    let status = status(STATUS, &required(STATUS, asked.ticket_status)?)?;
    let set =
        state.app.inbox().conversations().set_status(&caller, ConversationTarget::latest(&named.target), status).await;
    or_failure(set.map_err(about_person(named.named_by)).map(|_| DoneAnswer::DONE))
}
