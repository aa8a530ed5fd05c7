//! Reasons of the address guard for a refusal. The transport looks for them among the causes of an error.

/// Why the guard refuses a request.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    #[error("the address is not a URL")]
    NotAUrl,
    #[error("only https:// addresses may be called")]
    Scheme,
    #[error("an address may not carry a user name or password")]
    Credentials,
    #[error("the address is not public")]
    Address,
    #[error("the host has no public address")]
    Host,
}
