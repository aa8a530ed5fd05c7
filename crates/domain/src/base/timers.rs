//! Timers: work of a tenant that becomes due at a time.

use crate::base::named::named;

named! {
    /// What a timer is for. The names are stored.
    TimerKind {
        // The key is a conversation whose snooze ends.
        Snooze => "snooze",
        // The key is a broadcast whose next retry is due.
        BroadcastRetry => "broadcast_retry",
        // Waiting conversations are assigned. There is one for each tenant, whose key is `Id::LEAST`.
        Routing => "routing",
        // The rules are applied again to the waiting conversations after the key.
        RoutingPass => "routing_pass",
        // Assignment was switched on: finds conversations after the key that wait in a team.
        RoutingStart => "routing_start",
        // The key is an operator whose connection was lost.
        OperatorAway => "operator_away",
    }
}
