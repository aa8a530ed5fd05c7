//! V3: contacts, imports, labels, segments and teams.

pub(super) mod contacts;
pub(crate) mod imports;
pub(crate) mod labels;
pub(super) mod segments;
pub(super) mod teams;
