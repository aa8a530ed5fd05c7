//! Imports of contacts and their outcomes.

pub(in crate::v3) mod list;
pub(in crate::v3) mod rejected;
pub(super) mod shape;
pub(in crate::v3) mod show;
pub(in crate::v3) mod verdicts;

use domain::ImportId;

use crate::error::{ApiError, ApiResult, NOT_FOUND};

/// Parses an import id. A text that is no id names no import, so the error is 404, not 400.
fn id(text: &str) -> ApiResult<ImportId> {
    text.parse().map_err(|_| ApiError::new(NOT_FOUND, "There is no such import"))
}
