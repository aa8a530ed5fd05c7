//! Templates.

pub(super) mod check;
pub(super) mod create;
pub(super) mod delete;
pub(super) mod list;
mod parts;
pub(super) mod sample;
pub(super) mod schedule;
pub(super) mod send;
mod shape;
pub(super) mod show;

use crate::error::{ApiError, ApiResult, NOT_FOUND};

/// A text that is not an id cannot name an existing row: 404.
fn template_id(text: &str) -> ApiResult<domain::TemplateId> {
    text.parse().map_err(|_| ApiError::new(NOT_FOUND, "There is no such template"))
}
