//! Files by name.

pub(in crate::v1) mod get;
