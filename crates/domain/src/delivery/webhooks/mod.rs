//! Rules of webhooks: what a valid endpoint is, how deliveries are signed, when they are retried, when an endpoint is
//! paused or defective, and which node owns it. HTTP is in `app` and `channels`.

mod delivery;
mod endpoint;
mod error_code;
mod health;
mod ownership;
mod recovery;
mod schedule;
mod secret;
mod trace;

pub use delivery::{Delivery, RedeliveryCause};
pub use endpoint::{
    Header, MAX_HEADERS, MAX_URL, RESERVED_HEADER_PREFIXES, RESERVED_HEADERS, check_headers, check_url,
};
pub use error_code::AttemptErrorCode;
pub use health::Health;
pub use ownership::owner;
pub use recovery::{RecoveryProgress, RecoveryState, RecoveryWindow, RunningRecovery};
pub use schedule::{give_up_at, next_attempt_at};
pub use secret::{NotASecret, Secret, signature};
pub use trace::{AttemptTrace, HeaderView};

use crate::base::named::named;

named! {
    WebhookStatus { Disabled => "Disabled", Enabled => "Enabled", Defective => "Defective" }
}

impl WebhookStatus {
    /// The number of the status in V2.
    pub const fn code(self) -> i64 {
        match self {
            Self::Disabled => 0,
            Self::Enabled => 1,
            Self::Defective => 2,
        }
    }

    pub fn from_code(code: i64) -> Option<Self> {
        Self::ALL.iter().copied().find(|status| status.code() == code)
    }
}

named! {
    /// The state of a delivery. `retrying` is due again later, `held` waits for an earlier delivery of its
    /// conversation, `parked` for its endpoint to be enabled or recovered; `delivered` and `failed` get no more
    /// attempts by themselves.
    DeliveryState {
        Delivered => "delivered",
        Retrying => "retrying",
        Held => "held",
        Parked => "parked",
        Failed => "failed",
    }
}

impl DeliveryState {
    /// States of deliveries that are neither delivered nor given up: a later delivery of the same conversation waits
    /// for them, if the endpoint asks for ordered delivery.
    pub const OPEN: [Self; 3] = [Self::Retrying, Self::Held, Self::Parked];
    /// States of deliveries that a recovery delivers again: all but `delivered`.
    pub const RECOVERABLE: [Self; 4] = [Self::Parked, Self::Failed, Self::Held, Self::Retrying];
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_delivery_that_is_not_final_is_open_and_all_but_delivered_can_be_recovered() {
        for state in DeliveryState::ALL {
            let is_final = matches!(state, DeliveryState::Delivered | DeliveryState::Failed);
            assert_eq!(DeliveryState::OPEN.contains(state), !is_final, "{state}");
            assert_eq!(DeliveryState::RECOVERABLE.contains(state), *state != DeliveryState::Delivered, "{state}");
        }
    }

    #[test]
    fn every_status_has_its_number_of_v2() {
        for (status, code) in [(WebhookStatus::Disabled, 0), (WebhookStatus::Enabled, 1), (WebhookStatus::Defective, 2)]
        {
            assert_eq!((status.code(), WebhookStatus::from_code(code)), (code, Some(status)));
        }
        assert_eq!((WebhookStatus::from_code(3), WebhookStatus::from_code(-1)), (None, None));
    }
}
