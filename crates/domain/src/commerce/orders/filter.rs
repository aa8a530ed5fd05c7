//! Which orders a list shows.

use super::{Order, OrderStatus, PaymentStage};
use crate::commerce::payments::PaymentStatus;
use crate::{ContactId, OrderId, Timestamp};

/// Which orders a list shows: every member that is given must hold.
#[derive(Debug, Clone, Copy)]
pub struct OrderFilter {
    pub from: Timestamp,
    /// Only orders after this position of the list, which are older.
    pub before: (Timestamp, OrderId),
    pub contact: Option<ContactId>,
    pub payment_status: Option<PaymentStatus>,
    pub status: Option<OrderStatus>,
    pub stage: Option<PaymentStage>,
}

impl OrderFilter {
    /// Compares contact and states. The position and the first time are conditions of the statement that reads.
    pub fn allows(&self, order: &Order) -> bool {
        self.contact.is_none_or(|contact| order.contact_id == Some(contact))
            && self.payment_status.is_none_or(|status| order.payment_status == status)
            && self.status.is_none_or(|status| order.status == status)
            && self.stage.is_none_or(|stage| order.payment_stage() == stage)
    }

    /// True when an index answers the filter alone: it reads no order that `allows` refuses.
    pub fn is_exact(&self) -> bool {
        let given = [self.contact.is_some(), self.payment_status.is_some(), self.status.is_some()];
        self.stage.is_none() && given.into_iter().filter(|one| *one).count() <= 1
    }

    /// The payment status of every order that the filter allows, if it is known.
    pub fn payment_status(&self) -> Option<PaymentStatus> {
        self.payment_status.or_else(|| self.stage.and_then(PaymentStage::payment_status))
    }
}

#[cfg(test)]
mod tests {
    use super::super::order::tests::order;
    use super::*;
    use crate::Id;

    fn all() -> OrderFilter {
        OrderFilter {
            from: Timestamp::from_micros(i64::MIN),
            before: (Timestamp::from_micros(i64::MAX), Id::from_bytes([0xff; 12])),
            contact: None,
            payment_status: None,
            status: None,
            stage: None,
        }
    }

    #[test]
    fn every_given_member_must_hold() {
        let order = order();
        let own = OrderFilter {
            contact: order.contact_id,
            payment_status: Some(PaymentStatus::Pending),
            status: Some(OrderStatus::Pending),
            stage: Some(PaymentStage::Waiting),
            ..all()
        };
        assert!(all().allows(&order) && own.allows(&order));
        assert!(!OrderFilter { contact: Some(Id::from_bytes([9; 12])), ..own }.allows(&order));
        assert!(!OrderFilter { payment_status: Some(PaymentStatus::Captured), ..own }.allows(&order));
        assert!(!OrderFilter { status: Some(OrderStatus::Shipped), ..own }.allows(&order));
        assert!(!OrderFilter { stage: Some(PaymentStage::Paid), ..own }.allows(&order));
    }

    #[test]
    fn an_order_without_a_contact_is_in_no_list_of_a_contact() {
        let order = order();
        let erased = Order { contact_id: None, ..order.clone() };
        let own = OrderFilter { contact: order.contact_id, ..all() };
        assert!(own.allows(&order) && !own.allows(&erased) && all().allows(&erased));
    }

    #[test]
    fn one_condition_is_exact_and_two_are_not() {
        let contact = Some(Id::from_bytes([9; 12]));
        let (payment_status, status) = (Some(PaymentStatus::Captured), Some(OrderStatus::Shipped));
        for exact in [
            all(),
            OrderFilter { contact, ..all() },
            OrderFilter { payment_status, ..all() },
            OrderFilter { status, ..all() },
        ] {
            assert!(exact.is_exact(), "{exact:?}");
        }
        for several in [
            OrderFilter { contact, payment_status, ..all() },
            OrderFilter { contact, status, ..all() },
            OrderFilter { payment_status, status, ..all() },
            OrderFilter { contact, payment_status, status, ..all() },
            OrderFilter { stage: Some(PaymentStage::ToConfirm), ..all() },
        ] {
            assert!(!several.is_exact(), "{several:?}");
        }
    }
}
