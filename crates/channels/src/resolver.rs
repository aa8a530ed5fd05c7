//! Resolves names to addresses without a thread for each: names that never resolve must not use up the threads that
//! other work needs.
//!
//! `/etc/hosts` and `/etc/resolv.conf` count, and are read again every minute. At most `CONCURRENT` names are looked up
//! at a time, each for at most `TIMEOUT`; further look-ups wait within their own time.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use hickory_resolver::TokioResolver;
use hickory_resolver::config::{LookupIpStrategy, ResolveHosts};
use parking_lot::Mutex;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use tokio::sync::Semaphore;
use tokio::time::{Instant, timeout};

const TIMEOUT: Duration = Duration::from_secs(5);
/// One question to one name server.
const TRY: Duration = Duration::from_secs(2);
const TRIES: usize = 2;
const CONCURRENT: usize = 512;
const CACHED_NAMES: u64 = 1024;
/// How long the system's configuration is not read again.
const FRESH: Duration = Duration::from_mins(1);

/// Cheap to clone.
#[derive(Debug, Clone)]
pub struct NameResolver(Arc<Shared>);

struct Shared {
    current: Mutex<Option<(Instant, TokioResolver)>>,
    places: Semaphore,
}

impl std::fmt::Debug for Shared {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("NameResolver")
    }
}

impl Default for NameResolver {
    fn default() -> Self {
        Self(Arc::new(Shared { current: Mutex::default(), places: Semaphore::new(CONCURRENT) }))
    }
}

impl NameResolver {
    /// The addresses of a name, with port 0.
    pub async fn look_up(&self, name: &str) -> io::Result<Vec<SocketAddr>> {
        let slow = |_| io::Error::new(io::ErrorKind::TimedOut, "the name was not resolved in time");
        timeout(TIMEOUT, self.ask(name)).await.map_err(slow)?
    }

    async fn ask(&self, name: &str) -> io::Result<Vec<SocketAddr>> {
        let _place = self.0.places.acquire().await.map_err(io::Error::other)?;
        let found = self.resolver()?.lookup_ip(name).await.map_err(io::Error::other)?;
        Ok(found.iter().map(|address| SocketAddr::new(address, 0)).collect())
    }

    fn resolver(&self) -> io::Result<TokioResolver> {
        let mut current = self.0.current.lock();
        if let Some((_, resolver)) = current.as_ref().filter(|(made, _)| made.elapsed() < FRESH) {
            return Ok(resolver.clone());
        }
        let mut builder = TokioResolver::builder_tokio().map_err(io::Error::other)?;
        let options = builder.options_mut();
        options.timeout = TRY;
        options.attempts = TRIES;
        options.cache_size = CACHED_NAMES;
        options.use_hosts_file = ResolveHosts::Always;
        options.ip_strategy = LookupIpStrategy::Ipv4AndIpv6;
        let resolver = builder.build().map_err(io::Error::other)?;
        *current = Some((Instant::now(), resolver.clone()));
        Ok(resolver)
    }
}

/// For clients of addresses that the operator chose: every address counts.
impl Resolve for NameResolver {
    fn resolve(&self, name: Name) -> Resolving {
        let resolver = self.clone();
        Box::pin(async move {
            let found = resolver.look_up(name.as_str()).await?;
            Ok(Box::new(found.into_iter()) as Addrs)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn names_of_the_hosts_file_and_literal_addresses_resolve() {
        let resolver = NameResolver::default();
        let local = resolver.look_up("localhost").await.unwrap();
        assert!(!local.is_empty() && local.iter().all(|address| address.ip().is_loopback()), "{local:?}");
        let literal = resolver.look_up("192.0.2.7").await.unwrap();
        assert_eq!(literal, ["192.0.2.7:0".parse().unwrap()]);
    }
}
