//! What the steps of a log-in have in common: the account whose password was right, and the count of outcomes.

use domain::identity::accounts::Account;
use domain::identity::memberships::Holder;

use crate::identity::second_factors::AccountFactors;

/// An account, or a membership with its own password, whose password was right.
#[derive(Debug)]
pub(crate) struct VerifiedPassword {
    pub holder: Holder,
    /// The row of the holder.
    pub account: Account,
    pub factors: AccountFactors,
}

/// Counts a log-in by its outcome, for the metrics.
pub(crate) fn count_log_in(outcome: &'static str) {
    metrics::counter!("switchboard_log_ins_total", "outcome" => outcome).increment(1);
}
