//! Facts about a payment. A fact is never changed or revoked.

use crate::base::schema::ToSchema;
use serde::{Deserialize, Serialize};

use super::{PaymentStatus, TransactionStatus};
use crate::Timestamp;
use crate::commerce::money::{Amount, Currency};

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "fact")]
pub enum PaymentFact {
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
    /// The business states the status: it may be paid in ways that the network does not see.
    Marked {
        at: Timestamp,
        status: PaymentStatus,
    },
    Webhook(WebhookReport),
    Lookup(LookupAnswer),
}

/// What a webhook reports about a payment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WebhookReport {
    /// When the payment happened, by the network's clock.
    pub at: Timestamp,
    pub status: PaymentStatus,
    #[serde(default)]
    pub money: Option<Money>,
    #[serde(default)]
    pub transaction: Option<Transaction>,
}

/// The answer to a look-up. A look-up without an answer is no fact.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LookupAnswer {
    /// When the look-up was sent, by our clock.
    pub at: Timestamp,
    /// None when the network has no payment for the order.
    #[serde(default)]
    pub found: Option<FoundPayment>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FoundPayment {
    pub status: PaymentStatus,
    #[serde(default)]
    pub money: Option<Money>,
    #[serde(default)]
    pub transactions: Vec<Transaction>,
}

impl FoundPayment {
    /// The furthest status, of the payment or of a transaction.
    pub(super) fn furthest_status(&self) -> PaymentStatus {
        let reported = self.transactions.iter().filter_map(|one| one.status).map(TransactionStatus::payment);
        reported.fold(self.status, PaymentStatus::max)
    }
}

/// An amount as the network reports it: offset and currency are not checked.
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
    /// The reported status. If absent, it follows from the payment's status in a webhook, and is pending in a look-up.
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

/// A return of money.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Refund {
    pub id: String,
    pub status: TransactionStatus,
    /// None for all of the transaction.
    #[serde(default)]
    pub amount: Option<Amount>,
}
