//! The accounts of a tenant, managed by its administrators.

pub(super) mod create;
pub(super) mod invite;
mod issued_link;
pub(super) mod link;
pub(super) mod list;
pub(super) mod remove;
pub(super) mod update;

use domain::roles::Role;
use serde::{Deserialize as _, Deserializer};

use crate::error::{ApiError, ApiResult, NOT_FOUND};

/// Parses an account id. A text that is no id names no account, so the error is 404, not 400.
fn account_id(text: &str) -> ApiResult<domain::AccountId> {
    text.parse().map_err(|_| ApiError::new(NOT_FOUND, "There is no such account"))
}

fn role<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Role, D::Error> {
    String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
}

fn optional_role<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Role>, D::Error> {
    let name = Option::<String>::deserialize(deserializer)?;
    name.map(|name| name.parse().map_err(serde::de::Error::custom)).transpose()
}
