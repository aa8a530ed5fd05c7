//! Segments of contacts.

pub(super) mod count;
pub(super) mod create;
pub(super) mod delete;
pub(super) mod list;
mod shape;
pub(super) mod show;
pub(super) mod update;

use domain::SegmentId;

use crate::error::{ApiError, ApiResult, NOT_FOUND};

fn segment_id(text: &str) -> ApiResult<SegmentId> {
    text.parse().map_err(|_| ApiError::new(NOT_FOUND, "There is no such segment"))
}
