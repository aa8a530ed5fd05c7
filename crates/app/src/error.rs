//! How a use case ends when it does not succeed. The wire shape of each is decided at the edge, in one place.

use crate::conversations::Choice;

pub type Result<T, E = Error> = std::result::Result<T, E>;

#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The caller sent something that cannot be: the member or parameter and what is wrong with it.
    #[error("{parameter}: {message}")]
    Invalid { parameter: String, message: String },
    #[error("{0} not found")]
    NotFound(&'static str),
    /// A member of the body names something that is not there.
    #[error("{parameter}: {what} not found")]
    Missing { parameter: String, what: &'static str },
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
    /// It is well formed and cannot be done now; the reason is for machines.
    #[error("{parameter}: {message}")]
    Refused { reason: &'static str, parameter: String, message: String },
    #[error("this is not allowed: {0}")]
    Forbidden(&'static str),
    #[error(transparent)]
    Store(#[from] store::Error),
}

impl Error {
    pub fn invalid(parameter: impl Into<String>, message: impl std::fmt::Display) -> Self {
        Self::Invalid { parameter: parameter.into(), message: message.to_string() }
    }

    pub fn conflict(parameter: impl Into<String>, message: impl std::fmt::Display) -> Self {
        Self::Conflict { parameter: parameter.into(), message: message.to_string() }
    }

    pub fn refused(reason: &'static str, parameter: impl Into<String>, message: impl std::fmt::Display) -> Self {
        Self::Refused { reason, parameter: parameter.into(), message: message.to_string() }
    }

    /// From an error whose text already begins with the member, as in `name: too long`.
    pub fn from_member_text(error: &impl ToString) -> Self {
        let text = error.to_string();
        match text.split_once(": ") {
            Some((parameter, message)) => Self::invalid(parameter, message),
            None => Self::invalid("body", text),
        }
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
