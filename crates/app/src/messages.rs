//! Messages that this installation sends: accepted in one transaction with their conversations and outbox rows, then
//! sent by the sender. Also estimates and events of sent messages.

mod accepted;
mod broadcast;
pub(crate) mod emit;
mod estimate;
mod interactive;
mod recipients;
mod refusal;
mod sender;
mod session;

pub use accepted::{AcceptedBroadcast, RecipientOutcome, RecipientProblem};
pub use broadcast::{MAX_RECIPIENTS, MemberNames, TemplateRecipient, TemplateSend};
pub(crate) use broadcast::{TemplateExtra, TemplateJob, insert_template_messages};
pub use estimate::QueueEstimate;
pub(crate) use interactive::header;
pub use refusal::Refusal;
pub(crate) use sender::SenderState;
pub use sender::{SendProgress, SendingAccount};
pub use session::{AcceptedSessionMessage, SessionBody, SessionSend};
pub(crate) use session::{SessionJob, insert_session_message};

use domain::Timestamp;
use domain::messages::Message;

use crate::App;

#[derive(Debug)]
pub struct Messages<'a>(&'a App);

impl App {
    pub fn messages(&self) -> Messages<'_> {
        Messages(self)
    }
}

/// Our message, joined with what the network reported under its own id before that id was known to be ours.
pub(crate) fn merge_reported(mut ours: Message, reported: &Message) -> Message {
    ours.state = ours.state.advanced(reported.state);
    ours.sent_at = Timestamp::earlier(ours.sent_at, reported.sent_at);
    ours.delivered_at = Timestamp::earlier(ours.delivered_at, reported.delivered_at);
    ours.read_at = Timestamp::earlier(ours.read_at, reported.read_at);
    ours.failed_at = Timestamp::earlier(ours.failed_at, reported.failed_at);
    ours.error = ours.error.or_else(|| reported.error.clone());
    ours.contact_id = ours.contact_id.or(reported.contact_id);
    ours
}

/// Why a transaction is rolled back: it failed, or it was a dry run, whose result this carries out of the transaction.
#[derive(Debug)]
pub(crate) enum Rollback<T> {
    Failed(crate::Error),
    DryRun(Box<T>),
}

impl<T> From<crate::Error> for Rollback<T> {
    fn from(error: crate::Error) -> Self {
        Self::Failed(error)
    }
}

impl<T> From<store::Error> for Rollback<T> {
    fn from(error: store::Error) -> Self {
        Self::Failed(error.into())
    }
}

impl<T: std::fmt::Debug + Send + Sync + 'static> store::Failure for Rollback<T> {
    fn store_error(&self) -> Option<&store::Error> {
        match self {
            Self::Failed(error) => error.store_error(),
            Self::DryRun(_) => None,
        }
    }
}

/// Turns the rollback of a dry run into the result that a real run would have had.
pub(crate) fn dry_run_as_done<T>(outcome: Result<T, Rollback<T>>) -> crate::Result<T> {
    match outcome {
        Ok(done) => Ok(done),
        Err(Rollback::DryRun(would)) => Ok(*would),
        Err(Rollback::Failed(error)) => Err(error),
    }
}
