//! The changes between two states of a payment, and the events that they cause.

use super::{Conflict, Payment};
use crate::base::named::named;

named! {
    /// A part of the state that changed.
    Change {
        Captured => "captured",
        Status => "status",
        PendingConfirmation => "pending_confirmation",
        Conflict => "conflict",
    }
}

/// The changes between two states. Empty when only times, sources or details of transactions differ. `Captured` is in
/// exactly one step of the history of a captured payment.
pub fn changes(before: &Payment, after: &Payment) -> Vec<Change> {
    let doubt = |payment: &Payment| payment.conflict.as_ref().map(Conflict::without_times);
    let parts = [
        (Change::Captured, !before.status.is_paid() && after.status.is_paid()),
        (Change::Status, before.status != after.status),
        (Change::PendingConfirmation, before.pending_confirmation != after.pending_confirmation),
        (Change::Conflict, doubt(before) != doubt(after)),
    ];
    parts.into_iter().filter(|(_, changed)| *changed).map(|(change, _)| change).collect()
}

/// An event that a change of an order or of its payment causes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OrderEvent {
    PaymentCaptured,
    OrderUpdated,
}

/// The events of these changes: `orderUpdated` for every change of state; the capture adds `paymentCaptured` before it.
pub fn events_of(changes: &[Change]) -> Vec<OrderEvent> {
    let captured = changes.contains(&Change::Captured).then_some(OrderEvent::PaymentCaptured);
    let updated = (!changes.is_empty()).then_some(OrderEvent::OrderUpdated);
    captured.into_iter().chain(updated).collect()
}
