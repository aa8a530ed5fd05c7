//! API tokens and legacy JWTs.

pub(super) mod create;
pub(super) mod legacy;
pub(super) mod list;
pub(super) mod renew;
pub(super) mod revoke;
mod shape;

use crate::error::{ApiError, ApiResult, NOT_FOUND};

/// A text that is not an id cannot name an existing row: 404.
fn token_id(text: &str) -> ApiResult<domain::TokenId> {
    text.parse().map_err(|_| ApiError::new(NOT_FOUND, "There is no such token"))
}
