//! Why a log-in at a provider failed.

use crate::Error;
use crate::identity::credentials::oidc::error::OidcError;

/// The failure of a log-in at a provider. The page shows the messages to the person, so they hold no secret.
#[derive(Debug, thiserror::Error)]
pub enum LogInFailure {
    #[error("There is no such provider")]
    UnknownProvider,
    #[error(
        "The log-in was started in another browser, was already completed, or took longer than ten minutes. Start again"
    )]
    State,
    #[error("{0} did not log you in")]
    Refused(String),
    #[error("{0} cannot be reached at the moment. Try again later")]
    Unavailable(String),
    #[error("The response from {0} cannot be trusted: {1}")]
    Token(String, OidcError),
    #[error("{0} has not verified your e-mail address")]
    EmailNotVerified(String),
    #[error("No account here has your e-mail address. Ask an administrator to invite you")]
    NoAccount,
    #[error(transparent)]
    Other(#[from] Error),
}
