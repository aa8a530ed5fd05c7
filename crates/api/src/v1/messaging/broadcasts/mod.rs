//! Broadcasts.

pub(in crate::v1) mod retry;
