//! An order as both versions show it: the members of the order itself, then what we know around it.

use app::messages::Operator;
use app::orders::Shown;
use domain::orders::Order;
use domain::payments::Payment;
use domain::time::as_rfc3339;
use domain::{ChannelId, ContactId, MessageId, Timestamp};
use serde::Serialize;
use utoipa::ToSchema;

use super::amount::AmountShape;
use super::payment::PaymentSchema;

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = OrderShown)]
pub(crate) struct OrderShape<'a> {
    #[serde(flatten)]
    #[schema(value_type = OrderSchema)]
    order: &'a Order,
    /// Who was asked to pay: the phone number, or the BSUID where there is none. Absent once the contact was deleted.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "14155552671", nullable = false)]
    target: Option<&'a str>,
    #[serde(serialize_with = "as_rfc3339")]
    #[schema(value_type = String, format = "date-time", example = "2026-04-24T10:00:00.000Z")]
    created: Timestamp,
    #[serde(serialize_with = "as_rfc3339")]
    #[schema(value_type = String, format = "date-time", example = "2026-04-24T10:00:00.000Z")]
    updated: Timestamp,
    provenance: Provenance,
    /// As `payments/{reference_id}` has it.
    #[schema(value_type = PaymentSchema)]
    payment: &'a Payment,
}

/// Where the order came from and where it went.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = OrderProvenance)]
pub(crate) struct Provenance {
    /// `API` or `WEB`.
    #[schema(example = "API")]
    source: &'static str,
    /// The account that made it, or whose token did.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "shop@example.com", nullable = false)]
    operator_email: Option<String>,
    #[schema(value_type = String, example = "69eb4e9a1f0c2d3e4a5b6c7d")]
    channel_id: ChannelId,
    /// Absent once the contact was deleted.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, example = "507f1f77bcf86cd799439011", nullable = false)]
    contact_id: Option<ContactId>,
    /// The message that asked for the payment.
    #[schema(value_type = String, example = "69eb4e9a1f0c2d3e4a5b6c03")]
    message_id: MessageId,
    /// How far that message is.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "read", nullable = false)]
    message_status: Option<&'static str>,
}

/// What the business asked to pay for.
#[derive(Debug, ToSchema)]
#[schema(as = Order)]
#[expect(dead_code, reason = "a description of what the domain writes")]
pub(crate) struct OrderSchema {
    /// The business's own; unique in the tenant.
    #[schema(example = "order-4711", min_length = 1, max_length = 35, pattern = "^[A-Za-z0-9_.-]+$")]
    reference_id: String,
    r#type: GoodsSchema,
    #[schema(example = "INR")]
    currency: String,
    total_amount: AmountShape,
    order: ContentSchema,
    /// The name under which the network knows how the business is paid.
    #[schema(example = "shop-upi", nullable = false)]
    payment_configuration: Option<String>,
    #[schema(example = "upi", nullable = false)]
    payment_type: Option<String>,
}

#[derive(Debug, ToSchema)]
#[schema(as = OrderType, rename_all = "kebab-case")]
#[expect(dead_code, reason = "a description of what is written by name")]
pub(crate) enum GoodsSchema {
    DigitalGoods,
    PhysicalGoods,
}

/// Forward only; what has left cannot be canceled.
#[derive(Debug, ToSchema)]
#[schema(as = OrderStatus, rename_all = "snake_case")]
#[expect(dead_code, reason = "a description of what is written by name")]
pub(crate) enum StatusSchema {
    Pending,
    Processing,
    PartiallyShipped,
    Shipped,
    Completed,
    Canceled,
}

#[derive(Debug, ToSchema)]
#[schema(as = OrderContent)]
#[expect(dead_code, reason = "a description of what the domain writes")]
pub(crate) struct ContentSchema {
    status: StatusSchema,
    items: Vec<ItemSchema>,
    subtotal: AmountShape,
    tax: ChargeSchema,
    #[schema(nullable = false)]
    shipping: Option<ChargeSchema>,
    #[schema(nullable = false)]
    discount: Option<ChargeSchema>,
}

#[derive(Debug, ToSchema)]
#[schema(as = OrderItem)]
#[expect(dead_code, reason = "a description of what the domain writes")]
pub(crate) struct ItemSchema {
    #[schema(example = "tea-250")]
    retailer_id: String,
    #[schema(example = "Darjeeling, 250 g")]
    name: String,
    amount: AmountShape,
    #[schema(nullable = false)]
    sale_amount: Option<AmountShape>,
    #[schema(example = 2)]
    quantity: i64,
}

#[derive(Debug, ToSchema)]
#[schema(as = OrderCharge)]
#[expect(dead_code, reason = "a description of what the domain writes")]
pub(crate) struct ChargeSchema {
    #[schema(example = 1050)]
    value: i64,
    #[schema(example = 100)]
    offset: i64,
    #[schema(example = "GST", nullable = false)]
    description: Option<String>,
    #[schema(nullable = false)]
    discount_program_name: Option<String>,
}

impl<'a> From<&'a Shown> for OrderShape<'a> {
    fn from(shown: &'a Shown) -> Self {
        let order = &shown.order;
        Self {
            order: &order.doc,
            target: shown.target.as_deref(),
            created: order.created_at,
            updated: order.updated_at,
            provenance: Provenance::of(shown),
            payment: &shown.payment,
        }
    }
}

impl Provenance {
    fn of(shown: &Shown) -> Self {
        let order = &shown.order;
        let operator = Operator::read(Some(&order.operator));
        Self {
            source: operator.as_ref().map_or("", |operator| operator.source.name()),
            operator_email: operator.and_then(|operator| operator.email),
            channel_id: order.channel_id,
            contact_id: order.contact_id,
            message_id: order.message_id,
            message_status: shown.message_state.map(domain::messages::State::name),
        }
    }
}
