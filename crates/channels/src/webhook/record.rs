//! A record of a posted webhook, and the JSON text that it was parsed from.

use std::fmt;

use domain::Timestamp;

use super::model::{
    AccountUpdate, CallEvent, CallStatusReport, LinkClick, Message, NetworkError, NumberName, NumberQuality,
    PaymentReport, Person, Preference, Status, TemplateCategory, TemplateQuality, TemplateStatusReport, UserIdChange,
};

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
    pub(super) source: Source,
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

/// The JSON text that a record was parsed from, and where it was in the body.
#[derive(Clone, PartialEq, Eq)]
pub(super) enum Source {
    /// Element of a list in a change's `value`.
    Item {
        list: &'static str,
        text: String,
        contact: Option<Box<Person>>,
        errors: Option<String>,
    },
    /// Member of a change's `value` that should have been a list.
    Member {
        name: &'static str,
        text: String,
    },
    Change(String),
    Entry(String),
}

/// Omits the text, which may be a person's message.
impl fmt::Debug for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Item { list, .. } => write!(f, "{list}[]"),
            Self::Member { name, .. } => f.write_str(name),
            Self::Change(_) => f.write_str("change"),
            Self::Entry(_) => f.write_str("entry"),
        }
    }
}
