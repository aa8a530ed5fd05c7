//! Parser of the webhooks that the network posts.
//!
//! `parse` splits a body into records. Each record stands on its own: one that cannot be parsed becomes a `Poison`
//! record with the path and the reason, and does not affect the others. Only a body without any structure is refused as
//! a whole (`Unreadable`). `Record::envelope` writes a record as a body of its own for a retry.
//!
//! Notifications are untrusted input: sizes and nesting are bounded, texts are free of NUL characters, and reasons
//! never quote a value. Signatures are checked before (`signature.rs`), effects are applied in
//! `app/src/messaging/inbound`.

mod account;
mod calls;
mod envelope;
mod item;
mod messages;
mod model;
mod object;
mod parse;
mod payments;
mod people;
mod record;
mod statuses;
mod text;
mod users;

pub use model::{
    AccountUpdate, Amount, CallEvent, CallEventKind, CallOutcome, CallProgress, CallStatusReport, Context, LinkClick,
    Media, Message, NetworkError, NumberName, NumberQuality, PaymentReport, Person, Preference, Refund, Status,
    TemplateCategory, TemplateQuality, TemplateStatusReport, Transaction, TransactionError, UserIdChange,
};
pub(crate) use object::as_time;
pub use parse::parse;
pub use record::{BusinessNumber, MAX_RECORDS, Notification, Record, Unreadable};
