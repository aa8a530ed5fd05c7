//! Messages that this installation sends: accepted in one transaction with their conversations and outbox rows, then
//! sent by the sender. Also estimates and events of sent messages.

mod accepted;
mod broadcast;
pub(crate) mod emit;
mod estimate;
mod interactive;
mod recipients;
mod reported;
mod rollback;
mod sender;
mod session;

pub use accepted::{AcceptedBroadcast, RecipientOutcome, RecipientProblem};
pub use broadcast::{MAX_RECIPIENTS, MemberNames, TemplateRecipient, TemplateSend};
pub(crate) use broadcast::{TemplateExtra, TemplateJob, insert_template_messages};
pub use domain::messaging::messages::Refusal;
pub use estimate::QueueEstimate;
pub(crate) use interactive::header;
pub(crate) use reported::merge_reported;
pub(crate) use rollback::{Rollback, dry_run_as_done};
pub(crate) use sender::SenderState;
pub use sender::{SendProgress, SendingAccount};
pub use session::{AcceptedSessionMessage, SessionBody, SessionSend};
pub(crate) use session::{SessionJob, insert_session_message};

use crate::App;

#[derive(Debug)]
pub struct Messages<'a>(&'a App);

impl App {
    pub fn messages(&self) -> Messages<'_> {
        Messages(self)
    }
}
