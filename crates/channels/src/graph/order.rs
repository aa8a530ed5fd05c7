//! Orders and order updates in messages. Member names are the network's; sums are checked in `domain`.

use serde::ser::{SerializeMap as _, Serializer};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::tagged::serialize_tagged;

/// `value` over `offset`: 21000 over 100 is 210.00.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Amount {
    pub value: i64,
    pub offset: i64,
}

/// A request to pay an order.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct OrderDetails {
    pub reference_id: String,
    #[serde(rename = "type")]
    pub goods: Goods,
    /// The older form: `payment_type` and `payment_configuration` in place of `payment_settings`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub payment_type: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub payment_configuration: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub payment_settings: Vec<PaymentSetting>,
    pub currency: String,
    pub total_amount: Amount,
    /// Shipping addresses.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub beneficiaries: Vec<Beneficiary>,
    pub order: OrderContents,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Goods {
    DigitalGoods,
    PhysicalGoods,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct OrderContents {
    pub status: OrderState,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub catalog_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expiration: Option<Expiration>,
    pub items: Vec<OrderItem>,
    pub subtotal: Amount,
    pub tax: Charge,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shipping: Option<Charge>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub discount: Option<Charge>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct OrderItem {
    pub retailer_id: String,
    pub name: String,
    pub amount: Amount,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sale_amount: Option<Amount>,
    pub quantity: i64,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Charge {
    #[serde(flatten)]
    pub amount: Amount,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Discounts only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub discount_program_name: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Expiration {
    /// Seconds since 1970, as a text.
    pub timestamp: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Beneficiary {
    pub name: String,
    pub address_line1: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub address_line2: Option<String>,
    pub city: String,
    pub state: String,
    pub country: String,
    pub postal_code: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum OrderState {
    Pending,
    Processing,
    PartiallyShipped,
    Shipped,
    Completed,
    Canceled,
}

/// A way for the person to pay.
#[derive(Debug, Clone, PartialEq)]
pub enum PaymentSetting {
    PaymentGateway(Gateway),
    UpiIntentLink { link: String },
    PixDynamicCode(Pix),
    PaymentLink { uri: String },
    Boleto { digitable_line: String },
}

impl Serialize for PaymentSetting {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::PaymentGateway(gateway) => serialize_tagged(serializer, "payment_gateway", gateway),
            Self::UpiIntentLink { link } => {
                serialize_tagged(serializer, "upi_intent_link", &SingleMember("link", link))
            }
            Self::PixDynamicCode(pix) => serialize_tagged(serializer, "pix_dynamic_code", pix),
            Self::PaymentLink { uri } => serialize_tagged(serializer, "payment_link", &SingleMember("uri", uri)),
            Self::Boleto { digitable_line } => {
                serialize_tagged(serializer, "boleto", &SingleMember("digitable_line", digitable_line))
            }
        }
    }
}

/// A JSON object with one string member.
struct SingleMember<'a>(&'static str, &'a str);

impl Serialize for SingleMember<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map([(self.0, self.1)])
    }
}

/// A payment gateway (`razorpay`, `payu`, …) under the name of its configuration.
#[derive(Debug, Clone, PartialEq)]
pub struct Gateway {
    pub kind: String,
    pub configuration_name: String,
    /// Members that only this gateway understands: receipts, notes.
    pub extra: Option<Map<String, Value>>,
}

impl Serialize for Gateway {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("type", &self.kind)?;
        map.serialize_entry("configuration_name", &self.configuration_name)?;
        if let Some(extra) = &self.extra {
            map.serialize_entry(&self.kind, extra)?;
        }
        map.end()
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Pix {
    pub code: String,
    pub merchant_name: String,
    pub key: String,
    pub key_type: String,
}

/// An update of an order that was sent before.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct OrderStatus {
    pub reference_id: String,
    pub order: OrderUpdate,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub payment: Option<PaymentUpdate>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct OrderUpdate {
    pub status: OrderState,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct PaymentUpdate {
    pub status: PaymentState,
    /// Seconds since 1970.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timestamp: Option<i64>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum PaymentState {
    Pending,
    Captured,
    Failed,
}
