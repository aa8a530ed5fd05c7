//! Where an order stands with its payment, as a business counts its money.

use serde::Deserialize;

use super::OrderStatus;
use crate::base::named::named;
use crate::base::schema::ToSchema;
use crate::commerce::payments::{Payment, PaymentStatus};

named! {
    /// Where an order stands with its payment: `to_confirm` was reported as paid by a webhook only, `canceled` is an
    /// order that was canceled before it was paid.
    #[derive(Deserialize, ToSchema)]
    #[serde(rename_all = "snake_case")]
    #[schema(as = PaymentStage)]
    PaymentStage {
        Paid => "paid",
        ToConfirm => "to_confirm",
        Waiting => "waiting",
        Failed => "failed",
        Refunded => "refunded",
        Canceled => "canceled",
    }
}

impl PaymentStage {
    /// A confirmed payment counts whatever else is true of the order, then a reported one: the money may be there.
    pub fn of(status: OrderStatus, payment: &Payment) -> Self {
        let is_claimed = payment.pending_confirmation.is_some_and(PaymentStatus::is_paid);
        match payment.status {
            PaymentStatus::Captured => Self::Paid,
            PaymentStatus::Refunded => Self::Refunded,
            _ if is_claimed => Self::ToConfirm,
            _ if status == OrderStatus::Canceled => Self::Canceled,
            PaymentStatus::Failed => Self::Failed,
            PaymentStatus::Pending => Self::Waiting,
        }
    }

    /// The payment status of every order at this stage, if they have the same.
    pub const fn payment_status(self) -> Option<PaymentStatus> {
        match self {
            Self::Paid => Some(PaymentStatus::Captured),
            Self::Refunded => Some(PaymentStatus::Refunded),
            Self::Waiting => Some(PaymentStatus::Pending),
            Self::Failed => Some(PaymentStatus::Failed),
            Self::ToConfirm | Self::Canceled => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::order::tests::order;
    use super::*;

    #[test]
    fn money_counts_before_a_cancellation_and_a_report_before_its_confirmation() {
        let payment = order().ledger.state();
        for (status, pending_confirmation, order_status, stage) in [
            (PaymentStatus::Pending, None, OrderStatus::Pending, PaymentStage::Waiting),
            (PaymentStatus::Pending, Some(PaymentStatus::Failed), OrderStatus::Pending, PaymentStage::Waiting),
            (PaymentStatus::Pending, Some(PaymentStatus::Captured), OrderStatus::Shipped, PaymentStage::ToConfirm),
            (PaymentStatus::Pending, Some(PaymentStatus::Captured), OrderStatus::Canceled, PaymentStage::ToConfirm),
            (PaymentStatus::Failed, Some(PaymentStatus::Captured), OrderStatus::Pending, PaymentStage::ToConfirm),
            (PaymentStatus::Failed, None, OrderStatus::Pending, PaymentStage::Failed),
            (PaymentStatus::Failed, None, OrderStatus::Canceled, PaymentStage::Canceled),
            (PaymentStatus::Pending, None, OrderStatus::Canceled, PaymentStage::Canceled),
            (PaymentStatus::Captured, Some(PaymentStatus::Refunded), OrderStatus::Pending, PaymentStage::Paid),
            (PaymentStatus::Captured, None, OrderStatus::Canceled, PaymentStage::Paid),
            (PaymentStatus::Refunded, None, OrderStatus::Completed, PaymentStage::Refunded),
        ] {
            let payment = Payment { status, pending_confirmation, ..payment.clone() };
            assert_eq!(PaymentStage::of(order_status, &payment), stage, "{payment:?}, {order_status}");
            assert!(stage.payment_status().is_none_or(|expected| expected == status), "{stage}");
        }
    }
}
