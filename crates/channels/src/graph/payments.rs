//! The payment look-up: what the network knows about an order's payment. A webhook alone is not trusted.

use serde::Deserialize;

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
    #[serde(default)]
    pub transactions: Vec<Transaction>,
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Transaction {
    pub id: String,
    /// The gateway: `razorpay`, `payu`, `upi`, …
    #[serde(default, rename = "type")]
    pub kind: Option<String>,
    /// `pending`, `success`, `failed`
    pub status: String,
    #[serde(default)]
    pub method: Option<Method>,
    #[serde(default)]
    pub amount: Option<Amount>,
    #[serde(default)]
    pub currency: Option<String>,
    #[serde(default)]
    pub error: Option<TransactionError>,
    /// Seconds since 1970.
    #[serde(default, deserialize_with = "loose::integer")]
    pub created_timestamp: Option<i64>,
    #[serde(default, deserialize_with = "loose::integer")]
    pub updated_timestamp: Option<i64>,
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Method {
    #[serde(rename = "type")]
    pub kind: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct TransactionError {
    #[serde(default)]
    pub code: Option<String>,
    #[serde(default)]
    pub reason: Option<String>,
}

#[derive(Deserialize)]
struct Answer {
    payments: Vec<Payment>,
}

impl Graph {
    /// `None`: the network knows no payment of this order.
    pub async fn payment(&self, configuration: &str, reference_id: &str) -> Result<Option<Payment>> {
        let answer: Answer = self.get(&self.of_number(&["payments", configuration, reference_id])?).await?;
        Ok(answer.payments.into_iter().find(|payment| payment.reference_id == reference_id))
    }
}
