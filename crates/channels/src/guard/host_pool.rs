//! Bounds the connections that stay open for the next request.
//!
//! The HTTP client bounds them for each host only, and tenants name the hosts. It does not say how many it has, so they
//! are counted as the most requests that a host had in flight at the same time, up to `IDLE_PER_HOST`. A host is
//! forgotten when the client has closed its last connection.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use http::Uri;
use parking_lot::Mutex;

use crate::transport::IDLE_TIME;

/// Most unused connections to one host that stay open: as many as deliveries to an endpoint are usually in flight.
pub(super) const IDLE_PER_HOST: usize = 32;
/// Time after its last request in which a host may have connections.
const REMEMBERED: Duration = IDLE_TIME.saturating_mul(2);
/// Least time between two searches for hosts to forget.
const LOOK_EVERY: Duration = Duration::from_secs(1);

#[derive(Debug)]
pub(super) struct HostPool {
    most: usize,
    hosts: Mutex<Hosts>,
}

#[derive(Debug, Default)]
struct Hosts {
    /// By scheme and authority.
    known: HashMap<String, Host>,
    /// The connections of all hosts.
    connections: usize,
    looked_at: Option<Instant>,
}

#[derive(Debug)]
struct Host {
    in_flight: usize,
    connections: usize,
    used_at: Instant,
}

/// A request whose connection may stay open, until its answer has been read.
#[derive(Debug)]
pub(super) struct HostUse {
    pool: Arc<HostPool>,
    key: String,
}

impl HostPool {
    pub fn new(most: usize) -> Self {
        Self { most, hosts: Mutex::default() }
    }

    /// None if too many connections are open already: that of the request must be closed after it.
    pub fn enter(self: &Arc<Self>, uri: &Uri) -> Option<HostUse> {
        let key = format!("{}://{}", uri.scheme_str()?, uri.authority()?);
        let now = Instant::now();
        let mut hosts = self.hosts.lock();
        let hosts = &mut *hosts;
        let needs_one = hosts.known.get(&key).is_none_or(Host::needs_one);
        if needs_one && !hosts.has_room(self.most, now) {
            return None;
        }
        let host = hosts.known.entry(key.clone()).or_insert(Host { in_flight: 0, connections: 0, used_at: now });
        host.in_flight += 1;
        host.connections += usize::from(needs_one);
        hosts.connections += usize::from(needs_one);
        Some(HostUse { pool: Arc::clone(self), key })
    }
}

impl Host {
    /// Whether a further request needs a further connection that stays open.
    fn needs_one(&self) -> bool {
        self.in_flight >= self.connections && self.connections < IDLE_PER_HOST
    }
}

impl Hosts {
    fn has_room(&mut self, most: usize, now: Instant) -> bool {
        if self.connections >= most && self.looked_at.is_none_or(|at| now.duration_since(at) >= LOOK_EVERY) {
            self.looked_at = Some(now);
            self.known.retain(|_, host| host.in_flight > 0 || now.duration_since(host.used_at) < REMEMBERED);
            self.connections = self.known.values().map(|host| host.connections).sum();
        }
        self.connections < most
    }
}

impl Drop for HostUse {
    fn drop(&mut self) {
        if let Some(host) = self.pool.hosts.lock().known.get_mut(&self.key) {
            host.in_flight = host.in_flight.saturating_sub(1);
            host.used_at = Instant::now();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn uri(host: usize) -> Uri {
        format!("https://h{host}.example/hook").parse().unwrap()
    }

    #[test]
    fn connections_of_all_hosts_together_are_bounded() {
        let pool = Arc::new(HostPool::new(40));
        let many: Vec<_> = (0..100).map_while(|_| pool.enter(&uri(1))).collect();
        assert_eq!((many.len(), pool.hosts.lock().connections), (100, IDLE_PER_HOST));
        drop(many);
        let others: Vec<_> = (2..100).map_while(|host| pool.enter(&uri(host))).collect();
        assert_eq!(others.len(), 40 - IDLE_PER_HOST);
        assert!(pool.enter(&uri(1)).is_some(), "it has connections");
        assert!(pool.enter(&uri(2)).is_none() && pool.enter(&uri(50)).is_none(), "they would need one more");
        drop(others);
        assert!(pool.enter(&uri(2)).is_some() && pool.enter(&uri(50)).is_none());
    }

    #[test]
    fn hosts_are_forgotten_when_their_connections_are_closed() {
        let pool = Arc::new(HostPool::new(1));
        let used = pool.enter(&uri(1)).unwrap();
        let mut hosts = pool.hosts.lock();
        let later = Instant::now() + 2 * REMEMBERED;
        assert!(!hosts.has_room(1, later), "a request is in flight");
        drop(hosts);
        drop(used);
        let mut hosts = pool.hosts.lock();
        assert!(!hosts.has_room(1, later), "looked at a moment ago");
        assert!(hosts.has_room(1, later + LOOK_EVERY));
        assert!(hosts.known.is_empty());
    }
}
