//! Sends of V2.

mod sent;
pub(super) mod template;
pub(super) mod template_csv;
pub(super) mod templates;
