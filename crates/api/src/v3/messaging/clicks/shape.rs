//! The wire shape of a hit in V3.

use app::messaging::clicks::ClickView;
use domain::messaging::clicks::{ClickClass, ClickSource};
use domain::{BroadcastId, ClickId, ContactId, MessageId, TemplateId};

use crate::prelude::*;

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Click)]
pub(crate) struct ClickShape {
    id: ClickId,
    #[serde(serialize_with = "as_rfc3339")]
    created: Timestamp,
    #[schema(example = "human")]
    class: ClickClass,
    #[schema(example = "redirect")]
    source: ClickSource,
    message_id: MessageId,
    /// Absent if the message no longer exists.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "order-4711", nullable = false)]
    local_message_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    contact_id: Option<ContactId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "US.13491208655302741918", nullable = false)]
    bsuid: Option<String>,
    /// The contact's name. Absent if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "Ada Lovelace", nullable = false)]
    contact_name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "ada.lovelace", nullable = false)]
    contact_username: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "14155552671", nullable = false)]
    contact_phone: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    broadcast_id: Option<BroadcastId>,
    template_id: TemplateId,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "spring_offer", nullable = false)]
    template_name: Option<String>,
    /// The button's index, starting at 0. Absent if the network did not report the button.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = 0, nullable = false)]
    button_index: Option<u8>,
    /// The card's index, starting at 0, for a button on a card.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = 2, nullable = false)]
    card_index: Option<u8>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "Track it", nullable = false)]
    button_text: Option<String>,
    /// The request's HTTP method. Absent for clicks reported by the network.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "GET", nullable = false)]
    method: Option<String>,
    /// The client's address. This and the following members are removed when the contact is deleted.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "203.0.113.9", nullable = false)]
    address: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(
        example = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15",
        nullable = false
    )]
    user_agent: Option<String>,
    /// The origin of the referring page, without its path.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "https://web.whatsapp.com", nullable = false)]
    referer: Option<String>,
}

impl From<ClickView> for ClickShape {
    fn from(listed: ClickView) -> Self {
        let ClickView { hit, request, template_name, button_text } = listed;
        let header = |name| request.as_ref().map(|request| request.header(name)).filter(|value| !value.is_empty());
        let local = || hit.contact_id.map(|_| domain::messaging::messages::local_id::default_for(hit.link.message));
        Self {
            id: hit.id,
            created: hit.at,
            class: hit.class,
            source: hit.source,
            message_id: hit.link.message,
            local_message_id: hit.local_id.clone().or_else(local),
            contact_id: hit.contact_id,
            bsuid: hit.bsuid.clone(),
            contact_name: hit.contact_name.clone().filter(|name| !name.is_empty()),
            contact_username: hit.username.clone(),
            contact_phone: hit.phone.clone(),
            broadcast_id: hit.broadcast_id,
            template_id: hit.template_id,
            template_name,
            button_index: hit.link.button,
            card_index: hit.link.card,
            button_text,
            method: Some(hit.method.clone()).filter(|method| !method.is_empty()),
            address: hit.address.clone(),
            user_agent: header("user-agent").map(str::to_owned),
            referer: header("referer").map(str::to_owned),
        }
    }
}
