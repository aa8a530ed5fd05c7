//! Clicks on links of buttons.

use serde::Serialize;

use super::{SentMessage, ViaChannel};
use crate::delivery::events::{Fact, FactKind};
use crate::messaging::channels::Channel;
use crate::{EventId, Id, TemplateId, Timestamp};

/// A person opened the link of a button for the first time.
#[derive(Debug, Clone)]
pub struct ClickedLink {
    pub message: SentMessage,
    pub template_id: TemplateId,
    pub template_name: String,
    pub display_text: String,
    /// The target URL with its variables filled in, never the tracked one.
    pub button_url: String,
    /// `API` or `WEB`.
    pub source: &'static str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ClickedBody<'a> {
    bsuid: &'a str,
    parent_bsuid: &'a str,
    username: Option<&'a str>,
    wa_id: Option<&'a str>,
    local_message_id: &'a str,
    id: EventId,
    whatsapp_message_id: &'a str,
    template_id: TemplateId,
    template_name: &'a str,
    created: String,
    conversation_id: String,
    ticket_id: String,
    display_text: &'a str,
    button_url: &'a str,
    text: &'a str,
    operator_email: &'a str,
    r#type: &'static str,
    status_string: &'static str,
    source_type: &'static str,
    #[serde(flatten)]
    via: ViaChannel,
}

/// An id as text, empty without one: a click event has a text where other events have null.
fn text_of<K>(id: Option<Id<K>>) -> String {
    id.map(|id| id.to_string()).unwrap_or_default()
}

impl Fact {
    pub fn clicked(now: Timestamp, channel: &Channel, click: &ClickedLink) -> Self {
        let message = &click.message;
        Self::about_person(FactKind::Clicked, now, message.scope(channel), message.has_bsuid(), |id| ClickedBody {
            bsuid: message.person.bsuid.as_deref().unwrap_or_default(),
            parent_bsuid: message.person.parent_bsuid.as_deref().unwrap_or_default(),
            username: message.person.username.as_deref(),
            wa_id: message.person.wa_id.as_deref(),
            local_message_id: message.local_message_id.as_deref().unwrap_or_default(),
            id,
            whatsapp_message_id: message.network_id.as_deref().unwrap_or_default(),
            template_id: click.template_id,
            template_name: &click.template_name,
            created: now.to_zoneless(),
            conversation_id: text_of(message.conversation_id),
            ticket_id: text_of(message.ticket_id),
            display_text: &click.display_text,
            button_url: &click.button_url,
            text: message.text.as_deref().unwrap_or_default(),
            operator_email: &message.operator_email,
            r#type: "template",
            status_string: "SENT",
            source_type: click.source,
            via: ViaChannel::new(channel),
        })
    }
}
