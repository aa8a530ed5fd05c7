//! Files by name.

pub(super) mod get;
