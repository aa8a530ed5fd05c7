//! One transaction as everybody who spoke of it describes it together.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::facts::{Refund, Transaction, TransactionError};
use super::join::{Latest, by_key, earlier, later};
use super::{Source, TransactionStatus};
use crate::Timestamp;
use crate::money::Amount;

/// The furthest that each source has told.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Heard {
    webhook: Option<TransactionStatus>,
    lookup: Option<TransactionStatus>,
}

impl Heard {
    fn from(source: Source, status: TransactionStatus) -> Self {
        match source {
            Source::Lookup => Self { lookup: Some(status), webhook: None },
            _ => Self { webhook: Some(status), lookup: None },
        }
    }

    fn join(&mut self, told: Self) {
        self.webhook = self.webhook.max(told.webhook);
        self.lookup = self.lookup.max(told.lookup);
    }

    /// What is known; of trusted sources only, where that is asked for.
    pub fn status(self, trusted: bool) -> Option<TransactionStatus> {
        if trusted { self.lookup } else { self.lookup.max(self.webhook) }
    }

    pub fn is_success(self, trusted: bool) -> bool {
        self.status(trusted) == Some(TransactionStatus::Success)
    }

    /// The look-up has said as much as the webhook.
    pub fn is_confirmed(self) -> bool {
        self.lookup >= self.webhook
    }
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Entry {
    pub heard: Heard,
    pub kind: Option<Latest<String>>,
    pub method: Option<Latest<String>>,
    pub amount: Option<Latest<Amount>>,
    pub error: Option<Latest<TransactionError>>,
    pub created: Option<Timestamp>,
    pub updated: Option<Timestamp>,
    /// The earliest time at which it is said to have succeeded.
    pub paid_at: Option<Timestamp>,
    pub refunds: BTreeMap<String, Returned>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Returned {
    pub heard: Heard,
    pub amount: Option<Latest<Amount>>,
}

impl Entry {
    pub fn of(source: Source, at: Timestamp, status: TransactionStatus, told: &Transaction) -> Self {
        let amount = told.money.as_ref().map(|money| money.amount);
        let [created, updated] = [told.created, told.updated].map(|time| time.map(Timestamp::to_millis));
        let paid = status == TransactionStatus::Success;
        Self {
            heard: Heard::from(source, status),
            kind: Latest::of(at, told.kind.as_ref()),
            method: Latest::of(at, told.method.as_ref()),
            amount: Latest::of(at, amount.as_ref()),
            error: Latest::of(at, told.error.as_ref()),
            created,
            updated,
            paid_at: paid.then(|| updated.or(created).unwrap_or(at)),
            refunds: told.refunds.iter().map(|refund| Returned::of(source, at, refund)).collect(),
        }
    }

    pub fn join(&mut self, told: &Self) {
        self.heard.join(told.heard);
        later(&mut self.kind, told.kind.as_ref());
        later(&mut self.method, told.method.as_ref());
        later(&mut self.amount, told.amount.as_ref());
        later(&mut self.error, told.error.as_ref());
        earlier(&mut self.created, told.created.as_ref());
        later(&mut self.updated, told.updated.as_ref());
        earlier(&mut self.paid_at, told.paid_at.as_ref());
        by_key(&mut self.refunds, &told.refunds, Returned::join);
    }

    /// All of it went back. `asked` is what it amounts to when nobody told.
    pub fn is_returned(&self, trusted: bool, asked: Option<Amount>) -> bool {
        let mut done = self.refunds.values().filter(|refund| refund.heard.is_success(trusted)).peekable();
        if done.peek().is_none() {
            return false;
        }
        let amounts: Option<Vec<Amount>> = done.map(|refund| Some(refund.amount.as_ref()?.value)).collect();
        // A refund without an amount is one of everything.
        let Some(amounts) = amounts else { return true };
        let Some(paid) = self.amount.as_ref().map(|amount| amount.value).or(asked) else { return false };
        let zero = Amount { value: 0, ..amounts[0] };
        let sum = amounts.into_iter().try_fold(zero, Amount::plus);
        sum.is_ok_and(|sum| sum.covers(paid))
    }
}

impl Returned {
    fn of(source: Source, at: Timestamp, refund: &Refund) -> (String, Self) {
        let heard = Heard::from(source, refund.status);
        (refund.id.clone(), Self { heard, amount: Latest::of(at, refund.amount.as_ref()) })
    }

    fn join(&mut self, told: &Self) {
        self.heard.join(told.heard);
        later(&mut self.amount, told.amount.as_ref());
    }
}
