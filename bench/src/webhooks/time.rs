//! Times of the system clock, which all processes of a run share, and time limits.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Poll interval while waiting: precise enough for the measurement, rare enough to cost nothing.
pub const LOOK_EVERY: Duration = Duration::from_millis(20);
/// The run fails if no delivery arrives for this time, or events are not numbered or deliveries not recorded after it.
pub const TIMEOUT: Duration = Duration::from_mins(1);

/// Nanoseconds since 1970 by the system clock, which all processes of a run share.
pub fn now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_nanos()).unwrap_or(u64::MAX)
}

/// Time between two results of `now`; zero if the second is not later.
pub fn between(earlier: u64, later: u64) -> Duration {
    Duration::from_nanos(later.saturating_sub(earlier))
}

pub fn millis(time: Duration) -> String {
    format!("{:.1} ms", 1e3 * time.as_secs_f64())
}
