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

/// Parses a broadcast id. A text that is no id names no broadcast, so the error is 404, not 400.
fn broadcast_id(text: &str) -> ApiResult<domain::BroadcastId> {
    text.parse().map_err(|_| ApiError::new(NOT_FOUND, "There is no such broadcast"))
}
