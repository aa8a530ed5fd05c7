//! Orders: the capture of a payment, and every change of the status of an order or its payment.

use serde::Serialize;

use crate::commerce::orders::OrderDocument;
use crate::commerce::payments::Payment;
use crate::delivery::events::fact::FactScope;
use crate::delivery::events::{Fact, FactKind};
use crate::{ChannelId, ConversationId, EventId, Timestamp};

/// An order and its payment after the change.
#[derive(Debug, Clone, Copy)]
pub struct OrderSnapshot<'a> {
    pub order: &'a OrderDocument,
    pub payment: &'a Payment,
    pub channel_id: ChannelId,
    /// None once the contact was deleted.
    pub conversation_id: Option<ConversationId>,
}

#[derive(Serialize)]
struct Body<'a> {
    id: EventId,
    created: String,
    reference_id: &'a str,
    payment: &'a Payment,
    /// Absent in `paymentCaptured`.
    #[serde(skip_serializing_if = "Option::is_none")]
    order: Option<&'a OrderDocument>,
}

impl Fact {
    /// The business or a look-up confirms that the money arrived.
    pub fn payment_captured(now: Timestamp, snapshot: OrderSnapshot<'_>) -> Self {
        Self::about_order(FactKind::PaymentCaptured, now, snapshot, None)
    }

    /// The status of the order, the status of its payment or the conflict in its facts changed.
    pub fn order_updated(now: Timestamp, snapshot: OrderSnapshot<'_>) -> Self {
        Self::about_order(FactKind::OrderUpdated, now, snapshot, Some(snapshot.order))
    }

    fn about_order(kind: FactKind, now: Timestamp, snapshot: OrderSnapshot<'_>, order: Option<&OrderDocument>) -> Self {
        let scope = FactScope { channel_id: Some(snapshot.channel_id), conversation_id: snapshot.conversation_id };
        Self::new(kind, now, scope, |id| Body {
            id,
            created: now.to_rfc3339(),
            reference_id: snapshot.order.reference_id.as_str(),
            payment: snapshot.payment,
            order,
        })
    }
}
