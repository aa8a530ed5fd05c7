//! Contradictions between facts. They are shown alongside the status and do not change it.

use crate::base::schema::ToSchema;
use serde::Serialize;

use super::{Ledger, PaymentSource, PaymentStatus, Reports};
use crate::Timestamp;
use crate::base::time::as_rfc3339;
use crate::commerce::money::Amount;

/// How long after a webhook the network's look-up may still miss what the webhook reported.
pub const GRACE_SECONDS: i64 = 60;

/// One member for each kind of contradiction, present as soon as any source, including webhooks, reports it. None
/// changes the status.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = PaymentConflict)]
pub struct Conflict {
    /// Ids of the successful transactions, if there are several.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub captured_twice: Vec<String>,
    /// The order was paid after it was canceled, or the money was not returned.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub captured_after_cancel: Option<CapturedAfterCancel>,
    /// Reported amounts that differ from the requested one.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub other_amount: Vec<Amount>,
    /// Reported currencies that differ from the requested one.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub other_currency: Vec<String>,
    /// The newest look-up does not show a capture that the network reported earlier.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub lookup_disagrees: Option<LookupDisagreement>,
}

/// The order was paid after it was canceled, or the money was not returned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = CapturedAfterCancel)]
pub struct CapturedAfterCancel {
    #[serde(serialize_with = "as_rfc3339")]
    pub canceled_at: Timestamp,
    #[serde(serialize_with = "as_rfc3339")]
    pub captured_at: Timestamp,
}

/// The newest look-up does not show a capture, or a transaction, that the network reported earlier.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = LookupDisagrees)]
pub struct LookupDisagreement {
    /// The status in the look-up; null if it shows no payment.
    pub status: Option<PaymentStatus>,
}

impl Conflict {
    pub(super) fn find_in(ledger: &Ledger) -> Option<Self> {
        let conflict = Self {
            captured_twice: ledger.captured_twice(),
            captured_after_cancel: ledger.captured_after_cancel(),
            other_amount: ledger.other_amounts(),
            other_currency: ledger.other_currencies(),
            lookup_disagrees: ledger.lookup_disagrees(),
        };
        (conflict != Self::default()).then_some(conflict)
    }

    /// For comparison: a conflict that differs only in times is the same.
    pub(super) fn without_times(&self) -> Self {
        let epoch = Timestamp::from_micros(0);
        let timeless = CapturedAfterCancel { canceled_at: epoch, captured_at: epoch };
        Self { captured_after_cancel: self.captured_after_cancel.map(|_| timeless), ..self.clone() }
    }
}

impl Ledger {
    fn captured_twice(&self) -> Vec<String> {
        let successes = self.transactions.iter().filter(|(_, one)| one.reported.is_success(Reports::All));
        let ids: Vec<String> = successes.map(|(id, _)| id.clone()).collect();
        if ids.len() > 1 { ids } else { Vec::new() }
    }

    /// The conflict of an order that is canceled and paid. None if the money was refunded before the cancellation.
    fn captured_after_cancel(&self) -> Option<CapturedAfterCancel> {
        let canceled_at = self.canceled_at?;
        let last_transaction = self.transactions.values().filter_map(|one| one.paid_at).max();
        let captured_at = last_transaction.or_else(|| self.first_capture(PaymentSource::ALL))?;
        let kept = self.status(Reports::All) == PaymentStatus::Captured;
        (kept || captured_at > canceled_at).then_some(CapturedAfterCancel { canceled_at, captured_at })
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
        let reported = self.money.iter().filter_map(|money| money.currency.as_deref());
        let mut others: Vec<String> =
            reported.filter(|code| *code != asked.currency.code()).map(str::to_owned).collect();
        others.sort_unstable();
        others.dedup();
        others
    }

    /// Compares only the network's own reports: a business may be paid in ways that the network does not see.
    fn lookup_disagrees(&self) -> Option<LookupDisagreement> {
        let latest = self.latest_lookup.as_ref()?;
        let is_due = |at: Timestamp| latest.at >= at.plus_seconds(GRACE_SECONDS);
        let shows_capture = latest.value.is_some_and(PaymentStatus::is_paid);
        let captured = self.first_capture(&[PaymentSource::Webhook, PaymentSource::Lookup]);
        if !shows_capture && captured.is_some_and(is_due) {
            return Some(LookupDisagreement { status: latest.value });
        }
        let open = self.transactions.values().filter(|one| one.reported.is_unconfirmed_success());
        let unseen = open.filter_map(|one| one.paid_at).any(is_due);
        unseen.then_some(LookupDisagreement { status: latest.value })
    }
}
