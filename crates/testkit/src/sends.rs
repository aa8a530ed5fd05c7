//! Messages that tests send.

use app::messaging::conversations::SeveralOpen;
use app::messaging::messages::{SendFields, SessionBody, SessionSend, TemplateRecipient, TemplateSend};
use domain::Field;
use domain::messaging::messages::MessageSource;
use domain::people::contacts::CustomParam;

pub fn param(name: &str, value: &str) -> CustomParam {
    CustomParam { name: name.to_owned(), value: value.to_owned() }
}

/// A recipient with a value for `{{1}}`.
pub fn to(target: &str) -> TemplateRecipient {
    to_with(target, vec![param("1", "Ada")])
}

pub fn to_with(target: &str, params: Vec<CustomParam>) -> TemplateRecipient {
    TemplateRecipient { target: target.to_owned(), named_by: Field::PhoneNumber, local_id: None, params }
}

/// A broadcast of this template.
pub fn template_send(template: &str, recipients: Vec<TemplateRecipient>) -> TemplateSend {
    TemplateSend {
        channel: None,
        template: template.to_owned(),
        language: None,
        broadcast_name: "Spring".to_owned(),
        recipients,
        scheduled_at: None,
        source: MessageSource::Api,
        dry_run: false,
        fields: SendFields::default(),
    }
}

pub fn text_send(target: &str, text: &str) -> SessionSend {
    SessionSend {
        target: target.to_owned(),
        channel: None,
        body: SessionBody::text(text),
        reply_to: None,
        local_id: None,
        is_bot: false,
        source: MessageSource::Api,
        dry_run: false,
        several: SeveralOpen::Refuse,
    }
}
