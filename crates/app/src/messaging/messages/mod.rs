//! Messages that this installation sends: accepted in one transaction with their conversations and outbox rows, then
//! sent by the sender. Also estimates and events of sent messages.

mod accepted;
pub(crate) mod emit;
mod estimate;
mod from_message;
mod interactive;
mod recipients;
mod reported;
mod rollback;
mod send_session;
mod send_template;
mod sender;

pub use accepted::{AcceptedBroadcast, RecipientOutcome, RecipientProblem};
pub use domain::messaging::messages::Refusal;
pub use estimate::QueueEstimate;
pub(crate) use interactive::header;
pub(crate) use reported::merge_reported;
pub(crate) use rollback::{Rollback, dry_run_as_done};
pub use send_session::{AcceptedSessionMessage, SessionBody, SessionSend};
pub(crate) use send_session::{SessionJob, insert_session_message};
pub use send_template::{MAX_RECIPIENTS, SendFields, TemplateRecipient, TemplateSend};
pub(crate) use send_template::{TemplateExtra, TemplateJob, insert_template_messages};
pub(crate) use sender::SenderState;
pub use sender::{SendProgress, SendingAccount};

use crate::messaging::Messaging;

#[derive(Debug)]
pub struct Messages<'a>(&'a Messaging);

impl Messaging {
    pub fn messages(&self) -> Messages<'_> {
        Messages(self)
    }
}
