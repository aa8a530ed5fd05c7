//! What the steps of a log-in have in common: the account whose password was right, and the count of outcomes.

use domain::TenantId;
use domain::identity::accounts::Account;

use crate::identity::second_factors::AccountFactors;

/// An account whose password was right.
#[derive(Debug)]
pub(crate) struct VerifiedPassword {
    pub tenant: TenantId,
    pub account: Account,
    pub factors: AccountFactors,
}

/// Counts a log-in by its outcome, for the metrics.
pub(crate) fn count_log_in(outcome: &'static str) {
    metrics::counter!("switchboard_log_ins_total", "outcome" => outcome).increment(1);
}
