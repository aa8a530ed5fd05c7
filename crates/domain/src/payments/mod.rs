//! Payments: one state out of everything that was said about an order's payment. No clock, no network: facts come in, a
//! state comes out.
//!
//! Three sources speak, in any order and more than once: the business, the network's webhooks, and the answers to our
//! own look-ups. Each fact is joined into a [`Ledger`] by rules that know no order (the earliest time, the latest word,
//! the further status, the union of sets), so the same facts end in the same ledger. [`Ledger::state`] reads the
//! [`Payment`] off it:
//!
//! - `pending`, then `failed`, then `captured` or `refunded`. A failed try does not end a payment; a capture is never
//!   taken back. `refunded`: everything that came in went back. Another successful transaction makes it `captured` again.
//! - Business and look-up are believed. What only a webhook says is `pending_confirmation`, with the status it claims.
//! - What does not fit together is a [`Conflict`], beside the status.

mod changes;
mod conflict;
mod entry;
mod facts;
mod join;
mod ledger;
mod lookups;
mod state;

pub use changes::{Change, changes, told_as};
pub use conflict::{AfterCancel, Conflict, Disagreement, GRACE_SECONDS};
pub use facts::{Fact, Found, Lookup, Money, Refund, Report, Transaction, TransactionError};
pub use ledger::Ledger;
pub use lookups::Tries;
use serde::Deserialize;
pub use state::{Payment, PaymentInTheWay, ShownRefund, ShownTransaction};
use utoipa::ToSchema;

use crate::named::named;

named! {
    /// In the order of how far a payment is. `captured` is never taken back; `refunded` is money that came in and went back.
    #[derive(PartialOrd, Ord, Deserialize, ToSchema)]
    #[serde(rename_all = "snake_case")]
    #[schema(as = PaymentStatus)]
    Status { Pending => "pending", Failed => "failed", Captured => "captured", Refunded => "refunded" }
}

named! {
    /// Where a transaction or a refund stands; success is what it stays with.
    #[derive(PartialOrd, Ord, Deserialize, ToSchema)]
    #[serde(rename_all = "snake_case")]
    TransactionStatus { Pending => "pending", Failed => "failed", Success => "success" }
}

named! {
    /// Who has spoken: the business, the network's webhooks, the network's answers to our look-ups.
    #[derive(PartialOrd, Ord, Deserialize, ToSchema)]
    #[serde(rename_all = "snake_case")]
    #[schema(as = PaymentSource)]
    Source { Business => "business", Webhook => "webhook", Lookup => "lookup" }
}

impl Status {
    /// In the network's words. None for a word that is not known: whoever reads it parks it.
    pub fn of_network(word: &str) -> Option<Self> {
        match word {
            "new" | "pending" | "canceled" => Some(Self::Pending),
            "failed" => Some(Self::Failed),
            "captured" | "success" => Some(Self::Captured),
            "refunded" => Some(Self::Refunded),
            _ => None,
        }
    }

    /// Money has come in, whether or not it went back.
    pub const fn is_paid(self) -> bool {
        matches!(self, Self::Captured | Self::Refunded)
    }
}

impl TransactionStatus {
    /// In the network's words, of transactions and of refunds.
    pub fn of_network(word: &str) -> Option<Self> {
        match word {
            "pending" => Some(Self::Pending),
            "failed" => Some(Self::Failed),
            "success" | "completed" => Some(Self::Success),
            _ => None,
        }
    }

    /// What a transaction is when only the payment's status was told.
    const fn implied(status: Status) -> Self {
        match status {
            Status::Pending => Self::Pending,
            Status::Failed => Self::Failed,
            Status::Captured | Status::Refunded => Self::Success,
        }
    }

    /// What it says about the payment.
    const fn payment(self) -> Status {
        match self {
            Self::Pending => Status::Pending,
            Self::Failed => Status::Failed,
            Self::Success => Status::Captured,
        }
    }
}
