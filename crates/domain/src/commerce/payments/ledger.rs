//! The joined facts about one payment. `state` and `conflict` interpret them.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::facts::{LookupAnswer, Money, PaymentFact, Transaction, WebhookReport};
use super::join::{Latest, join_by_key, keep_earlier, keep_later};
use super::transaction_entry::TransactionEntry;
use super::{PaymentSource, PaymentStatus, TransactionStatus};
use crate::Timestamp;
use crate::commerce::money::{Amount, Currency};

/// Stored as JSON. Ledgers of the same facts are equal, and so are their JSON texts.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Ledger {
    pub(super) asked: Option<AskedAmount>,
    pub(super) canceled_at: Option<Timestamp>,
    /// When each source first reported each status.
    #[serde(rename = "said")]
    pub(super) first_reports: BTreeMap<PaymentSource, BTreeMap<PaymentStatus, Timestamp>>,
    /// When each source last reported anything.
    #[serde(rename = "heard")]
    pub(super) last_reports: BTreeMap<PaymentSource, Timestamp>,
    /// The status of the newest look-up; None inside when it found no payment.
    #[serde(rename = "shown")]
    pub(super) latest_lookup: Option<Latest<Option<PaymentStatus>>>,
    /// All amounts that the network reported.
    pub(super) money: BTreeSet<Money>,
    pub(super) transactions: BTreeMap<String, TransactionEntry>,
    /// When the business moved the order to which status, by its name.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    moves: BTreeSet<(Timestamp, String)>,
}

/// A status of the payment that a source reported, at its first report.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FirstReport {
    pub at: Timestamp,
    pub source: PaymentSource,
    pub status: PaymentStatus,
}

/// The amount that the business requested.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(super) struct AskedAmount {
    pub at: Timestamp,
    pub amount: Amount,
    pub currency: Currency,
}

impl Ledger {
    /// Joins a fact into the ledger. Returns false when the fact changes nothing.
    pub fn apply(&mut self, fact: &PaymentFact) -> bool {
        let before = self.clone();
        self.join(&Self::from_fact(fact));
        *self != before
    }

    /// Joins two ledgers. Associative, commutative and idempotent.
    pub fn join(&mut self, other: &Self) {
        keep_earlier(&mut self.asked, other.asked.as_ref());
        keep_earlier(&mut self.canceled_at, other.canceled_at.as_ref());
        join_by_key(&mut self.first_reports, &other.first_reports, |known, other| {
            join_by_key(known, other, |known, other| *known = (*known).min(*other));
        });
        join_by_key(&mut self.last_reports, &other.last_reports, |known, other| *known = (*known).max(*other));
        keep_later(&mut self.latest_lookup, other.latest_lookup.as_ref());
        self.money.extend(other.money.iter().cloned());
        join_by_key(&mut self.transactions, &other.transactions, TransactionEntry::join);
        self.moves.extend(other.moves.iter().cloned());
    }

    /// Records that the business moved the order to a status.
    pub fn record_move(&mut self, at: Timestamp, status: &str) {
        self.moves.insert((at.to_millis(), status.to_owned()));
    }

    /// Statuses of the order that the business set, by time.
    pub fn moves(&self) -> impl Iterator<Item = (Timestamp, &str)> {
        self.moves.iter().map(|(at, status)| (*at, status.as_str()))
    }

    /// When the business canceled the order.
    pub const fn canceled_at(&self) -> Option<Timestamp> {
        self.canceled_at
    }

    /// What each source reported, each status once.
    pub fn first_reports(&self) -> impl Iterator<Item = FirstReport> {
        let of = |(source, statuses): (&PaymentSource, &'_ BTreeMap<PaymentStatus, Timestamp>)| {
            let source = *source;
            let reports: Vec<_> =
                statuses.iter().map(|(status, at)| FirstReport { at: *at, source, status: *status }).collect();
            reports
        };
        self.first_reports.iter().flat_map(of).collect::<Vec<_>>().into_iter()
    }

    /// The ledger of one fact.
    fn from_fact(fact: &PaymentFact) -> Self {
        match fact {
            PaymentFact::Ordered { at, amount, currency } => {
                let at = at.to_millis();
                let asked = Some(AskedAmount { at, amount: *amount, currency: *currency });
                Self { asked, ..Self::reported(PaymentSource::Business, at, PaymentStatus::Pending) }
            }
            PaymentFact::Canceled { at } => {
                let at = at.to_millis();
                Self {
                    canceled_at: Some(at),
                    last_reports: BTreeMap::from([(PaymentSource::Business, at)]),
                    ..Self::default()
                }
            }
            PaymentFact::Marked { at, status } => Self::reported(PaymentSource::Business, at.to_millis(), *status),
            PaymentFact::Webhook(report) => Self::from_report(report),
            PaymentFact::Lookup(lookup) => Self::from_lookup(lookup),
        }
    }

    fn from_report(report: &WebhookReport) -> Self {
        let at = report.at.to_millis();
        let mut ledger = Self::reported(PaymentSource::Webhook, at, report.status);
        ledger.money.extend(report.money.clone());
        ledger.add_transactions(PaymentSource::Webhook, at, report.status, report.transaction.as_slice());
        ledger
    }

    fn from_lookup(lookup: &LookupAnswer) -> Self {
        let at = lookup.at.to_millis();
        let Some(found) = &lookup.found else {
            let last_reports = BTreeMap::from([(PaymentSource::Lookup, at)]);
            return Self { last_reports, latest_lookup: Some(Latest { at, value: None }), ..Self::default() };
        };
        let mut ledger = Self::reported(PaymentSource::Lookup, at, found.status);
        ledger.latest_lookup = Some(Latest { at, value: Some(found.furthest_status()) });
        ledger.money.extend(found.money.clone());
        ledger.add_transactions(PaymentSource::Lookup, at, found.status, &found.transactions);
        ledger
    }

    fn reported(source: PaymentSource, at: Timestamp, status: PaymentStatus) -> Self {
        Self {
            first_reports: BTreeMap::from([(source, BTreeMap::from([(status, at)]))]),
            last_reports: BTreeMap::from([(source, at)]),
            ..Self::default()
        }
    }

    /// In a webhook the payment's status implies that of its transaction. A look-up also lists failed attempts, so
    /// there only a transaction's own status counts.
    fn add_transactions(
        &mut self,
        source: PaymentSource,
        at: Timestamp,
        status: PaymentStatus,
        transactions: &[Transaction],
    ) {
        let implied = if source == PaymentSource::Webhook {
            TransactionStatus::implied(status)
        } else {
            TransactionStatus::Pending
        };
        for transaction in transactions {
            let entry = TransactionEntry::new(source, at, transaction.status.unwrap_or(implied), transaction);
            self.money.extend(transaction.money.clone());
            self.transactions.entry(transaction.id.clone()).and_modify(|known| known.join(&entry)).or_insert(entry);
        }
    }
}
