//! Computes the payment from the ledger: the trusted status, unconfirmed claims, and the view of the API.

use crate::base::schema::ToSchema;
use serde::Serialize;

use super::facts::TransactionError;
use super::transaction_entry::{RefundEntry, TransactionEntry};
use super::{Conflict, Ledger, PaymentSource, PaymentStatus, Reports, TransactionStatus};
use crate::Timestamp;
use crate::base::time::as_optional_rfc3339;
use crate::commerce::money::{Amount, Currency};

/// The state of a payment.
// Serialized as V3 returns it, without the reference.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct Payment {
    pub status: PaymentStatus,
    /// The status that a webhook claims but no look-up has confirmed. Absent otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub pending_confirmation: Option<PaymentStatus>,
    /// The requested amount. Absent until the order is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub amount: Option<Amount>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, example = "INR", nullable = false)]
    pub currency: Option<Currency>,
    /// Earliest first.
    pub transactions: Vec<TransactionView>,
    /// Contradictions between the facts. Absent if there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub conflict: Option<Conflict>,
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "as_optional_rfc3339")]
    #[schema(nullable = false)]
    pub captured_at: Option<Timestamp>,
    #[serde(skip)]
    pub ordered_at: Option<Timestamp>,
    #[serde(skip)]
    pub canceled_at: Option<Timestamp>,
    /// Time of the last webhook.
    #[serde(skip)]
    pub reported_at: Option<Timestamp>,
    /// The time of the newest fact. Absent if there is none.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "as_optional_rfc3339")]
    #[schema(nullable = false)]
    pub as_of: Option<Timestamp>,
    /// The sources that reported facts.
    pub sources: Vec<PaymentSource>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = PaymentTransaction)]
pub struct TransactionView {
    #[schema(example = "order_HpCH5vK2mLqz")]
    pub id: String,
    /// The gateway.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    #[schema(example = "razorpay", nullable = false)]
    pub kind: Option<String>,
    pub status: TransactionStatus,
    /// Whether a look-up reported at least this status.
    pub confirmed: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "upi", nullable = false)]
    pub method: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub amount: Option<Amount>,
    /// Present if the transaction failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub error: Option<TransactionError>,
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "as_optional_rfc3339")]
    #[schema(nullable = false)]
    pub created: Option<Timestamp>,
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "as_optional_rfc3339")]
    #[schema(nullable = false)]
    pub updated: Option<Timestamp>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub refunds: Vec<RefundView>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = PaymentRefund)]
pub struct RefundView {
    pub id: String,
    pub status: TransactionStatus,
    /// Absent if the whole transaction is refunded.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub amount: Option<Amount>,
}

/// Why an order cannot be canceled now.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum CancelRefused {
    #[error("the order is paid: refund it first")]
    Captured,
    #[error("a payment for the order is in progress")]
    UnderWay,
}

impl Payment {
    /// Refuses to cancel an order that is paid or being paid, as the network does. A payment after a cancellation is a
    /// conflict.
    pub fn check_cancel(&self) -> Result<(), CancelRefused> {
        let is_pending = |one: &TransactionView| one.status == TransactionStatus::Pending;
        let claimed = self.pending_confirmation == Some(PaymentStatus::Captured);
        match self.status {
            PaymentStatus::Captured => Err(CancelRefused::Captured),
            _ if claimed || self.transactions.iter().any(is_pending) => Err(CancelRefused::UnderWay),
            _ => Ok(()),
        }
    }
}

impl Ledger {
    /// The payment as the facts describe it.
    pub fn state(&self) -> Payment {
        let status = self.status(Reports::Trusted);
        let paid = status.is_paid();
        let mut transactions: Vec<TransactionView> = self.transactions.iter().map(transaction_view).collect();
        transactions.sort_by(|one, other| (one.created, &one.id).cmp(&(other.created, &other.id)));
        Payment {
            status,
            pending_confirmation: self.unconfirmed(status),
            amount: self.asked.as_ref().map(|asked| asked.amount),
            currency: self.asked.as_ref().map(|asked| asked.currency),
            transactions,
            conflict: Conflict::find_in(self),
            captured_at: self.first_capture(PaymentSource::ALL).filter(|_| paid),
            ordered_at: self.asked.as_ref().map(|asked| asked.at),
            canceled_at: self.canceled_at,
            reported_at: self.last_reports.get(&PaymentSource::Webhook).copied(),
            as_of: self.last_reports.values().max().copied(),
            sources: self.last_reports.keys().copied().collect(),
        }
    }

    /// The furthest status that these reports tell of.
    pub(super) fn status(&self, by: Reports) -> PaymentStatus {
        let is_reported = |status| self.is_reported(by, status);
        let mut successes = self.transactions.values().filter(|one| one.reported.is_success(by)).peekable();
        if successes.peek().is_some() || is_reported(PaymentStatus::Captured) || is_reported(PaymentStatus::Refunded) {
            let asked = self.asked.as_ref().map(|asked| asked.amount);
            let returned = successes.peek().is_some() && successes.all(|one| one.is_returned(by, asked));
            return if returned || is_reported(PaymentStatus::Refunded) {
                PaymentStatus::Refunded
            } else {
                PaymentStatus::Captured
            };
        }
        let failed = |one: &TransactionEntry| one.reported.status(by) == Some(TransactionStatus::Failed);
        let failed = is_reported(PaymentStatus::Failed) || self.transactions.values().any(failed);
        if failed { PaymentStatus::Failed } else { PaymentStatus::Pending }
    }

    fn is_reported(&self, by: Reports, status: PaymentStatus) -> bool {
        let counts = |source| by == Reports::All || source != PaymentSource::Webhook;
        self.first_reports
            .iter()
            .filter(|(source, _)| counts(**source))
            .any(|(_, statuses)| statuses.contains_key(&status))
    }

    /// The status that webhooks claim and no look-up has confirmed. Each transaction is confirmed on its own, also when
    /// the order is paid already.
    fn unconfirmed(&self, believed: PaymentStatus) -> Option<PaymentStatus> {
        let claimed = self.status(Reports::All);
        match claimed {
            claimed if claimed != believed => Some(claimed),
            _ => self
                .transactions
                .values()
                .any(|one| one.reported.is_unconfirmed_success())
                .then_some(PaymentStatus::Captured),
        }
    }

    /// The earliest time of a capture that one of these sources reports.
    pub(super) fn first_capture(&self, sources: &[PaymentSource]) -> Option<Timestamp> {
        let reports = self.first_reports.iter().filter(|(source, _)| sources.contains(source));
        let reports =
            reports.flat_map(|(_, statuses)| statuses).filter(|(status, _)| status.is_paid()).map(|(_, at)| *at);
        reports.chain(self.transactions.values().filter_map(|one| one.paid_at)).min()
    }
}

fn transaction_view((id, entry): (&String, &TransactionEntry)) -> TransactionView {
    let status = entry.reported.status(Reports::All).unwrap_or(TransactionStatus::Pending);
    let failed = status == TransactionStatus::Failed;
    TransactionView {
        id: id.clone(),
        kind: entry.kind.as_ref().map(|kind| kind.value.clone()),
        status,
        confirmed: entry.reported.is_confirmed(),
        method: entry.method.as_ref().map(|method| method.value.clone()),
        amount: entry.amount.as_ref().map(|amount| amount.value),
        error: entry.error.as_ref().filter(|_| failed).map(|error| error.value.clone()),
        created: entry.created,
        updated: entry.updated,
        refunds: entry.refunds.iter().map(refund_view).collect(),
    }
}

fn refund_view((id, refund): (&String, &RefundEntry)) -> RefundView {
    RefundView {
        id: id.clone(),
        status: refund.reported.status(Reports::All).unwrap_or(TransactionStatus::Pending),
        amount: refund.amount.as_ref().map(|amount| amount.value),
    }
}
