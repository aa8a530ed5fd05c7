//! Sends of V2.

mod sent;
pub(in crate::v2) mod template;
pub(in crate::v2) mod template_csv;
pub(in crate::v2) mod templates;
