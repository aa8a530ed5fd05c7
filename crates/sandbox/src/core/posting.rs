//! Posting state of a process; `post/mod.rs` reads and writes it.

use std::sync::atomic::{AtomicI64, AtomicU64};

use store::Wakeup;

/// Posting state of this process.
#[derive(Debug, Default)]
pub(crate) struct PostingState {
    pub scheduled: Wakeup,
    pub made: AtomicU64,
    /// Until when this node holds the lease, in Unix microseconds; 0 if it does not.
    pub ours_until: AtomicI64,
}
