//! Links of buttons that somebody opened.

use serde::Serialize;

use super::{Over, Reported};
use crate::channels::Channel;
use crate::events::{Fact, Kind};
use crate::{EventId, Id, TemplateId, Timestamp};

/// A person opened the link of a button for the first time.
#[derive(Debug, Clone)]
pub struct Clicked {
    pub message: Reported,
    pub template_id: TemplateId,
    pub template_name: String,
    pub display_text: String,
    /// The real address with its variables filled in, never the tracked one.
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
    over: Over,
}

/// The wire wants a text always.
fn text_of<K>(id: Option<Id<K>>) -> String {
    id.map(|id| id.to_string()).unwrap_or_default()
}

impl Fact {
    pub fn clicked(now: Timestamp, channel: &Channel, told: &Clicked) -> Self {
        let message = &told.message;
        Self::new(Kind::Clicked, now, message.place(channel), message.knows_person(), |id| ClickedBody {
            bsuid: message.person.bsuid.as_deref().unwrap_or_default(),
            parent_bsuid: message.person.parent_bsuid.as_deref().unwrap_or_default(),
            username: message.person.username.as_deref(),
            wa_id: message.person.wa_id.as_deref(),
            local_message_id: message.local_message_id.as_deref().unwrap_or_default(),
            id,
            whatsapp_message_id: message.network_id.as_deref().unwrap_or_default(),
            template_id: told.template_id,
            template_name: &told.template_name,
            created: now.to_zoneless(),
            conversation_id: text_of(message.conversation_id),
            ticket_id: text_of(message.ticket_id),
            display_text: &told.display_text,
            button_url: &told.button_url,
            text: message.text.as_deref().unwrap_or_default(),
            operator_email: &message.operator_email,
            r#type: "template",
            status_string: "SENT",
            source_type: told.source,
            over: Over::of(channel),
        })
    }
}
