//! Orders: that one is paid, and every change of how it or its payment stands.

use serde::Serialize;

use crate::events::fact::Place;
use crate::events::{Fact, Kind};
use crate::orders::Order;
use crate::payments::Payment;
use crate::{ChannelId, ConversationId, EventId, Timestamp};

/// An order as it stands after what is told.
#[derive(Debug, Clone, Copy)]
pub struct OrderTold<'a> {
    pub order: &'a Order,
    pub payment: &'a Payment,
    pub channel_id: ChannelId,
    /// None once its person was deleted.
    pub conversation_id: Option<ConversationId>,
}

#[derive(Serialize)]
struct Body<'a> {
    id: EventId,
    created: String,
    reference_id: &'a str,
    payment: &'a Payment,
    /// Not told with a capture alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    order: Option<&'a Order>,
}

impl Fact {
    /// Money for an order has come in, as business or look-up say.
    pub fn payment_captured(now: Timestamp, told: OrderTold<'_>) -> Self {
        Self::of_order(Kind::PaymentCaptured, now, told, None)
    }

    /// The order's status, its payment's, or what is doubtful about it is another than before.
    pub fn order_updated(now: Timestamp, told: OrderTold<'_>) -> Self {
        Self::of_order(Kind::OrderUpdated, now, told, Some(told.order))
    }

    fn of_order(kind: Kind, now: Timestamp, told: OrderTold<'_>, order: Option<&Order>) -> Self {
        let place = Place { channel_id: Some(told.channel_id), conversation_id: told.conversation_id };
        Self::new(kind, now, place, true, |id| Body {
            id,
            created: now.to_rfc3339(),
            reference_id: told.order.reference_id.as_str(),
            payment: told.payment,
            order,
        })
    }
}
