//! What does not fit together. It is shown beside the status and decides nothing.

use serde::Serialize;
use utoipa::ToSchema;

use super::{Ledger, Source, Status};
use crate::Timestamp;
use crate::money::Amount;
use crate::time::as_rfc3339;

/// How long the network may take until its look-up knows what its webhook told.
pub const GRACE_SECONDS: i64 = 60;

/// One member for each kind of doubt, shown as soon as any source, webhooks included, gives reason for it. None of them
/// changes the status.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = PaymentConflict)]
pub struct Conflict {
    /// Ids of the transactions that succeeded: more than one.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub captured_twice: Vec<String>,
    /// Money came in after the order was canceled, or is kept although it was.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub captured_after_cancel: Option<AfterCancel>,
    /// Amounts that are not the one asked for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub other_amount: Vec<Amount>,
    /// Currencies that are not the one asked for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub other_currency: Vec<String>,
    /// The newest look-up does not show a capture that the network told of before.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub lookup_disagrees: Option<Disagreement>,
}

/// Money came in after the order was canceled, or is kept although it was.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = CapturedAfterCancel)]
pub struct AfterCancel {
    #[serde(serialize_with = "as_rfc3339")]
    #[schema(value_type = String, format = "date-time", example = "2026-04-24T10:00:00.000Z")]
    pub canceled_at: Timestamp,
    #[serde(serialize_with = "as_rfc3339")]
    #[schema(value_type = String, format = "date-time", example = "2026-04-24T10:05:00.000Z")]
    pub captured_at: Timestamp,
}

/// What the look-up shows in place of a capture; null: no payment, or another one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = LookupDisagrees)]
pub struct Disagreement {
    /// What the look-up shows; null: no payment, or another one.
    pub status: Option<Status>,
}

impl Conflict {
    pub(super) fn of(ledger: &Ledger) -> Option<Self> {
        let conflict = Self {
            captured_twice: ledger.captured_twice(),
            captured_after_cancel: ledger.captured_after_cancel(),
            other_amount: ledger.other_amounts(),
            other_currency: ledger.other_currencies(),
            lookup_disagrees: ledger.lookup_disagrees(),
        };
        (conflict != Self::default()).then_some(conflict)
    }

    /// The same doubt, whatever its times are.
    pub(super) fn without_times(&self) -> Self {
        let epoch = Timestamp::from_micros(0);
        let timeless = AfterCancel { canceled_at: epoch, captured_at: epoch };
        Self { captured_after_cancel: self.captured_after_cancel.map(|_| timeless), ..self.clone() }
    }
}

impl Ledger {
    fn captured_twice(&self) -> Vec<String> {
        let successes = self.transactions.iter().filter(|(_, one)| one.heard.is_success(false));
        let ids: Vec<String> = successes.map(|(id, _)| id.clone()).collect();
        if ids.len() > 1 { ids } else { Vec::new() }
    }

    /// An order that was paid, refunded and then canceled is in order.
    fn captured_after_cancel(&self) -> Option<AfterCancel> {
        let canceled_at = self.canceled_at?;
        let last_transaction = self.transactions.values().filter_map(|one| one.paid_at).max();
        let captured_at = last_transaction.or_else(|| self.first_capture(Source::ALL))?;
        let kept = self.status(false) == Status::Captured;
        (kept || captured_at > canceled_at).then_some(AfterCancel { canceled_at, captured_at })
    }

    fn other_amounts(&self) -> Vec<Amount> {
        let Some(asked) = &self.asked else { return Vec::new() };
        let mut others: Vec<Amount> = self.money.iter().map(|money| money.amount).collect();
        others.retain(|amount| !amount.is_same_as(asked.amount));
        others.dedup();
        others
    }

    fn other_currencies(&self) -> Vec<String> {
        let Some(asked) = &self.asked else { return Vec::new() };
        let told = self.money.iter().filter_map(|money| money.currency.as_deref());
        let mut others: Vec<String> = told.filter(|code| *code != asked.currency.code()).map(str::to_owned).collect();
        others.sort_unstable();
        others.dedup();
        others
    }

    /// Only the network is held against itself: a business may be paid in ways that the network does not see.
    fn lookup_disagrees(&self) -> Option<Disagreement> {
        let shown = self.shown.as_ref()?;
        let is_due = |at: Timestamp| shown.at >= at.plus_seconds(GRACE_SECONDS);
        let shows_capture = shown.value.is_some_and(Status::is_paid);
        let told = self.first_capture(&[Source::Webhook, Source::Lookup]);
        if !shows_capture && told.is_some_and(is_due) {
            return Some(Disagreement { status: shown.value });
        }
        let open = self.transactions.values().filter(|one| one.heard.is_success(false) && !one.heard.is_success(true));
        let unseen = open.filter_map(|one| one.paid_at).any(is_due);
        unseen.then_some(Disagreement { status: shown.value })
    }
}
