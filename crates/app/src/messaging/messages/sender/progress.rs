//! How sending for an account ended.

use domain::Timestamp;

/// How sending for an account ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SendProgress {
    /// No unclaimed message waits in the outbox of these channels.
    Empty,
    /// The next message may leave at this time: it is due then, or the limits allow it.
    Until(Timestamp),
    /// Another node holds the account's lease.
    Elsewhere,
}
