//! Accounts: the people who log in, operate conversations and own tokens.

use crate::roles::Role;
use crate::{AccountId, Timestamp};

#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Account {
    pub id: AccountId,
    pub email: String,
    pub name: String,
    pub role: Role,
    pub disabled: bool,
    #[serde(skip)]
    pub removed_at: Option<Timestamp>,
    /// Counts password changes: API tokens made before the last one have ended.
    #[serde(skip)]
    pub password_version: i64,
    /// Counts password changes and log-outs everywhere: legacy JWTs and sessions from before have ended.
    #[serde(skip)]
    pub credential_version: i64,
    #[serde(serialize_with = "crate::time::as_rfc3339")]
    pub created_at: Timestamp,
}

impl Account {
    pub const fn is_active(&self) -> bool {
        !self.disabled && self.removed_at.is_none()
    }
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is not an e-mail address")]
pub struct NotAnEmail(pub String);

/// Addresses are compared whatever their letter case: they are stored in lower case.
pub fn normalise_email(text: &str) -> Result<String, NotAnEmail> {
    let email = text.trim().to_lowercase();
    let shaped = email.split_once('@').is_some_and(|(name, host)| {
        !name.is_empty() && !host.is_empty() && !host.contains('@') && !host.starts_with('.') && !host.ends_with('.')
    });
    let clean = email.len() <= 254 && !email.chars().any(|c| c.is_whitespace() || c.is_control());
    if shaped && clean { Ok(email) } else { Err(NotAnEmail(text.to_owned())) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_lowered_and_checked() {
        assert_eq!(normalise_email(" Admin@Example.COM "), Ok("admin@example.com".to_owned()));
        for bad in ["", "admin", "@x", "a@", "a b@c.de", "a@b@c", "a@.de", "a@de."] {
            assert!(normalise_email(bad).is_err(), "{bad}");
        }
    }
}
