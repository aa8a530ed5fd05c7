//! Slows down guessing of credentials: beyond a number of failures a minute, failures of an address are answered late.
//! A valid credential is never delayed.

use std::net::{IpAddr, Ipv6Addr};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use moka::sync::Cache;

/// Delay of the answer to a failure beyond the limit.
const DELAY: Duration = Duration::from_secs(1);
/// Most addresses kept: an attacker with many addresses must not fill the memory.
const REMEMBERED: u64 = 100_000;

#[derive(Debug)]
pub struct FailedAttempts {
    allowed: u32,
    counts: Cache<IpAddr, Arc<AtomicU32>>,
}

impl FailedAttempts {
    pub(crate) fn new(allowed_per_minute: u32) -> Self {
        let counts = Cache::builder().max_capacity(REMEMBERED).time_to_live(Duration::from_mins(1)).build();
        Self { allowed: allowed_per_minute, counts }
    }

    /// Counts a failure. Returns how long its answer must wait; none within the limit.
    pub fn failed(&self, address: IpAddr) -> Option<Duration> {
        let count = self.counts.get_with(network_of(address), Arc::default);
        let failures = count.fetch_add(1, Ordering::Relaxed).saturating_add(1);
        (failures > self.allowed).then_some(DELAY)
    }
}

/// The address that failures are counted by: an IPv4 address, or the /64 network of an IPv6 address, since a client
/// usually has all addresses of its /64.
pub(crate) fn network_of(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(v6) => {
            let [a, b, c, d, ..] = v6.segments();
            IpAddr::V6(Ipv6Addr::new(a, b, c, d, 0, 0, 0, 0))
        }
        v4 @ IpAddr::V4(_) => v4,
    }
}

#[cfg(test)]
mod tests {
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
