//! The outcomes of a payment.

use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, domain::base::schema::ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = SandboxOutcome)]
pub enum Outcome {
    #[default]
    Captured,
    Failed,
    Pending,
    /// Two payments for one order; if it is paid already, a second one.
    Twice,
    /// Paid and refunded.
    Refunded,
    /// Paid at once, reported later.
    Late,
    /// Paid, never reported.
    Lost,
    /// Reported as paid; a look-up shows it unpaid.
    Disagree,
    /// Reported as paid; a look-up shows half of the amount.
    OtherAmount,
}
