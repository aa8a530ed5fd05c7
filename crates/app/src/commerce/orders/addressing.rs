//! The message about an order: a free message while the 24-hour window is open, or a template at any time.

use channels::graph::{Content, Interactive};
use domain::commerce::orders::OrderTexts;
use domain::messaging::messages::interactive::MessageHeader;
use domain::messaging::messages::{Message, MessageSource};
use domain::people::contacts::{CustomParam, Target, TargetRef};
use domain::{ContactId, Field};
use store::Tx;

use super::Orders;
use super::content::OrderPayload;
use super::errors::invalid_order;
use crate::messaging::conversations::SeveralOpen;
use crate::messaging::messages::{
    Refusal, SendFields, SessionBody, SessionJob, SessionSend, TemplateExtra, TemplateJob, TemplateRecipient,
    TemplateSend, header, insert_session_message, insert_template_messages,
};
use crate::{ActsFor, Cause, Error, Result, Thing};

#[derive(Debug, Clone)]
pub enum MessageForm {
    /// An interactive free message, allowed for 24 hours after the person's last message.
    Free { header: Option<MessageHeader>, body: String, footer: Option<String> },
    /// Name (or id) and language of a template, and the values of its variables.
    Template { name: String, language: Option<String>, params: Vec<(String, String)> },
}

/// The recipient of a message about an order.
#[derive(Debug, Clone)]
pub(super) struct Addressing {
    pub target: String,
    pub channel: Option<String>,
    pub reference: String,
    pub source: MessageSource,
    pub local_id: Option<String>,
    pub several: SeveralOpen,
}

/// A checked message, ready to be written to the outbox by a transaction.
#[derive(Debug)]
pub(super) enum PreparedMessage {
    Free(SessionJob),
    Template(TemplateJob),
}

/// A message in the outbox and its recipient.
#[derive(Debug)]
pub(super) struct QueuedMessage {
    pub message: Message,
    pub contact_id: ContactId,
}

impl Orders<'_> {
    pub(super) fn prepare_message(
        &self,
        caller: &dyn ActsFor,
        addressing: Addressing,
        form: MessageForm,
        payload: OrderPayload,
    ) -> Result<PreparedMessage> {
        match form {
            MessageForm::Free { header, body, footer } => {
                let texts = OrderTexts { header, body, footer };
                match payload {
                    OrderPayload::Details(_) => texts.check(),
                    OrderPayload::Status(_) => texts.check_for_status(),
                }
                .map_err(|problem| invalid_order(&[problem]))?;
                self.0
                    .messaging()
                    .messages()
                    .session_job(caller, free_message(addressing, texts, payload))
                    .map(PreparedMessage::Free)
            }
            MessageForm::Template { name, language, params } => {
                let extra = match payload {
                    OrderPayload::Details(details) => TemplateExtra::Order(details),
                    OrderPayload::Status(status) => TemplateExtra::OrderStatus(status),
                };
                let send = template_message(addressing, name, language, params)?;
                self.0.messaging().messages().template_job(caller, send, Some(extra)).map(PreparedMessage::Template)
            }
        }
    }
}

fn free_message(addressing: Addressing, texts: OrderTexts, payload: OrderPayload) -> SessionSend {
    let content = Interactive {
        header: texts.header.map(header),
        body: Some(texts.body.clone()),
        footer: texts.footer,
        interaction: payload.into_interaction(),
    };
    let body = SessionBody { content: Content::Interactive(Box::new(content)), text: Some(texts.body), media_id: None };
    SessionSend {
        target: addressing.target,
        channel: addressing.channel,
        body,
        reply_to: None,
        local_id: addressing.local_id,
        is_bot: false,
        source: addressing.source,
        dry_run: false,
        several: addressing.several,
    }
}

/// Sends a template message as a broadcast to one recipient. The broadcast's name is the order's reference.
fn template_message(
    addressing: Addressing,
    name: String,
    language: Option<String>,
    params: Vec<(String, String)>,
) -> Result<TemplateSend> {
    let target = Target::parse(&addressing.target).map_err(|error| Error::invalid(Field::Target, error))?;
    let names_channel = target.channel.is_some();
    let person = match target.person {
        TargetRef::Phone(digits) => digits,
        TargetRef::Bsuid(bsuid) => bsuid.as_str().to_owned(),
        TargetRef::Id(id) => id.to_string(),
    };
    let recipient = TemplateRecipient {
        target: person,
        named_by: Field::Target,
        local_id: addressing.local_id,
        params: params.into_iter().map(|(name, value)| CustomParam { name, value }).collect(),
    };
    Ok(TemplateSend {
        channel: target.channel.or(addressing.channel),
        template: name,
        language,
        broadcast_name: addressing.reference,
        recipients: vec![recipient],
        scheduled_at: None,
        source: addressing.source,
        dry_run: false,
        fields: SendFields {
            channel: if names_channel { Field::Target } else { Field::Channel },
            broadcast_name: Field::ReferenceId,
            ..SendFields::default()
        },
    })
}

impl PreparedMessage {
    /// Writes the message and its outbox row. An error if the recipient is refused.
    pub async fn enqueue(&self, tx: &mut Tx<'_>, tenant: domain::TenantId) -> Result<QueuedMessage> {
        match self {
            Self::Free(job) => {
                let sent = insert_session_message(tx, job).await.map_err(suggest_template)?;
                Ok(QueuedMessage { message: sent.message, contact_id: sent.contact_id })
            }
            Self::Template(job) => {
                let one = insert_template_messages(tx, job).await?.recipients.into_iter().next();
                let one = one.ok_or(Error::NotFound(Thing::Message))?;
                if let Some(problem) = one.problem {
                    return Err(Error::refused(Cause::Send(problem.refusal), problem.place, problem.message));
                }
                let (Some(id), Some(contact_id)) = (one.message_id, one.contact_id) else {
                    return Err(Error::NotFound(Thing::Message));
                };
                let message = store::messaging::messages::by_id_for_update(tx, tenant, id)
                    .await?
                    .ok_or(Error::NotFound(Thing::Message))?;
                Ok(QueuedMessage { message, contact_id })
            }
        }
    }
}

/// Changes the error for a closed window so that it suggests a template.
fn suggest_template(error: Error) -> Error {
    match error {
        Error::Refused { cause: cause @ Cause::Send(Refusal::WindowClosed), place, .. } => {
            let message = "the person has not messaged you in the last 24 hours; use a template to send it";
            Error::refused(cause, place, message)
        }
        other => other,
    }
}
