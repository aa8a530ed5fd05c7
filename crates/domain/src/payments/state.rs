//! The payment that the facts make together: what is believed, what waits to be confirmed, and what is shown.

use serde::Serialize;
use utoipa::ToSchema;

use super::entry::{Entry, Returned};
use super::facts::TransactionError;
use super::{Conflict, Ledger, Source, Status, TransactionStatus};
use crate::Timestamp;
use crate::money::{Amount, Currency};
use crate::time::as_optional_rfc3339;

/// What the facts make together. Serialized as V3 shows it, but for the reference.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct Payment {
    pub status: Status,
    /// What a webhook says and no look-up has confirmed yet; absent otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub pending_confirmation: Option<Status>,
    /// What was asked for; absent while no order is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub amount: Option<Amount>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, example = "INR", nullable = false)]
    pub currency: Option<Currency>,
    /// The earliest first.
    pub transactions: Vec<ShownTransaction>,
    /// What does not fit together; absent when nothing is in doubt.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub conflict: Option<Conflict>,
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "as_optional_rfc3339")]
    #[schema(value_type = Option<String>, format = "date-time", example = "2026-04-24T10:00:00.000Z", nullable = false)]
    pub captured_at: Option<Timestamp>,
    #[serde(skip)]
    pub ordered_at: Option<Timestamp>,
    #[serde(skip)]
    pub canceled_at: Option<Timestamp>,
    /// When a webhook last spoke.
    #[serde(skip)]
    pub reported_at: Option<Timestamp>,
    /// The time of the newest fact; absent while there is none.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "as_optional_rfc3339")]
    #[schema(value_type = Option<String>, format = "date-time", example = "2026-04-24T10:00:00.000Z", nullable = false)]
    pub as_of: Option<Timestamp>,
    /// Who has spoken.
    pub sources: Vec<Source>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = PaymentTransaction)]
pub struct ShownTransaction {
    #[schema(example = "order_HpCH5vK2mLqz")]
    pub id: String,
    /// The gateway.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    #[schema(example = "razorpay", nullable = false)]
    pub kind: Option<String>,
    pub status: TransactionStatus,
    /// A look-up has said so too.
    pub confirmed: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "upi", nullable = false)]
    pub method: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub amount: Option<Amount>,
    /// Of one that failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub error: Option<TransactionError>,
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "as_optional_rfc3339")]
    #[schema(value_type = Option<String>, format = "date-time", example = "2026-04-24T10:00:00.000Z", nullable = false)]
    pub created: Option<Timestamp>,
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "as_optional_rfc3339")]
    #[schema(value_type = Option<String>, format = "date-time", example = "2026-04-24T10:00:00.000Z", nullable = false)]
    pub updated: Option<Timestamp>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub refunds: Vec<ShownRefund>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = PaymentRefund)]
pub struct ShownRefund {
    pub id: String,
    pub status: TransactionStatus,
    /// Absent: all of the transaction.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub amount: Option<Amount>,
}

/// Why an order cannot be canceled now.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum PaymentInTheWay {
    #[error("the order is paid: refund it first")]
    Captured,
    #[error("a payment of the order is under way")]
    UnderWay,
}

impl Payment {
    /// The network refuses to cancel what is paid or being paid. What is paid later all the same is a conflict.
    pub fn check_cancel(&self) -> Result<(), PaymentInTheWay> {
        let is_pending = |one: &ShownTransaction| one.status == TransactionStatus::Pending;
        let claimed = self.pending_confirmation == Some(Status::Captured);
        match self.status {
            Status::Captured => Err(PaymentInTheWay::Captured),
            _ if claimed || self.transactions.iter().any(is_pending) => Err(PaymentInTheWay::UnderWay),
            _ => Ok(()),
        }
    }
}

impl Ledger {
    /// What is true, as far as it is known.
    pub fn state(&self) -> Payment {
        let status = self.status(true);
        let paid = status.is_paid();
        let mut transactions: Vec<ShownTransaction> = self.transactions.iter().map(shown).collect();
        transactions.sort_by(|one, other| (one.created, &one.id).cmp(&(other.created, &other.id)));
        Payment {
            status,
            pending_confirmation: self.unconfirmed(status),
            amount: self.asked.as_ref().map(|asked| asked.amount),
            currency: self.asked.as_ref().map(|asked| asked.currency),
            transactions,
            conflict: Conflict::of(self),
            captured_at: self.first_capture(Source::ALL).filter(|_| paid),
            ordered_at: self.asked.as_ref().map(|asked| asked.at),
            canceled_at: self.canceled_at,
            reported_at: self.heard.get(&Source::Webhook).copied(),
            as_of: self.heard.values().max().copied(),
            sources: self.heard.keys().copied().collect(),
        }
    }

    /// By those who are believed, or by everybody.
    pub(super) fn status(&self, trusted: bool) -> Status {
        let said = |status| self.said_by(trusted, status);
        let mut successes = self.transactions.values().filter(|one| one.heard.is_success(trusted)).peekable();
        if successes.peek().is_some() || said(Status::Captured) || said(Status::Refunded) {
            let asked = self.asked.as_ref().map(|asked| asked.amount);
            let returned = successes.peek().is_some() && successes.all(|one| one.is_returned(trusted, asked));
            return if returned || said(Status::Refunded) { Status::Refunded } else { Status::Captured };
        }
        let failed = |one: &Entry| one.heard.status(trusted) == Some(TransactionStatus::Failed);
        let failed = said(Status::Failed) || self.transactions.values().any(failed);
        if failed { Status::Failed } else { Status::Pending }
    }

    fn said_by(&self, trusted: bool, status: Status) -> bool {
        let believed = self.said.iter().filter(|(source, _)| !trusted || **source != Source::Webhook);
        believed.into_iter().any(|(_, said)| said.contains_key(&status))
    }

    /// A second payment is confirmed on its own: that the order is paid already says nothing about it.
    fn unconfirmed(&self, believed: Status) -> Option<Status> {
        let claimed = self.status(false);
        let open = |one: &Entry| one.heard.is_success(false) && !one.heard.is_success(true);
        match claimed {
            claimed if claimed != believed => Some(claimed),
            _ => self.transactions.values().any(open).then_some(Status::Captured),
        }
    }

    /// The earliest time at which one of these says that money came in.
    pub(super) fn first_capture(&self, sources: &[Source]) -> Option<Timestamp> {
        let said = self.said.iter().filter(|(source, _)| sources.contains(source));
        let said = said.flat_map(|(_, said)| said).filter(|(status, _)| status.is_paid()).map(|(_, at)| *at);
        said.chain(self.transactions.values().filter_map(|one| one.paid_at)).min()
    }
}

fn shown((id, entry): (&String, &Entry)) -> ShownTransaction {
    let status = entry.heard.status(false).unwrap_or(TransactionStatus::Pending);
    let failed = status == TransactionStatus::Failed;
    ShownTransaction {
        id: id.clone(),
        kind: entry.kind.as_ref().map(|kind| kind.value.clone()),
        status,
        confirmed: entry.heard.is_confirmed(),
        method: entry.method.as_ref().map(|method| method.value.clone()),
        amount: entry.amount.as_ref().map(|amount| amount.value),
        error: entry.error.as_ref().filter(|_| failed).map(|error| error.value.clone()),
        created: entry.created,
        updated: entry.updated,
        refunds: entry.refunds.iter().map(shown_refund).collect(),
    }
}

fn shown_refund((id, refund): (&String, &Returned)) -> ShownRefund {
    ShownRefund {
        id: id.clone(),
        status: refund.heard.status(false).unwrap_or(TransactionStatus::Pending),
        amount: refund.amount.as_ref().map(|amount| amount.value),
    }
}
