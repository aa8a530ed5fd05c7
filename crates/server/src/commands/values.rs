//! Parsers of argument values, with the domain's rules and messages.

use domain::Timestamp;
use domain::base::time::{Moment, NotATime};
use domain::identity::accounts;
use domain::identity::networks::{Networks, NotANetwork};
use domain::identity::roles::Role;
use domain::identity::scopes::{ScopeSet, UnknownScope};

/// Parses an RFC 3339 time, or a date, which stands for its last instant in UTC.
pub fn expiry(text: &str) -> Result<Timestamp, NotATime> {
    Moment::parse(text).map(Moment::last)
}

/// When a renewed token ends: at a time, or never.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Expiry(pub Option<Timestamp>);

pub fn expiry_or_never(text: &str) -> Result<Expiry, String> {
    if text == "never" {
        return Ok(Expiry(None));
    }
    expiry(text).map(|at| Expiry(Some(at))).map_err(|error| format!("{error}, or never"))
}

pub fn email(text: &str) -> Result<String, accounts::NotAnEmail> {
    accounts::normalise_email(text)
}

/// Parses a role, except that of tokens, which no account can have.
pub fn account_role(text: &str) -> Result<Role, String> {
    let role = text.parse().ok().filter(|role| Role::OF_ACCOUNTS.contains(role));
    let known = || Role::OF_ACCOUNTS.map(Role::name).join(", ");
    role.ok_or_else(|| format!("unknown role {text:?}; expected one of {}", known()))
}

pub fn scope(text: &str) -> Result<ScopeSet, UnknownScope> {
    ScopeSet::requested([text.trim()])
}

pub fn network(text: &str) -> Result<String, NotANetwork> {
    Networks::parse([text.trim()]).map(|network| network.to_text())
}

/// Parses a duration such as `90s`, `30m`, `24h` or `7d`; a number alone is seconds.
pub fn seconds(text: &str) -> Result<i64, String> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let unit = match &text[digits.len()..] {
        "" | "s" => Some(1),
        "m" => Some(60),
        "h" => Some(3600),
        "d" => Some(86_400),
        _ => None,
    };
    let number = digits.parse::<u32>().ok().map(i64::from);
    let seconds = number.zip(unit).map(|(number, unit)| number * unit);
    seconds.ok_or_else(|| "expected a duration such as 90s, 30m, 24h or 7d".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_of_time() {
        assert_eq!(
            ["90s", "90", "30m", "24h", "7d", "0"].map(|text| seconds(text).unwrap()),
            [90, 90, 1800, 86_400, 604_800, 0]
        );
        for bad in ["", "h", "-1h", "1w", "1.5h", "99999999999h", "24 h", "24é"] {
            assert!(seconds(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_role_of_an_account_is_none_of_a_token() {
        assert_eq!(account_role("operator"), Ok(Role::Operator));
        assert!(account_role("API_TOKEN").unwrap_err().ends_with("ADMINISTRATOR, DEVELOPER, OPERATOR, TRIAL"));
    }

    #[test]
    fn a_date_ends_with_its_last_instant() {
        assert_eq!(expiry("2027-05-01").unwrap().to_rfc3339(), "2027-05-01T23:59:59.999Z");
        assert_eq!(expiry_or_never("never"), Ok(Expiry(None)));
    }
}
