//! API tokens and legacy JWTs.

pub(super) mod create;
pub(super) mod legacy;
pub(super) mod list;
pub(super) mod renew;
pub(super) mod revoke;
mod shape;

use crate::error::{ApiError, ApiResult, NOT_FOUND};

/// Parses a token id. A text that is no id names no token, so the error is 404, not 400.
fn token_id(text: &str) -> ApiResult<domain::TokenId> {
    text.parse().map_err(|_| ApiError::new(NOT_FOUND, "There is no such token"))
}
