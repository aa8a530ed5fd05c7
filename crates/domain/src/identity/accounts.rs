//! Accounts: the people who log in, operate conversations and own tokens.
//!
//! A row of tenant 0 is an account of the installation. A row of a tenant is its membership there (`memberships.rs`).

use crate::identity::roles::Role;
use crate::{AccountId, Timestamp};

/// An account in one tenant, or in the installation.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, crate::base::schema::ToSchema)]
pub struct Account {
    pub id: AccountId,
    pub email: String,
    pub name: String,
    pub role: Role,
    pub disabled: bool,
    #[serde(skip)]
    pub removed_at: Option<Timestamp>,
    /// Increases when a password is replaced, not when the first one is set: API tokens with an older version have
    /// ended.
    #[serde(skip)]
    pub password_version: i64,
    /// Increases when a password is replaced, with each log-out everywhere and with a demotion: legacy JWTs and
    /// sessions with an older version have ended.
    #[serde(skip)]
    pub credential_version: i64,
    #[serde(serialize_with = "crate::base::time::as_rfc3339")]
    pub created_at: Timestamp,
}

impl Account {
    pub const fn is_active(&self) -> bool {
        !self.disabled && self.removed_at.is_none()
    }
}

/// An account with the log-in details that administrators see.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, crate::base::schema::ToSchema)]
pub struct AccountDetails {
    #[serde(flatten)]
    pub account: Account,
    /// False until the person sets the first password.
    pub has_password: bool,
    /// Whether a log-in with the password requires a second factor.
    pub has_second_factor: bool,
    #[serde(serialize_with = "crate::base::time::as_optional_rfc3339")]
    pub last_log_in_at: Option<Timestamp>,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is not an e-mail address")]
pub struct NotAnEmail(pub String);

/// The address as it is stored: without surrounding spaces and in lower case, so that letter case does not matter.
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
    use crate::Id;

    #[test]
    fn addresses_are_lowered_and_checked() {
        assert_eq!(normalise_email(" Admin@Example.COM "), Ok("admin@example.com".to_owned()));
        for bad in ["", "admin", "@x", "a@", "a b@c.de", "a@b@c", "a@.de", "a@de."] {
            assert!(normalise_email(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn an_address_has_at_most_254_bytes() {
        let of = |length: usize| normalise_email(&format!("{}@example.com", "a".repeat(length - 12)));
        assert_eq!(of(254).map(|email| email.len()), Ok(254));
        assert!(of(255).is_err());
        for bad in ["a@b c.de", "a\u{7}@b.de", "a@b\u{a0}.de"] {
            assert_eq!(normalise_email(bad), Err(NotAnEmail(bad.to_owned())));
        }
        assert_eq!(normalise_email("a@b"), Ok("a@b".to_owned()));
    }

    #[test]
    fn an_account_is_active_until_it_is_disabled_or_removed() {
        let at = Timestamp::from_seconds(1_776_000_000);
        let account = |disabled: bool, removed_at: Option<Timestamp>| Account {
            id: Id::from_bytes([1; 12]),
            email: "ada@example.com".into(),
            name: "Ada".into(),
            role: Role::Developer,
            disabled,
            removed_at,
            password_version: 1,
            credential_version: 1,
            created_at: at,
        };
        assert!(account(false, None).is_active());
        for (disabled, removed) in [(true, None), (false, Some(at)), (true, Some(at))] {
            assert!(!account(disabled, removed).is_active());
        }
        assert_eq!(
            serde_json::to_string(&account(false, None)).unwrap(),
            concat!(
                r#"{"id":"010101010101010101010101","email":"ada@example.com","name":"Ada","role":"DEVELOPER","#,
                r#""disabled":false,"created_at":"2026-04-12T13:20:00.000Z"}"#
            )
        );
    }
}
