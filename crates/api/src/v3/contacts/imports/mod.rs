//! Imports of contacts, and what came of them.

pub(in crate::v3) mod list;
pub(in crate::v3) mod rejected;
pub(super) mod shape;
pub(in crate::v3) mod show;
pub(in crate::v3) mod verdicts;

use domain::ImportId;

use crate::error::{ApiError, ApiResult, NOT_FOUND};

/// The id in a path: what is none names nothing.
fn id(text: &str) -> ApiResult<ImportId> {
    text.parse().map_err(|_| ApiError::new(NOT_FOUND, "There is no such import"))
}
