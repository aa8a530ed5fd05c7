//! An order of a tenant with the ledger of its payment: how it is made, how it changes, and which events a change
//! causes.

use super::{OrderDocument, OrderStatus, PaymentStage};
use crate::commerce::payments::{
    CancelRefused, FirstReport, Ledger, LookupAttempts, OrderEvent, Payment, PaymentFact, PaymentSource, PaymentStatus,
    changes, events_of,
};
use crate::messaging::messages::MessageOperator;
use crate::{ChannelId, ContactId, MessageId, OrderId, Timestamp};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Order {
    pub id: OrderId,
    pub channel_id: ChannelId,
    /// None after the contact was erased: the record of money stays without its person.
    pub contact_id: Option<ContactId>,
    /// The message that asks for the payment.
    pub message_id: MessageId,
    pub status: OrderStatus,
    /// The status that the ledger gives.
    pub payment_status: PaymentStatus,
    pub doc: OrderDocument,
    pub ledger: Ledger,
    /// The account that made it. Every new order has one; None where a later version wrote a value that this one cannot
    /// parse.
    pub operator: Option<MessageOperator>,
    pub attempts: LookupAttempts,
    /// When the next look-up of the payment is due; None when no look-up is needed.
    pub lookup_at: Option<Timestamp>,
    /// Why the last look-up failed.
    pub lookup_error: Option<String>,
    pub created_at: Timestamp,
    /// When the order's or the payment's state last changed.
    pub updated_at: Timestamp,
}

/// One step of an order's history.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OrderHistoryEntry {
    pub at: Timestamp,
    pub source: PaymentSource,
    pub change: OrderChange,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OrderChange {
    Created,
    /// The business moved the order to this status.
    Status(String),
    /// A source first reported this status of the payment.
    Payment(PaymentStatus),
}

/// The message that an order leaves with, and who made the order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OrderOrigin {
    pub channel_id: ChannelId,
    pub contact_id: ContactId,
    pub message_id: MessageId,
    pub operator: MessageOperator,
}

impl Order {
    /// The first fact of the ledger is that the business made the order.
    pub fn new(id: OrderId, doc: OrderDocument, origin: OrderOrigin, now: Timestamp) -> Self {
        let mut ledger = Ledger::default();
        ledger.apply(&PaymentFact::Ordered { at: now, amount: doc.total_amount, currency: doc.currency });
        let payment = ledger.state();
        let mut order = Self {
            id,
            channel_id: origin.channel_id,
            contact_id: Some(origin.contact_id),
            message_id: origin.message_id,
            status: doc.order.status,
            payment_status: payment.status,
            doc,
            ledger,
            operator: Some(origin.operator),
            attempts: LookupAttempts::default(),
            lookup_at: None,
            lookup_error: None,
            created_at: now.to_millis(),
            updated_at: now.to_millis(),
        };
        order.lookup_at = order.next_lookup(&payment);
        order
    }

    pub fn reference_id(&self) -> &str {
        self.doc.reference_id.as_str()
    }

    pub fn payment_stage(&self) -> PaymentStage {
        PaymentStage::of(self.status, &self.ledger.state())
    }

    /// Joins a fact into the ledger. True when it changed the payment's state.
    pub fn apply_fact(&mut self, fact: &PaymentFact) -> bool {
        let before = self.ledger.state();
        self.ledger.apply(fact);
        !changes(&before, &self.ledger.state()).is_empty()
    }

    /// Sets a status that [`OrderStatus::check_move`] allows. An order that is paid or being paid cannot be canceled.
    pub fn move_to(&mut self, status: OrderStatus, now: Timestamp) -> Result<(), CancelRefused> {
        if status == OrderStatus::Canceled {
            self.ledger.state().check_cancel()?;
            self.apply_fact(&PaymentFact::Canceled { at: now });
        }
        self.status = status;
        self.doc.order.status = status;
        self.ledger.record_move(now, status.name());
        Ok(())
    }

    /// How the order came to its state, oldest first.
    pub fn history(&self) -> Vec<OrderHistoryEntry> {
        let business = |at, change| OrderHistoryEntry { at, source: PaymentSource::Business, change };
        let mut all = vec![business(self.created_at, OrderChange::Created)];
        all.extend(self.ledger.moves().map(|(at, status)| business(at, OrderChange::Status(status.to_owned()))));
        let canceled = OrderStatus::Canceled.name();
        let is_recorded = self.ledger.moves().any(|(_, status)| status == canceled);
        if let Some(at) = self.ledger.canceled_at().filter(|_| !is_recorded) {
            all.push(business(at, OrderChange::Status(canceled.to_owned())));
        }
        let is_first =
            |report: &FirstReport| (report.source, report.status) == (PaymentSource::Business, PaymentStatus::Pending);
        let reports = self.ledger.first_reports().filter(|report| !is_first(report));
        all.extend(reports.map(|FirstReport { at, source, status }| OrderHistoryEntry {
            at,
            source,
            change: OrderChange::Payment(status),
        }));
        all.sort_by_key(|entry| entry.at);
        all
    }

    /// Updates what follows from the ledger, whose state is `payment`: the payment's status, the next look-up and, when
    /// an event is due, the time of the last change. Returns the events that the difference to `before` causes.
    pub fn update_derived(&mut self, before: &Self, payment: &Payment, now: Timestamp) -> Vec<OrderEvent> {
        let events = self.events_since(before, payment);
        self.payment_status = payment.status;
        self.lookup_at = self.next_lookup(payment);
        if !events.is_empty() {
            self.updated_at = now.to_millis();
        }
        events
    }

    /// `orderUpdated` if the state of the payment or of the order changed; before it `paymentCaptured` if the money
    /// arrived.
    fn events_since(&self, before: &Self, payment: &Payment) -> Vec<OrderEvent> {
        let mut events = events_of(&changes(&before.ledger.state(), payment));
        if before.status != self.status && !events.contains(&OrderEvent::OrderUpdated) {
            events.push(OrderEvent::OrderUpdated);
        }
        events
    }

    /// None when no look-up is needed, or when the order names no payment configuration to ask for.
    fn next_lookup(&self, payment: &Payment) -> Option<Timestamp> {
        self.doc.payment_configuration.as_ref().and_then(|_| payment.next_lookup(self.attempts, self.id))
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::Id;
    use crate::commerce::money::Amount;
    use crate::commerce::orders::{NewContent, NewItem, NewOrder};
    use crate::commerce::payments::WebhookReport;
    use crate::messaging::messages::MessageSource;

    const NOW: Timestamp = Timestamp::from_seconds(1_776_000_000);

    pub(in crate::commerce::orders) fn order() -> Order {
        let item = NewItem {
            retailer_id: "tea-250".to_owned(),
            name: "Darjeeling, 250 g".to_owned(),
            amount: Some(Amount::new(2150)),
            sale_amount: None,
            quantity: Some(1),
        };
        let new = NewOrder {
            reference_id: "order-1".to_owned(),
            goods: "physical-goods".to_owned(),
            currency: "INR".to_owned(),
            total_amount: Some(Amount::new(2150)),
            order: NewContent { items: vec![item], ..NewContent::default() },
            payment_configuration: Some("shop-upi".to_owned()),
            payment_type: None,
        };
        let origin = OrderOrigin {
            channel_id: Id::from_bytes([1; 12]),
            contact_id: Id::from_bytes([2; 12]),
            message_id: Id::from_bytes([3; 12]),
            operator: MessageOperator { email: None, source: MessageSource::Api, is_bot: false },
        };
        Order::new(Id::from_bytes([4; 12]), new.check().unwrap(), origin, NOW)
    }

    fn marked(seconds: i64, status: PaymentStatus) -> PaymentFact {
        PaymentFact::Marked { at: NOW.plus_seconds(seconds), status }
    }

    fn reported(seconds: i64, status: PaymentStatus) -> PaymentFact {
        PaymentFact::Webhook(WebhookReport { at: NOW.plus_seconds(seconds), status, money: None, transaction: None })
    }

    #[test]
    fn a_new_order_is_pending_and_is_looked_up_where_it_names_a_configuration() {
        let order = order();
        assert_eq!(
            (order.reference_id(), order.status, order.payment_status),
            ("order-1", OrderStatus::Pending, PaymentStatus::Pending)
        );
        let payment = order.ledger.state();
        assert_eq!((payment.amount, payment.ordered_at), (Some(Amount::new(2150)), Some(NOW)));
        assert_eq!(order.contact_id, Some(Id::from_bytes([2; 12])));
        assert_eq!((order.created_at, order.updated_at), (NOW, NOW));
        assert!(order.lookup_at.is_some_and(|at| at > NOW));
        let mut unnamed = order.clone();
        unnamed.doc.payment_configuration = None;
        unnamed.update_derived(&order, &payment, NOW);
        assert_eq!(unnamed.lookup_at, None);
    }

    #[test]
    fn a_fact_changes_the_state_once() {
        let mut order = order();
        assert!(order.apply_fact(&reported(10, PaymentStatus::Captured)));
        assert!(!order.apply_fact(&reported(10, PaymentStatus::Captured)), "the same fact again");
        assert!(!order.apply_fact(&reported(20, PaymentStatus::Captured)), "the same state at a later time");
        assert!(order.apply_fact(&marked(30, PaymentStatus::Captured)), "confirmed");
    }

    #[test]
    fn a_canceled_order_is_canceled_in_document_and_ledger() {
        let mut order = order();
        order.move_to(OrderStatus::Canceled, NOW.plus_seconds(5)).unwrap();
        assert_eq!((order.status, order.doc.order.status), (OrderStatus::Canceled, OrderStatus::Canceled));
        assert_eq!(order.ledger.state().canceled_at, Some(NOW.plus_seconds(5)));
    }

    #[test]
    fn a_paid_order_is_not_canceled_and_stays_as_it_was() {
        let mut order = order();
        order.apply_fact(&marked(10, PaymentStatus::Captured));
        let before = order.clone();
        assert_eq!(order.move_to(OrderStatus::Canceled, NOW.plus_seconds(20)), Err(CancelRefused::Captured));
        assert_eq!(order, before);
        order.move_to(OrderStatus::Shipped, NOW.plus_seconds(30)).unwrap();
        assert_eq!((order.status, order.doc.order.status), (OrderStatus::Shipped, OrderStatus::Shipped));
        assert_eq!(order.ledger.state().canceled_at, None);
    }

    #[test]
    fn each_change_of_state_is_one_event() {
        let before = order();
        let later = NOW.plus_seconds(60);
        let events = |change: &dyn Fn(&mut Order)| {
            let mut after = before.clone();
            change(&mut after);
            let payment = after.ledger.state();
            let events = after.update_derived(&before, &payment, later);
            assert_eq!(after.payment_status, payment.status);
            assert_eq!(after.updated_at, if events.is_empty() { NOW } else { later });
            events
        };
        let capture = |order: &mut Order| {
            order.apply_fact(&marked(10, PaymentStatus::Captured));
        };
        let ship = |order: &mut Order| order.move_to(OrderStatus::Shipped, later).unwrap();
        assert_eq!(events(&|_| {}), []);
        assert_eq!(events(&capture), [OrderEvent::PaymentCaptured, OrderEvent::OrderUpdated]);
        assert_eq!(events(&ship), [OrderEvent::OrderUpdated]);
        let both = |order: &mut Order| {
            capture(order);
            ship(order);
        };
        assert_eq!(events(&both), [OrderEvent::PaymentCaptured, OrderEvent::OrderUpdated]);
    }
}
