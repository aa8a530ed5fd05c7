//! Labels of conversations and contacts.

pub(super) mod create;
pub(super) mod delete;
pub(super) mod list;
pub(crate) mod shape;
pub(super) mod update;

use domain::LabelId;

use crate::error::{ApiError, ApiResult, NOT_FOUND};

fn label_id(text: &str) -> ApiResult<LabelId> {
    text.parse().map_err(|_| ApiError::new(NOT_FOUND, "There is no such label"))
}
