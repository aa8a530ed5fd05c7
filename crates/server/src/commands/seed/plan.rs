//! What a run generates, and the time at which the data ends by default.

use domain::{TenantId, Timestamp};

/// What to generate.
#[derive(Debug, Clone, Copy)]
pub struct Plan {
    pub tenant: TenantId,
    pub count: u64,
    pub seed: u64,
    pub until: Timestamp,
}

/// The default end of the seeded time: a second run within the hour generates the same data.
pub(super) fn start_of_hour(now: Timestamp) -> Timestamp {
    Timestamp::from_seconds(now.seconds().div_euclid(3600) * 3600)
}
