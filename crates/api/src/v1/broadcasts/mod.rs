//! Broadcasts.

pub(super) mod retry;
