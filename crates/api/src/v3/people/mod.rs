//! V3: contacts, imports, labels and segments.

pub(super) mod contacts;
pub(crate) mod imports;
pub(crate) mod labels;
pub(super) mod segments;
