//! Everything that was said about one payment, joined. What it means is read off by `state` and `conflict`.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::entry::Entry;
use super::facts::{Fact, Lookup, Money, Report, Transaction};
use super::join::{Latest, by_key, earlier, later};
use super::{Source, Status, TransactionStatus};
use crate::Timestamp;
use crate::money::{Amount, Currency};

/// Kept as JSON. Two ledgers of the same facts are equal, and so are their JSON texts.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Ledger {
    pub(super) asked: Option<Asked>,
    pub(super) canceled_at: Option<Timestamp>,
    /// When each source first said each status.
    pub(super) said: BTreeMap<Source, BTreeMap<Status, Timestamp>>,
    /// When each source last spoke.
    pub(super) heard: BTreeMap<Source, Timestamp>,
    /// What the newest look-up showed; None inside: no payment.
    pub(super) shown: Option<Latest<Option<Status>>>,
    /// All money that the network spoke of.
    pub(super) money: BTreeSet<Money>,
    pub(super) transactions: BTreeMap<String, Entry>,
}

/// What the business wants to have.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(super) struct Asked {
    pub at: Timestamp,
    pub amount: Amount,
    pub currency: Currency,
}

impl Ledger {
    /// False when the ledger knew it all.
    pub fn learn(&mut self, fact: &Fact) -> bool {
        let before = self.clone();
        self.join(&Self::of(fact));
        *self != before
    }

    /// Both together. Associative, commutative, and joining the same again changes nothing.
    pub fn join(&mut self, other: &Self) {
        earlier(&mut self.asked, other.asked.as_ref());
        earlier(&mut self.canceled_at, other.canceled_at.as_ref());
        by_key(&mut self.said, &other.said, |known, told| {
            by_key(known, told, |known, told| *known = (*known).min(*told));
        });
        by_key(&mut self.heard, &other.heard, |known, told| *known = (*known).max(*told));
        later(&mut self.shown, other.shown.as_ref());
        self.money.extend(other.money.iter().cloned());
        by_key(&mut self.transactions, &other.transactions, Entry::join);
    }

    /// What one fact says, alone.
    fn of(fact: &Fact) -> Self {
        match fact {
            Fact::Ordered { at, amount, currency } => {
                let at = at.to_millis();
                let asked = Some(Asked { at, amount: *amount, currency: *currency });
                Self { asked, ..Self::said(Source::Business, at, Status::Pending) }
            }
            Fact::Canceled { at } => {
                let at = at.to_millis();
                Self { canceled_at: Some(at), heard: BTreeMap::from([(Source::Business, at)]), ..Self::default() }
            }
            Fact::Marked { at, status } => Self::said(Source::Business, at.to_millis(), *status),
            Fact::Webhook(report) => Self::of_report(report),
            Fact::Lookup(lookup) => Self::of_lookup(lookup),
        }
    }

    fn of_report(report: &Report) -> Self {
        let at = report.at.to_millis();
        let mut ledger = Self::said(Source::Webhook, at, report.status);
        ledger.money.extend(report.money.clone());
        ledger.note(Source::Webhook, at, report.status, report.transaction.as_slice());
        ledger
    }

    fn of_lookup(lookup: &Lookup) -> Self {
        let at = lookup.at.to_millis();
        let Some(found) = &lookup.found else {
            let heard = BTreeMap::from([(Source::Lookup, at)]);
            return Self { heard, shown: Some(Latest { at, value: None }), ..Self::default() };
        };
        let mut ledger = Self::said(Source::Lookup, at, found.status);
        ledger.shown = Some(Latest { at, value: Some(found.shows()) });
        ledger.money.extend(found.money.clone());
        ledger.note(Source::Lookup, at, found.status, &found.transactions);
        ledger
    }

    fn said(source: Source, at: Timestamp, status: Status) -> Self {
        Self {
            said: BTreeMap::from([(source, BTreeMap::from([(status, at)]))]),
            heard: BTreeMap::from([(source, at)]),
            ..Self::default()
        }
    }

    /// A look-up lists failed tries beside the one that went well: there only a transaction's own word counts.
    fn note(&mut self, source: Source, at: Timestamp, status: Status, transactions: &[Transaction]) {
        let alone =
            if source == Source::Webhook { TransactionStatus::implied(status) } else { TransactionStatus::Pending };
        for told in transactions {
            let entry = Entry::of(source, at, told.status.unwrap_or(alone), told);
            self.money.extend(told.money.clone());
            self.transactions.entry(told.id.clone()).and_modify(|known| known.join(&entry)).or_insert(entry);
        }
    }
}
