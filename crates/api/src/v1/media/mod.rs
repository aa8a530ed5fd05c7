//! Files by their names.

pub(super) mod get;
