//! Slows down guessing of credentials: beyond a number of failures a minute, failures of an address are answered late.
//! A valid credential is never delayed.

use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use domain::identity::networks::network_of;

use crate::base::cache::Cache;

/// Delay of the answer to a failure beyond the limit.
const DELAY: Duration = Duration::from_secs(1);
/// Most addresses kept: an attacker with many addresses must not fill the memory.
const REMEMBERED: usize = 100_000;

#[derive(Debug)]
pub struct FailedAttempts {
    allowed: u32,
    counts: Cache<IpAddr, Arc<AtomicU32>>,
}

impl FailedAttempts {
    pub(crate) fn new(allowed_per_minute: u32) -> Self {
        let counts = Cache::with_lifetime(REMEMBERED, Duration::from_mins(1));
        Self { allowed: allowed_per_minute, counts }
    }

    /// Counts a failure. Returns how long its answer must wait; none within the limit.
    pub fn failed(&self, address: IpAddr) -> Option<Duration> {
        let count = self.counts.get_with(&network_of(address), Arc::default);
        let failures = count.fetch_add(1, Ordering::Relaxed).saturating_add(1);
        (failures > self.allowed).then_some(DELAY)
    }
}

#[cfg(test)]
mod tests {
    use std::net::Ipv6Addr;

    use super::*;

    #[test]
    fn only_failures_beyond_the_limit_of_the_same_network_wait() {
        let attempts = FailedAttempts::new(3);
        let address = |last: u16| IpAddr::V6(Ipv6Addr::new(0x2001, 0xdb8, 0, 1, 0, 0, 0, last));
        for last in 0..3 {
            assert_eq!(attempts.failed(address(last)), None);
        }
        assert_eq!(attempts.failed(address(9)), Some(DELAY));
        assert_eq!(attempts.failed("10.0.0.1".parse().unwrap()), None);
    }
}
