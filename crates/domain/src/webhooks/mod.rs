//! Webhooks: endpoints that are told of events, what must hold of one, when something is tried again, and when an endpoint
//! counts as broken. Does not know HTTP.

mod breaker;
mod delivery;
mod endpoint;
mod health;
mod schedule;
mod secret;
mod sharing;

pub use breaker::Breaker;
pub use delivery::Delivery;
pub use endpoint::{Header, MAX_HEADERS, MAX_URL, check_headers, check_url};
pub use health::Health;
pub use schedule::{again_at, gives_up_at};
pub use secret::{NotASecret, Secret, signature};
pub use sharing::owner;

use crate::named::named;

named! {
    Status { Disabled => "Disabled", Enabled => "Enabled", Defective => "Defective" }
}

impl Status {
    /// The number that V2 shows.
    pub const fn code(self) -> i64 {
        match self {
            Self::Disabled => 0,
            Self::Enabled => 1,
            Self::Defective => 2,
        }
    }

    pub fn of_code(code: i64) -> Option<Self> {
        Self::ALL.iter().copied().find(|status| status.code() == code)
    }
}

named! {
    /// How far a delivery is. `held` waits for an earlier one of its conversation, `parked` for its endpoint to be well
    /// again, `failed` was given up.
    DeliveryState {
        Delivered => "delivered",
        Retrying => "retrying",
        Held => "held",
        Parked => "parked",
        Failed => "failed",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_status_has_the_number_that_v2_shows() {
        for (status, code) in [(Status::Disabled, 0), (Status::Enabled, 1), (Status::Defective, 2)] {
            assert_eq!((status.code(), Status::of_code(code)), (code, Some(status)));
        }
        assert_eq!((Status::of_code(3), Status::of_code(-1)), (None, None));
    }
}
