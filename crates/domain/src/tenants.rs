//! Tenants and their ids: a numeric string on the wire, an integer in memory.

use std::fmt;
use std::str::FromStr;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TenantId(i64);

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("expected a tenant id of 1 to 18 digits without a leading zero, for example 100138")]
pub struct NotATenantId;

impl TenantId {
    /// The first tenant of an empty database.
    pub const FIRST: Self = Self(100_001);

    /// The id of rows that belong to the installation; no tenant can have it.
    pub const INSTALLATION: Self = Self(0);

    pub const fn number(self) -> i64 {
        self.0
    }

    /// For ids from the database or a token, which were checked when they were created.
    pub const fn from_number(number: i64) -> Self {
        Self(number)
    }
}

impl FromStr for TenantId {
    type Err = NotATenantId;

    fn from_str(text: &str) -> Result<Self, NotATenantId> {
        let shaped = (1..=18).contains(&text.len())
            && !text.starts_with('0')
            && text.bytes().all(|digit| digit.is_ascii_digit());
        if shaped { text.parse().map(Self).map_err(|_| NotATenantId) } else { Err(NotATenantId) }
    }
}

impl fmt::Display for TenantId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Tenant {
    pub id: TenantId,
    pub name: String,
    pub plan: String,
    #[serde(serialize_with = "crate::time::as_rfc3339")]
    pub created_at: crate::Timestamp,
    /// Since when its credentials are refused and none of its messages and webhooks leave; none: it is active.
    #[serde(serialize_with = "crate::time::as_optional_rfc3339")]
    pub suspended_at: Option<crate::Timestamp>,
}

impl serde::Serialize for TenantId {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_plain_numbers_are_tenants() {
        assert_eq!("100138".parse(), Ok(TenantId(100_138)));
        for bad in ["", "0", "0100", "+1", "-1", "12a", "1234567890123456789", " 1", "１"] {
            assert_eq!(bad.parse::<TenantId>(), Err(NotATenantId), "{bad}");
        }
    }

    #[test]
    fn an_id_has_1_to_18_digits_and_is_written_as_it_is_read() {
        for (text, number) in [("1", 1), ("10", 10), ("999999999999999999", 999_999_999_999_999_999)] {
            let tenant: TenantId = text.parse().unwrap();
            assert_eq!((tenant.number(), tenant.to_string().as_str()), (number, text));
            assert_eq!(TenantId::from_number(number), tenant);
            assert_eq!(serde_json::to_string(&tenant).unwrap(), format!("\"{text}\""));
        }
        assert_eq!("1000000000000000000".parse::<TenantId>(), Err(NotATenantId));
        assert_eq!((TenantId::FIRST.number(), TenantId::INSTALLATION.number()), (100_001, 0));
    }

    #[test]
    fn a_tenant_is_shown_with_the_time_of_its_creation() {
        let created_at = crate::Timestamp::from_seconds(1_776_000_000);
        let (name, plan) = ("Acme".into(), "unlimited".into());
        let mut tenant = Tenant { id: TenantId::FIRST, name, plan, created_at, suspended_at: None };
        assert_eq!(
            serde_json::to_string(&tenant).unwrap(),
            r#"{"id":"100001","name":"Acme","plan":"unlimited","created_at":"2026-04-12T13:20:00.000Z","suspended_at":null}"#
        );
        tenant.suspended_at = Some(created_at);
        let shown = serde_json::to_value(&tenant).unwrap();
        assert_eq!(shown["suspended_at"], shown["created_at"]);
    }
}
