//! What is different between two states of a payment, and which events tell it.

use super::{Conflict, Payment};
use crate::events::FactKind;
use crate::named::named;

named! {
    /// A part of the state that changed.
    Change {
        Captured => "captured",
        Status => "status",
        PendingConfirmation => "pending_confirmation",
        Conflict => "conflict",
    }
}

/// Empty when only times, sources or details of transactions differ: the state is the same then. `Captured` stands in
/// one step of every history of a payment that was captured, whatever comes later.
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

/// `orderUpdated` for every change of state, and `paymentCaptured` before it for the one that brought the money.
pub fn told_as(changes: &[Change]) -> Vec<FactKind> {
    let captured = changes.contains(&Change::Captured).then_some(FactKind::PaymentCaptured);
    let updated = (!changes.is_empty()).then_some(FactKind::OrderUpdated);
    captured.into_iter().chain(updated).collect()
}
