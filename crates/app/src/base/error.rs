//! Errors of use cases. `api/src/error/mod.rs` maps each to its answer.

use std::fmt;

use domain::{Field, FieldError, Place, Step};

use crate::inbox::conversations::ConversationChoice;
use crate::messaging::messages::Refusal;

pub type Result<T, E = Error> = std::result::Result<T, E>;

/// What a caller whose tenant is suspended is told, by a log-in and by the gate.
pub(crate) const TENANT_SUSPENDED: &str =
    "this tenant is suspended: its data is kept, and the installation's administrator can resume it";

#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A part of the request has an invalid value.
    #[error("{place}: {message}")]
    Invalid { place: Place, message: String },
    #[error("{0} not found")]
    NotFound(Thing),
    /// A part of the request names something that does not exist.
    #[error("{place}: {what} not found")]
    Missing { place: Place, what: Thing },
    /// The request contradicts the stored state.
    #[error("{place}: {message}")]
    Conflict { place: Place, message: String },
    /// A target or another part of the request names a channel that the tenant does not have.
    #[error("{place}: there is no channel {name:?}")]
    NoChannel { place: Place, name: String },
    /// A target fits several conversations, which are given with the latest message first.
    #[error("{}", ambiguous(place, conversations))]
    Ambiguous { place: Place, conversations: Vec<ConversationChoice> },
    /// The idempotency key was used with another request before.
    #[error("the idempotency key was used for another request")]
    KeyReused,
    /// Another request with this idempotency key is in progress or was faster.
    #[error("the idempotency key is held by another request")]
    KeyInUse,
    /// The request is well-formed but refused; `cause` says why.
    #[error("{place}: {message}")]
    Refused { cause: Cause, place: Place, message: String },
    /// Too many log-ins failed; the next attempt is possible after this many seconds.
    #[error("too many failed attempts; try again in {seconds} seconds")]
    TooManyTries { seconds: i64 },
    /// The account's tenant is suspended: no account of it can log in.
    #[error("{TENANT_SUSPENDED}")]
    TenantSuspended,
    /// The tenant already has as many of a thing as it may have.
    #[error("{limit}: {used} of {max} are in use")]
    LimitReached { limit: &'static str, used: u64, max: u64 },
    /// A part of the server other than the database failed.
    #[error(transparent)]
    Fault(#[from] Fault),
    #[error(transparent)]
    Store(#[from] store::Error),
}

/// The kind of thing that an error is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Thing {
    Account,
    Broadcast,
    Call,
    CannedReply,
    Channel,
    Chatbot,
    Contact,
    ContactOrConversation,
    Conversation,
    Delivery,
    File,
    Import,
    Label,
    Merge,
    Message,
    Note,
    OpeningHours,
    Operator,
    Order,
    ParkedRecord,
    Payment,
    Person,
    PhoneNumber,
    Recovery,
    RoutingRule,
    SandboxChannel,
    SecondFactor,
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
            Self::CannedReply => "canned reply",
            Self::Channel => "channel",
            Self::Chatbot => "chatbot",
            Self::Contact => "contact",
            Self::ContactOrConversation => "contact or conversation",
            Self::Conversation => "conversation",
            Self::Delivery => "delivery",
            Self::File => "file",
            Self::Import => "import",
            Self::Label => "label",
            Self::Merge => "merge",
            Self::Message => "message",
            Self::Note => "note",
            Self::OpeningHours => "schedule",
            Self::Operator => "operator",
            Self::Order => "order",
            Self::ParkedRecord => "parked record",
            Self::Payment => "payment",
            Self::Person => "person",
            Self::PhoneNumber => "phone number",
            Self::Recovery => "recovery",
            Self::RoutingRule => "routing rule",
            Self::SandboxChannel => "sandbox channel",
            Self::SecondFactor => "second factor",
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

/// Why a well-formed request is refused. Some causes pass, such as `NetworkUnavailable`; others stay.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cause {
    /// The message cannot be sent.
    Send(Refusal),
    NetworkRefused,
    /// The network does not answer, or limits the rate of requests.
    NetworkUnavailable,
    UrlRefused,
    MediaRefused,
    FileTooLarge,
    /// Events directly after the given number were deleted because of their age.
    EventsDropped,
    /// The one-time link was used, replaced, has expired or never existed.
    LinkEnded,
    /// The code, passkey or recovery code is wrong or was used before.
    SecondFactorFailed,
    /// The log-in that waits for a second factor has expired or never existed.
    LogInEnded,
    /// The password is not that of the account that the person already has.
    LogInFailed,
    /// The tenant admits only sessions that began at its identity provider.
    SingleSignOnRequired,
    /// The tenant's console may not be used from the client's address.
    ConsoleNetworkDenied,
    /// The total of a list is not counted yet. Counting continues, so a later request finds the total.
    StillCounting,
}

/// A part of the server that failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    #[error("a password cannot be hashed")]
    Hashing,
    #[error("the task that writes rows for several requests has ended")]
    GroupWriter,
    #[error("the file store failed")]
    FileStore,
    #[error("the HTTP client cannot be created")]
    NoHttpClient,
    #[error("a total cannot be counted")]
    Counting,
    #[error("there is no secret key")]
    NoKey,
    #[error("a second factor cannot be prepared or read")]
    SecondFactor,
    #[error("the outcome stored under the idempotency key cannot be read")]
    StoredOutcome,
}

/// Failures of the database, as far as they lead to different answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StorageFailure {
    /// The request holds a NUL character, which databases refuse.
    NulInText,
    /// The database cannot be reached, or is too busy to answer in time.
    Unavailable,
    /// The database refuses new work because too much waits already.
    Overloaded,
    /// A row with the same key exists.
    Duplicate,
    Other,
}

impl StorageFailure {
    pub const fn from_store(error: &store::Error) -> Self {
        match error {
            store::Error::NulInText => Self::NulInText,
            store::Error::Unavailable(_) | store::Error::TryAgain(_) => Self::Unavailable,
            store::Error::Overloaded => Self::Overloaded,
            store::Error::Duplicate { .. } => Self::Duplicate,
            store::Error::Statement { .. }
            | store::Error::Column(_)
            | store::Error::ForeignAwait
            | store::Error::Panicked
            | store::Error::Migration(_)
            | store::Error::BeforeBaseline
            | store::Error::NewerSchema { .. } => Self::Other,
        }
    }
}

impl Error {
    pub fn invalid(place: impl Into<Place>, message: impl fmt::Display) -> Self {
        Self::Invalid { place: place.into(), message: message.to_string() }
    }

    pub fn conflict(place: impl Into<Place>, message: impl fmt::Display) -> Self {
        Self::Conflict { place: place.into(), message: message.to_string() }
    }

    pub fn missing(place: impl Into<Place>, what: Thing) -> Self {
        Self::Missing { place: place.into(), what }
    }

    pub fn refused(cause: Cause, place: impl Into<Place>, message: impl fmt::Display) -> Self {
        Self::Refused { cause, place: place.into(), message: message.to_string() }
    }

    pub fn of_field(error: &impl FieldError) -> Self {
        Self::invalid(error.place(), error)
    }

    /// The place that the error is about. The error's text begins with it.
    pub const fn place(&self) -> Option<&Place> {
        match self {
            Self::Invalid { place, .. }
            | Self::Missing { place, .. }
            | Self::Conflict { place, .. }
            | Self::NoChannel { place, .. }
            | Self::Ambiguous { place, .. }
            | Self::Refused { place, .. } => Some(place),
            _ => None,
        }
    }

    fn map_place(mut self, map: impl FnOnce(&Place) -> Place) -> Self {
        if let Self::Invalid { place, .. }
        | Self::Missing { place, .. }
        | Self::Conflict { place, .. }
        | Self::NoChannel { place, .. }
        | Self::Ambiguous { place, .. }
        | Self::Refused { place, .. } = &mut self
        {
            *place = map(place);
        }
        self
    }

    /// Puts an outer place in front of the error's place.
    #[must_use]
    pub fn within(self, outer: impl Into<Place>) -> Self {
        self.map_place(|place| place.clone().within(outer))
    }

    /// Puts other steps in place of the fields for which `step` returns one.
    #[must_use]
    pub fn renamed(self, step: impl Fn(Field) -> Option<Step>) -> Self {
        self.map_place(|place| place.clone().renamed(step))
    }
}

fn ambiguous(place: &Place, conversations: &[ConversationChoice]) -> String {
    let names: Vec<_> =
        conversations.iter().map(|one| format!("{} ({})", one.channel_name, one.channel_phone_number)).collect();
    format!(
        "{place}: there are open conversations on several channels; put one before the target (channel:target): {}",
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
