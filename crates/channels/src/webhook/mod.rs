//! Parser of the webhooks that the network posts.
//!
//! `parse` splits a body into records. Each record stands on its own: one that cannot be parsed becomes a `Poison`
//! record with the path and the reason, and does not affect the others. Only a body without any structure is refused as
//! a whole (`Unreadable`). `Record::envelope` writes a record as a body of its own for a retry.
//!
//! Notifications are untrusted input: sizes and nesting are bounded, texts are free of NUL characters, and reasons
//! never quote a value. Signatures are checked before (`signature.rs`), effects are applied in `app/src/inbound`.

mod account;
mod calls;
mod envelope;
mod messages;
mod model;
mod object;
mod parse;
mod payments;
mod people;
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
pub use parse::parse;

/// A body with more records is refused as a whole.
pub const MAX_RECORDS: usize = 10_000;

/// The body as a whole cannot be parsed; the text is the reason.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Unreadable(pub String);

/// One notification, with the account, field and number that it was posted for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Record {
    /// The WhatsApp Business Account; empty when the entry does not name one.
    pub account_id: String,
    pub at_entry: Option<Timestamp>,
    /// The webhook field: `messages`, `calls`, …; empty when it cannot be parsed.
    pub field: String,
    pub number: Option<BusinessNumber>,
    pub notification: Notification,
    /// The JSON text that this was parsed from; `envelope` wraps it again.
    source: Source,
}

/// The phone number of the business.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BusinessNumber {
    pub phone_number_id: String,
    pub display_phone_number: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Notification {
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
    /// Well formed, of a type without an effect here.
    Unknown,
    /// Cannot be parsed. The reason has the path and never quotes a value.
    Poison {
        reason: String,
    },
}
