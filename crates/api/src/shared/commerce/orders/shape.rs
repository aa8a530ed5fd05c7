//! The wire shape of an order, in V1 and V3: the order, then its target, origin and payment.

use app::commerce::orders::OrderView;
use domain::commerce::orders::OrderDocument;
use domain::commerce::payments::Payment;
use domain::{ChannelId, ContactId, MessageId};

use crate::prelude::*;

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = OrderShown)]
pub(crate) struct OrderShape<'a> {
    #[serde(flatten)]
    order: &'a OrderDocument,
    /// The person who was asked to pay: the phone number, or the BSUID if there is none. Absent if the contact was
    /// deleted.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "14155552671", nullable = false)]
    target: Option<&'a str>,
    #[serde(serialize_with = "as_rfc3339")]
    created: Timestamp,
    #[serde(serialize_with = "as_rfc3339")]
    updated: Timestamp,
    provenance: Provenance,
    /// The same as `GET /payments/{reference_id}`.
    payment: &'a Payment,
}

/// Where the order came from and how it was sent.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = OrderProvenance)]
pub(crate) struct Provenance {
    /// `API` or `WEB`.
    #[schema(example = "API")]
    source: &'static str,
    /// The account that created the order, from the console or with its token.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "shop@example.com", nullable = false)]
    operator_email: Option<String>,
    channel_id: ChannelId,
    /// Absent if the contact was deleted.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    contact_id: Option<ContactId>,
    /// The contact's name. Absent if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "Ada Lovelace", nullable = false)]
    contact_name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "ada.lovelace", nullable = false)]
    contact_username: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "14155552671", nullable = false)]
    contact_phone: Option<String>,
    /// The message that asks for the payment.
    message_id: MessageId,
    /// That message's status.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "read", nullable = false)]
    message_status: Option<&'static str>,
}

impl<'a> From<&'a OrderView> for OrderShape<'a> {
    fn from(shown: &'a OrderView) -> Self {
        let order = &shown.order;
        Self {
            order: &order.doc,
            target: shown.target.as_deref(),
            created: order.created_at,
            updated: order.updated_at,
            provenance: Provenance::from_view(shown),
            payment: &shown.payment,
        }
    }
}

impl Provenance {
    fn from_view(shown: &OrderView) -> Self {
        let order = &shown.order;
        let operator = order.operator.as_ref();
        Self {
            source: operator.map_or("", |operator| operator.source.name()),
            operator_email: operator.and_then(|operator| operator.email.clone()),
            channel_id: order.channel_id,
            contact_id: order.contact_id,
            contact_name: shown.name.clone(),
            contact_username: shown.username.clone(),
            contact_phone: shown.phone.clone(),
            message_id: order.message_id,
            message_status: shown.message_state.map(domain::messaging::messages::MessageState::name),
        }
    }
}
