//! How a use case ends when it does not succeed. The wire shape of each is decided at the edge, in one place.

use std::fmt;

use domain::MemberError;

use crate::conversations::Choice;
use crate::messages::Refusal;

pub type Result<T, E = Error> = std::result::Result<T, E>;

#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The caller sent something that cannot be: the member or parameter and what is wrong with it.
    #[error("{parameter}: {message}")]
    Invalid { parameter: String, message: String },
    #[error("{0} not found")]
    NotFound(Thing),
    /// A member of the body names something that is not there.
    #[error("{parameter}: {what} not found")]
    Missing { parameter: String, what: Thing },
    /// It contradicts what is there.
    #[error("{parameter}: {message}")]
    Conflict { parameter: String, message: String },
    /// A target names a channel that the tenant does not have.
    #[error("{parameter}: there is no channel {name:?}")]
    NoChannel { parameter: String, name: String },
    /// A target that may mean any of several conversations, the latest first.
    #[error("{}", ambiguous(parameter, conversations))]
    Ambiguous { parameter: String, conversations: Vec<Choice> },
    /// An idempotency key that came with another request before.
    #[error("the idempotency key was used for another request")]
    KeyReused,
    /// An idempotency key under which another request is doing the same.
    #[error("the idempotency key is held by another request")]
    KeyHeld,
    /// It is well formed and cannot be done now.
    #[error("{parameter}: {message}")]
    Refused { cause: Cause, parameter: String, message: String },
    /// A part of the server failed that is not the database.
    #[error(transparent)]
    Fault(#[from] Fault),
    #[error(transparent)]
    Store(#[from] store::Error),
}

/// What can be looked for and not be there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Thing {
    Account,
    Broadcast,
    Call,
    Channel,
    Chatbot,
    Contact,
    ContactOrConversation,
    Conversation,
    Delivery,
    File,
    Import,
    Merge,
    Message,
    Operator,
    Order,
    ParkedRecord,
    Payment,
    Person,
    PhoneNumber,
    SandboxChannel,
    Segment,
    Session,
    Team,
    Template,
    Tenant,
    Token,
    Webhook,
}

impl fmt::Display for Thing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Account => "account",
            Self::Broadcast => "broadcast",
            Self::Call => "call",
            Self::Channel => "channel",
            Self::Chatbot => "chatbot",
            Self::Contact => "contact",
            Self::ContactOrConversation => "contact or conversation",
            Self::Conversation => "conversation",
            Self::Delivery => "delivery",
            Self::File => "file",
            Self::Import => "import",
            Self::Merge => "merge",
            Self::Message => "message",
            Self::Operator => "operator",
            Self::Order => "order",
            Self::ParkedRecord => "parked record",
            Self::Payment => "payment",
            Self::Person => "person",
            Self::PhoneNumber => "phone number",
            Self::SandboxChannel => "sandbox channel",
            Self::Segment => "segment",
            Self::Session => "session",
            Self::Team => "team",
            Self::Template => "template",
            Self::Tenant => "tenant",
            Self::Token => "token",
            Self::Webhook => "webhook",
        })
    }
}

/// Why something well formed cannot be done now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cause {
    /// The message would not leave.
    Send(Refusal),
    NetworkRefused,
    /// The network does not answer, or has had too many calls.
    NetworkUnavailable,
    UrlRefused,
    MediaRefused,
    FileTooLarge,
    /// Events after the named number are not kept any longer.
    EventsDropped,
}

/// A part of the server that failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    #[error("a password cannot be hashed")]
    Hashing,
    #[error("the writer of clicks has ended")]
    ClickWriter,
    #[error("there is no secret key")]
    NoKey,
    #[error("what an earlier run stored under the idempotency key cannot be read")]
    StoredOutcome,
}

/// How the database failed, as far as an answer depends on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StorageFailure {
    /// The request holds text that no database keeps.
    NulInText,
    /// The database cannot be reached, or is too busy to answer in time.
    Unavailable,
    /// A row with the same key is there already.
    Duplicate,
    Other,
}

impl StorageFailure {
    pub const fn of(error: &store::Error) -> Self {
        match error {
            store::Error::NulInText => Self::NulInText,
            store::Error::Unavailable(_) | store::Error::TryAgain(_) => Self::Unavailable,
            store::Error::Duplicate { .. } => Self::Duplicate,
            store::Error::Statement { .. }
            | store::Error::Column(_)
            | store::Error::ForeignAwait
            | store::Error::Panicked
            | store::Error::Migration(_) => Self::Other,
        }
    }
}

impl Error {
    pub fn invalid(parameter: impl Into<String>, message: impl fmt::Display) -> Self {
        Self::Invalid { parameter: parameter.into(), message: message.to_string() }
    }

    pub fn conflict(parameter: impl Into<String>, message: impl fmt::Display) -> Self {
        Self::Conflict { parameter: parameter.into(), message: message.to_string() }
    }

    pub fn refused(cause: Cause, parameter: impl Into<String>, message: impl fmt::Display) -> Self {
        Self::Refused { cause, parameter: parameter.into(), message: message.to_string() }
    }

    pub fn of_member(error: &impl MemberError) -> Self {
        Self::invalid(error.member(), error)
    }
}

fn ambiguous(parameter: &str, conversations: &[Choice]) -> String {
    let names: Vec<_> =
        conversations.iter().map(|one| format!("{} ({})", one.channel_name, one.channel_phone_number)).collect();
    format!(
        "{parameter}: there are open conversations on several channels; put one of them in front (channel:target): {}",
        names.join(", ")
    )
}

impl store::Failure for Error {
    fn store_error(&self) -> Option<&store::Error> {
        match self {
            Self::Store(error) => Some(error),
            _ => None,
        }
    }
}
