//! Consumers: what Switchboard itself does with the facts of an event log.

use crate::base::named::named;

named! {
    /// A group of handlers that share one position in each log. The names are stored.
    ConsumerGroup {
        // What is derived from the log for reading: activity, the index of words.
        Projections => "projections",
        // What Switchboard does by itself: assignment. Only for tenants for which it is switched on.
        Reactions => "reactions",
    }
}
