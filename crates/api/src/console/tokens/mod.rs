//! API tokens and legacy JWTs, managed by people.

pub(super) mod create;
pub(super) mod legacy;
pub(super) mod list;
pub(super) mod renew;
pub(super) mod revoke;
mod shape;

use crate::error::{ApiError, ApiResult, NOT_FOUND};

/// What has not even the shape of an id is not there.
fn token_id(text: &str) -> ApiResult<domain::TokenId> {
    text.parse().map_err(|_| ApiError::new(NOT_FOUND, "There is no such token"))
}
