//! What the network posts to us, as types. `parse` reads a whole body into records, each of which stands on its own;
//! it knows neither who may post nor what a record leads to.

mod account;
mod calls;
mod envelope;
mod messages;
mod model;
mod object;
mod payments;
mod people;
mod read;
mod statuses;
mod text;
mod users;

use domain::Timestamp;
use envelope::Source;

pub use model::{
    AccountUpdate, Amount, CallEvent, CallEventKind, CallOutcome, CallProgress, CallStatusReport, Context, LinkClick,
    Media, Message, NetworkError, NumberName, NumberQuality, PaymentReport, Person, Preference, Refund, Status,
    TemplateCategory, TemplateQuality, TemplateStatusReport, Transaction, TransactionError, UserIdChange,
};
pub(crate) use object::as_time;
pub use read::parse;

/// More than this in one body is refused as a whole.
pub const MAX_RECORDS: usize = 10_000;

/// The whole body says nothing that could be taken apart.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Unreadable(pub String);

/// One thing that happened, with where the network filed it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Record {
    /// The WhatsApp Business Account; empty when the entry does not name one.
    pub account_id: String,
    pub at_entry: Option<Timestamp>,
    /// Which subscription: `messages`, `calls`, …; empty when it cannot be read.
    pub field: String,
    pub line: Option<Line>,
    pub what: What,
    /// The text that this was read from; `envelope` wraps it again.
    source: Source,
}

/// The business's own number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    pub phone_number_id: String,
    pub display_phone_number: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum What {
    Message(Box<Message>),
    Status(Box<Status>),
    Call(Box<CallEvent>),
    CallStatus(CallStatusReport),
    Payment(Box<PaymentReport>),
    Error(NetworkError),
    TemplateStatus(TemplateStatusReport),
    TemplateQuality(TemplateQuality),
    TemplateCategory(TemplateCategory),
    NumberQuality(NumberQuality),
    NumberName(NumberName),
    Account(AccountUpdate),
    UserIdChange(UserIdChange),
    Preference(Preference),
    LinkClick(LinkClick),
    /// Well formed, but nothing that we do anything with.
    Unknown,
    /// Cannot be read; the reason names the place and never quotes a value.
    Poison {
        reason: String,
    },
}
