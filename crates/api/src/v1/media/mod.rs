//! Files by their names.

pub(super) mod get;
pub(super) mod show;
