//! One transaction, joined from all reports about it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::facts::{Refund, Transaction, TransactionError};
use super::join::{Latest, join_by_key, keep_earlier, keep_later};
use super::{PaymentSource, Reports, TransactionStatus};
use crate::Timestamp;
use crate::commerce::money::Amount;

/// The furthest status that each source reported.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct SourceStatus {
    webhook: Option<TransactionStatus>,
    lookup: Option<TransactionStatus>,
}

impl SourceStatus {
    fn from(source: PaymentSource, status: TransactionStatus) -> Self {
        match source {
            PaymentSource::Lookup => Self { lookup: Some(status), webhook: None },
            _ => Self { webhook: Some(status), lookup: None },
        }
    }

    fn join(&mut self, other: Self) {
        self.webhook = self.webhook.max(other.webhook);
        self.lookup = self.lookup.max(other.lookup);
    }

    /// The furthest status that these reports tell of. The business reports no transactions.
    pub fn status(self, by: Reports) -> Option<TransactionStatus> {
        match by {
            Reports::Trusted => self.lookup,
            Reports::All => self.lookup.max(self.webhook),
        }
    }

    pub fn is_success(self, by: Reports) -> bool {
        self.status(by) == Some(TransactionStatus::Success)
    }

    /// A webhook reports a success that no look-up has confirmed.
    pub fn is_unconfirmed_success(self) -> bool {
        self.is_success(Reports::All) && !self.is_success(Reports::Trusted)
    }

    /// The look-up reported at least as much as the webhook.
    pub fn is_confirmed(self) -> bool {
        self.lookup >= self.webhook
    }
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct TransactionEntry {
    #[serde(rename = "heard")]
    pub reported: SourceStatus,
    pub kind: Option<Latest<String>>,
    pub method: Option<Latest<String>>,
    pub amount: Option<Latest<Amount>>,
    pub error: Option<Latest<TransactionError>>,
    pub created: Option<Timestamp>,
    pub updated: Option<Timestamp>,
    /// The earliest reported time of its success.
    pub paid_at: Option<Timestamp>,
    pub refunds: BTreeMap<String, RefundEntry>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct RefundEntry {
    #[serde(rename = "heard")]
    pub reported: SourceStatus,
    pub amount: Option<Latest<Amount>>,
}

impl TransactionEntry {
    pub fn new(source: PaymentSource, at: Timestamp, status: TransactionStatus, transaction: &Transaction) -> Self {
        let amount = transaction.money.as_ref().map(|money| money.amount);
        let [created, updated] = [transaction.created, transaction.updated].map(|time| time.map(Timestamp::to_millis));
        let paid = status == TransactionStatus::Success;
        Self {
            reported: SourceStatus::from(source, status),
            kind: Latest::from_option(at, transaction.kind.as_ref()),
            method: Latest::from_option(at, transaction.method.as_ref()),
            amount: Latest::from_option(at, amount.as_ref()),
            error: Latest::from_option(at, transaction.error.as_ref()),
            created,
            updated,
            paid_at: paid.then(|| updated.or(created).unwrap_or(at)),
            refunds: transaction.refunds.iter().map(|refund| RefundEntry::with_id(source, at, refund)).collect(),
        }
    }

    pub fn join(&mut self, other: &Self) {
        self.reported.join(other.reported);
        keep_later(&mut self.kind, other.kind.as_ref());
        keep_later(&mut self.method, other.method.as_ref());
        keep_later(&mut self.amount, other.amount.as_ref());
        keep_later(&mut self.error, other.error.as_ref());
        keep_earlier(&mut self.created, other.created.as_ref());
        keep_later(&mut self.updated, other.updated.as_ref());
        keep_earlier(&mut self.paid_at, other.paid_at.as_ref());
        join_by_key(&mut self.refunds, &other.refunds, RefundEntry::join);
    }

    /// True when refunds cover the whole amount. `asked` is the amount when no source reported one.
    pub fn is_returned(&self, by: Reports, asked: Option<Amount>) -> bool {
        let mut done = self.refunds.values().filter(|refund| refund.reported.is_success(by)).peekable();
        if done.peek().is_none() {
            return false;
        }
        let amounts: Option<Vec<Amount>> = done.map(|refund| Some(refund.amount.as_ref()?.value)).collect();
        // A refund without an amount returns all of the transaction.
        let Some(amounts) = amounts else { return true };
        let Some(paid) = self.amount.as_ref().map(|amount| amount.value).or(asked) else { return false };
        let zero = Amount { value: 0, ..amounts[0] };
        let sum = amounts.into_iter().try_fold(zero, Amount::plus);
        sum.is_ok_and(|sum| sum.covers(paid))
    }
}

impl RefundEntry {
    /// The entry with the id of its refund.
    fn with_id(source: PaymentSource, at: Timestamp, refund: &Refund) -> (String, Self) {
        let reported = SourceStatus::from(source, refund.status);
        (refund.id.clone(), Self { reported, amount: Latest::from_option(at, refund.amount.as_ref()) })
    }

    fn join(&mut self, other: &Self) {
        self.reported.join(other.reported);
        keep_later(&mut self.amount, other.amount.as_ref());
    }
}
