//! What can be said about a payment. A fact is never changed and never taken back.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{Status, TransactionStatus};
use crate::Timestamp;
use crate::money::{Amount, Currency};

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "fact")]
pub enum Fact {
    /// The business made the order.
    Ordered {
        at: Timestamp,
        amount: Amount,
        currency: Currency,
    },
    /// The business canceled it.
    Canceled {
        at: Timestamp,
    },
    /// The business says how the payment stands: it may be paid in ways that the network does not see.
    Marked {
        at: Timestamp,
        status: Status,
    },
    Webhook(Report),
    Lookup(Lookup),
}

/// What a webhook tells.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Report {
    /// When it happened, by the network's clock.
    pub at: Timestamp,
    pub status: Status,
    #[serde(default)]
    pub money: Option<Money>,
    #[serde(default)]
    pub transaction: Option<Transaction>,
}

/// What a look-up was answered. One that got no answer is no fact.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lookup {
    /// When it was asked, by our clock.
    pub at: Timestamp,
    /// None: the network knows no payment of this order.
    #[serde(default)]
    pub found: Option<Found>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Found {
    pub status: Status,
    #[serde(default)]
    pub money: Option<Money>,
    #[serde(default)]
    pub transactions: Vec<Transaction>,
}

impl Found {
    /// The furthest that it tells, by the status or by a transaction.
    pub(super) fn shows(&self) -> Status {
        let told = self.transactions.iter().filter_map(|one| one.status).map(TransactionStatus::payment);
        told.fold(self.status, Status::max)
    }
}

/// As the network writes it: neither the offset nor the currency need be one of ours.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Money {
    pub amount: Amount,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub currency: Option<String>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Transaction {
    pub id: String,
    /// The gateway: `razorpay`, `payu`, `upi`, …
    #[serde(rename = "type")]
    pub kind: Option<String>,
    /// Left out, it is what the payment's status says.
    pub status: Option<TransactionStatus>,
    pub method: Option<String>,
    pub money: Option<Money>,
    pub error: Option<TransactionError>,
    pub created: Option<Timestamp>,
    pub updated: Option<Timestamp>,
    pub refunds: Vec<Refund>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, ToSchema)]
pub struct TransactionError {
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub code: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub reason: Option<String>,
}

/// Money that goes back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Refund {
    pub id: String,
    pub status: TransactionStatus,
    /// None: all of the transaction.
    #[serde(default)]
    pub amount: Option<Amount>,
}
