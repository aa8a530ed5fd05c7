//! Messages that leave: accepted with everything that belongs to them in one transaction, then sent and recorded.

mod accepted;
mod broadcast;
mod interactive;
mod pace;
mod people;
mod refusal;
mod sender;
mod session;
pub(crate) mod told;

pub use accepted::{Accepted, Outcome, Problem};
pub(crate) use broadcast::{Extra, Job as TemplateJob, put as put_template};
pub use broadcast::{MAX_RECIPIENTS, Members, Recipient, TemplateSend};
pub(crate) use interactive::header;
pub use pace::Queue;
pub use refusal::Refusal;
pub(crate) use sender::Lanes;
pub use sender::{Lane, Progress};
pub(crate) use session::{Job as SessionJob, put as put_session};
pub use session::{SessionBody, SessionSend, SessionSent};

use domain::Timestamp;
use store::messages::Message;

use crate::App;

#[derive(Debug)]
pub struct Messages<'a>(&'a App);

impl App {
    pub fn messages(&self) -> Messages<'_> {
        Messages(self)
    }
}

/// Ours with what was told of it under the network's id.
pub(crate) fn joined(mut ours: Message, told: &Message) -> Message {
    ours.state = ours.state.advanced(told.state);
    ours.sent_at = Timestamp::earlier(ours.sent_at, told.sent_at);
    ours.delivered_at = Timestamp::earlier(ours.delivered_at, told.delivered_at);
    ours.read_at = Timestamp::earlier(ours.read_at, told.read_at);
    ours.failed_at = Timestamp::earlier(ours.failed_at, told.failed_at);
    ours.error = ours.error.or_else(|| told.error.clone());
    ours.contact_id = ours.contact_id.or(told.contact_id);
    ours
}

/// How a transaction of a send ends without a change: something is wrong, or nobody wanted one.
#[derive(Debug)]
pub(crate) enum Stop<T> {
    Failed(crate::Error),
    DryRun(Box<T>),
}

impl<T> From<crate::Error> for Stop<T> {
    fn from(error: crate::Error) -> Self {
        Self::Failed(error)
    }
}

impl<T> From<store::Error> for Stop<T> {
    fn from(error: store::Error) -> Self {
        Self::Failed(error.into())
    }
}

impl<T: std::fmt::Debug + Send + Sync + 'static> store::Failure for Stop<T> {
    fn store_error(&self) -> Option<&store::Error> {
        match self {
            Self::Failed(error) => error.store_error(),
            Self::DryRun(_) => None,
        }
    }
}

/// What would have happened is as good an answer as what has.
pub(crate) fn settled<T>(outcome: Result<T, Stop<T>>) -> crate::Result<T> {
    match outcome {
        Ok(done) => Ok(done),
        Err(Stop::DryRun(would)) => Ok(*would),
        Err(Stop::Failed(error)) => Err(error),
    }
}
