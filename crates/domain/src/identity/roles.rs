//! The roles of callers.

use std::fmt;
use std::str::FromStr;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Role {
    Administrator,
    Developer,
    Operator,
    /// The role of API access tokens, independent of the role of the account.
    ApiToken,
    Trial,
}

/// The work with customers: conversations, contacts, calls, orders, and what is read for it.
pub const TEAM: &[Role] = &Role::ALL;
/// What connects the tenant with other systems, reaches many customers at once, or takes their data away: webhooks,
/// events, channels, templates, broadcasts, imports, exports, deletions. API tokens have it as far as their scopes go.
pub const INTEGRATION: &[Role] = &[Role::Administrator, Role::Developer, Role::ApiToken];
/// The same without API tokens.
pub const DEVELOPERS: &[Role] = &[Role::Administrator, Role::Developer];

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown role {name:?}; expected ADMINISTRATOR, DEVELOPER, OPERATOR, API_TOKEN or TRIAL")]
pub struct UnknownRole {
    pub name: String,
}

impl Role {
    pub const ALL: [Self; 5] = [Self::Administrator, Self::Developer, Self::Operator, Self::ApiToken, Self::Trial];

    /// The roles that a person's account can have.
    pub const OF_ACCOUNTS: [Self; 4] = [Self::Administrator, Self::Developer, Self::Operator, Self::Trial];

    pub const fn name(self) -> &'static str {
        match self {
            Self::Administrator => "ADMINISTRATOR",
            Self::Developer => "DEVELOPER",
            Self::Operator => "OPERATOR",
            Self::ApiToken => "API_TOKEN",
            Self::Trial => "TRIAL",
        }
    }

    /// True if an account of this role may own API tokens.
    pub const fn may_own_tokens(self) -> bool {
        matches!(self, Self::Administrator | Self::Developer)
    }

    /// Order of roles, for "at most this role" rules. Tokens rank above operators, because they have `INTEGRATION`.
    pub const fn rank(self) -> u8 {
        match self {
            Self::Trial => 0,
            Self::Operator => 1,
            Self::ApiToken => 2,
            Self::Developer => 3,
            Self::Administrator => 4,
        }
    }
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Role {
    type Err = UnknownRole;

    fn from_str(name: &str) -> Result<Self, UnknownRole> {
        let known = Self::ALL.into_iter().find(|role| role.name().eq_ignore_ascii_case(name));
        known.ok_or_else(|| UnknownRole { name: name.to_owned() })
    }
}

impl<'de> serde::Deserialize<'de> for Role {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

impl serde::Serialize for Role {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

/// The roles of accounts.
#[cfg(feature = "document")]
impl utoipa::PartialSchema for Role {
    fn schema() -> utoipa::openapi::RefOr<utoipa::openapi::schema::Schema> {
        let mut role = utoipa::openapi::schema::Object::with_type(utoipa::openapi::schema::Type::String);
        role.enum_values = Some(Self::OF_ACCOUNTS.iter().map(|role| role.name().into()).collect());
        role.into()
    }
}

#[cfg(feature = "document")]
impl utoipa::ToSchema for Role {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roles_read_back_in_any_letter_case() {
        for (role, name) in [
            (Role::Administrator, "ADMINISTRATOR"),
            (Role::Developer, "DEVELOPER"),
            (Role::Operator, "OPERATOR"),
            (Role::ApiToken, "API_TOKEN"),
            (Role::Trial, "TRIAL"),
        ] {
            assert_eq!((role.name(), role.to_string().as_str()), (name, name));
            assert_eq!((name.parse(), name.to_lowercase().parse()), (Ok(role), Ok(role)));
            assert_eq!(serde_json::to_value(role).unwrap(), name);
        }
        let refused = "ROOT".parse::<Role>().unwrap_err();
        assert_eq!(refused, UnknownRole { name: "ROOT".into() });
        assert!(Role::ALL.iter().all(|role| refused.to_string().contains(role.name())), "{refused}");
    }

    #[test]
    fn administrators_and_developers_own_tokens_and_rank_highest() {
        for (role, owns, rank) in [
            (Role::Administrator, true, 4),
            (Role::Developer, true, 3),
            (Role::ApiToken, false, 2),
            (Role::Operator, false, 1),
            (Role::Trial, false, 0),
        ] {
            assert_eq!((role.may_own_tokens(), role.rank()), (owns, rank), "{role}");
        }
        assert!(!Role::OF_ACCOUNTS.contains(&Role::ApiToken));
        assert_eq!(Role::OF_ACCOUNTS.len() + 1, Role::ALL.len());
    }
}
