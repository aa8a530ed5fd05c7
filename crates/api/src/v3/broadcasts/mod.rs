//! Broadcasts: template sends and their progress.

pub(super) mod cancel;
pub(super) mod failures;
pub(super) mod list;
pub(super) mod overview;
pub(super) mod recipients;
pub(super) mod retry;
mod shape;
pub(super) mod show;

use crate::error::{ApiError, ApiResult, NOT_FOUND};

/// A text that is not an id cannot name an existing row: 404.
fn broadcast_id(text: &str) -> ApiResult<domain::BroadcastId> {
    text.parse().map_err(|_| ApiError::new(NOT_FOUND, "There is no such broadcast"))
}
