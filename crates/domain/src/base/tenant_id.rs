//! The id of a tenant: a numeric string on the wire, an integer in memory.

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
}
