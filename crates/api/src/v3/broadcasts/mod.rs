//! Broadcasts: template sends to many, and how far they are.

pub(super) mod cancel;
pub(super) mod list;
pub(super) mod overview;
pub(super) mod recipients;
mod shape;
pub(super) mod show;

use crate::error::{ApiError, ApiResult, NOT_FOUND};

/// What has not even the shape of an id is not there.
fn broadcast_id(text: &str) -> ApiResult<domain::BroadcastId> {
    text.parse().map_err(|_| ApiError::new(NOT_FOUND, "There is no such broadcast"))
}
