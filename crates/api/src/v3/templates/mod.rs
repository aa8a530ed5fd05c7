//! Templates.

pub(super) mod check;
pub(super) mod create;
pub(super) mod delete;
pub(super) mod history;
pub(super) mod list;
mod parts;
pub(super) mod sample;
pub(super) mod schedule;
pub(super) mod send;
mod shape;
pub(super) mod show;

use crate::error::{ApiError, ApiResult, NOT_FOUND};

/// Parses a template id. A text that is no id names no template, so the error is 404, not 400.
fn template_id(text: &str) -> ApiResult<domain::TemplateId> {
    text.parse().map_err(|_| ApiError::new(NOT_FOUND, "There is no such template"))
}
