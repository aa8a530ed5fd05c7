//! The payment look-up. A webhook about a payment is only a claim; this answer confirms it.

use domain::Timestamp;
use serde::{Deserialize, Deserializer};

use super::client::{Graph, Result};
use super::loose;
use super::order::Amount;

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Payment {
    pub reference_id: String,
    /// `new`, `pending`, `captured`, `failed`, `canceled`
    pub status: String,
    #[serde(default)]
    pub amount: Option<Amount>,
    #[serde(default)]
    pub currency: Option<String>,
    /// All attempts to pay, including failed ones.
    #[serde(default, deserialize_with = "loose::list")]
    pub transactions: Vec<Transaction>,
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Transaction {
    pub id: String,
    /// The gateway: `razorpay`, `payu`, `upi`, …
    #[serde(default, rename = "type")]
    pub kind: Option<String>,
    /// `pending`, `success`, `failed`
    #[serde(default)]
    pub status: Option<String>,
    /// `upi`, `card`, `wallet`, `netbanking`
    #[serde(default, deserialize_with = "method")]
    pub method: Option<String>,
    #[serde(default)]
    pub amount: Option<Amount>,
    #[serde(default)]
    pub currency: Option<String>,
    #[serde(default)]
    pub error: Option<TransactionError>,
    #[serde(default, rename = "created_timestamp", deserialize_with = "loose::time")]
    pub created: Option<Timestamp>,
    #[serde(default, rename = "updated_timestamp", deserialize_with = "loose::time")]
    pub updated: Option<Timestamp>,
    #[serde(default, deserialize_with = "loose::list")]
    pub refunds: Vec<Refund>,
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct TransactionError {
    #[serde(default, deserialize_with = "loose::text")]
    pub code: Option<String>,
    #[serde(default, deserialize_with = "loose::text")]
    pub reason: Option<String>,
}

/// A refund. The payment keeps its status.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Refund {
    pub id: String,
    /// `pending`, `completed`, `failed`
    pub status: String,
    #[serde(default)]
    pub amount: Option<Amount>,
}

#[derive(Deserialize)]
struct Method {
    #[serde(rename = "type")]
    kind: String,
}

/// The network writes the method as an object with a `type`.
fn method<'de, D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Option<String>, D::Error> {
    Ok(Option::<Method>::deserialize(deserializer)?.map(|method| method.kind))
}

#[derive(Deserialize)]
struct Answer {
    payments: Vec<Payment>,
}

#[boxed::futures]
impl Graph {
    /// `None` when the network has no payment for this order.
    pub async fn payment(&self, configuration: &str, reference_id: &str) -> Result<Option<Payment>> {
        let answer: Answer = self.get(&self.number_url(&["payments", configuration, reference_id])?).await?;
        Ok(answer.payments.into_iter().find(|payment| payment.reference_id == reference_id))
    }
}
