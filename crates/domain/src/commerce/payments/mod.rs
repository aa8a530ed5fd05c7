//! Payments: computes the state of an order's payment from facts. Pure functions without clock or network.
//!
//! Three sources report facts, in any order and more than once: the business, the network's webhooks, and the network's
//! responses to our look-ups. Each fact is joined into a [`Ledger`] by commutative and idempotent rules (earliest time,
//! latest value, furthest status, union of sets), so the same facts give the same ledger. [`Ledger::state`] computes
//! the [`Payment`]:
//!
//! - `pending`, then `failed`, then `captured` or `refunded`. A failed attempt does not end a payment, and a capture is
//!   never revoked. `refunded`: all money was returned. A further successful transaction makes it `captured` again.
//! - Facts from the business and from look-ups are trusted. A status that only a webhook claims is
//!   `pending_confirmation`.
//! - Contradictions between facts are a [`Conflict`] alongside the status.

mod changes;
mod conflict;
mod facts;
mod join;
mod ledger;
mod lookups;
mod state;
mod transaction_entry;

use crate::base::schema::ToSchema;
pub use changes::{Change, OrderEvent, changes, events_of};
pub use conflict::{CapturedAfterCancel, Conflict, GRACE_SECONDS, LookupDisagreement};
pub use facts::{FoundPayment, LookupAnswer, Money, PaymentFact, Refund, Transaction, TransactionError, WebhookReport};
pub use ledger::{FirstReport, Ledger};
pub use lookups::LookupAttempts;
use serde::Deserialize;
pub use state::{CancelRefused, Payment, RefundView, TransactionView};

use crate::base::named::named;

named! {
    /// In the order of a payment's progress. A capture is never revoked; `refunded` means that all money was returned.
    #[derive(PartialOrd, Ord, Deserialize, ToSchema)]
    #[serde(rename_all = "snake_case")]
    #[schema(as = PaymentStatus)]
    PaymentStatus { Pending => "pending", Failed => "failed", Captured => "captured", Refunded => "refunded" }
}

named! {
    /// The progress of a transaction or a refund; `success` is final.
    #[derive(PartialOrd, Ord, Deserialize, ToSchema)]
    #[serde(rename_all = "snake_case")]
    TransactionStatus { Pending => "pending", Failed => "failed", Success => "success" }
}

named! {
    /// Where facts come from: the business, the network's webhooks, or the network's responses to look-ups.
    #[derive(PartialOrd, Ord, Deserialize, ToSchema)]
    #[serde(rename_all = "snake_case")]
    #[schema(as = PaymentSource)]
    PaymentSource { Business => "business", Webhook => "webhook", Lookup => "lookup" }
}

/// The reports that a status is computed from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reports {
    All,
    /// Those of the business and of look-ups.
    Trusted,
}

impl PaymentStatus {
    /// Parses the network's word. None for an unknown one: the report is parked.
    pub fn from_network(word: &str) -> Option<Self> {
        match word {
            "new" | "pending" | "canceled" => Some(Self::Pending),
            "failed" => Some(Self::Failed),
            "captured" | "success" => Some(Self::Captured),
            "refunded" => Some(Self::Refunded),
            _ => None,
        }
    }

    /// True if the money was received, even if it was returned later.
    pub const fn is_paid(self) -> bool {
        matches!(self, Self::Captured | Self::Refunded)
    }
}

impl TransactionStatus {
    /// Parses the network's word for a transaction or a refund.
    pub fn from_network(word: &str) -> Option<Self> {
        match word {
            "pending" => Some(Self::Pending),
            "failed" => Some(Self::Failed),
            "success" | "completed" => Some(Self::Success),
            _ => None,
        }
    }

    /// The status of a transaction for which only the payment's status was reported.
    const fn implied(status: PaymentStatus) -> Self {
        match status {
            PaymentStatus::Pending => Self::Pending,
            PaymentStatus::Failed => Self::Failed,
            PaymentStatus::Captured | PaymentStatus::Refunded => Self::Success,
        }
    }

    /// The status of the payment that follows from a transaction with this status.
    const fn payment(self) -> PaymentStatus {
        match self {
            Self::Pending => PaymentStatus::Pending,
            Self::Failed => PaymentStatus::Failed,
            Self::Success => PaymentStatus::Captured,
        }
    }
}
