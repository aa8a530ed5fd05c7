//! Imports of contacts and their outcomes.

pub(in crate::v3) mod list;
pub(in crate::v3) mod rejected;
pub(super) mod shape;
pub(in crate::v3) mod show;
pub(in crate::v3) mod verdicts;

use domain::ImportId;

use crate::error::{ApiError, ApiResult, NOT_FOUND};

/// A text that is not an id cannot name an existing row: 404.
fn id(text: &str) -> ApiResult<ImportId> {
    text.parse().map_err(|_| ApiError::new(NOT_FOUND, "There is no such import"))
}
