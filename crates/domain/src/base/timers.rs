//! Timers: work of a tenant that becomes due at a time.

use crate::base::named::named;

named! {
    /// What a timer is for. The names are stored.
    TimerKind {
        // The key is a conversation whose snooze ends.
        Snooze => "snooze",
        // The key is a broadcast whose next retry is due.
        BroadcastRetry => "broadcast_retry",
    }
}
