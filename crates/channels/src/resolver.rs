//! Resolves names to addresses without a thread for each: the name servers of `/etc/resolv.conf` are asked with
//! asynchronous I/O, after `/etc/hosts`.
//!
//! At most `CONCURRENT` names are looked up at a time in the process, and at most `PER_ZONE` under the same two last
//! labels, so that a domain whose servers never answer delays no other one. A caller waits for at most `TIMEOUT`.

use std::collections::HashMap;
use std::io;
use std::net::SocketAddr;
use std::sync::{Arc, LazyLock, Weak};
use std::time::Duration;

use hickory_resolver::TokioResolver;
use hickory_resolver::config::ResolverConfig;
use hickory_resolver::net::runtime::TokioRuntimeProvider;
use parking_lot::Mutex;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use tokio::runtime::{Handle, Id};
use tokio::sync::Semaphore;
use tokio::time::timeout;

const TIMEOUT: Duration = Duration::from_secs(5);
/// Look-ups at a time in the process.
const CONCURRENT: usize = 128;
const PER_ZONE: usize = 16;
/// With more zones than this, those without look-ups are removed from the map.
const MANY_ZONES: usize = 1024;
/// Answers of name servers that are kept, and the longest time for which an answer, or that there is none, is kept.
const CACHED_ANSWERS: u64 = 1024;
const CACHED_FOR: Duration = Duration::from_mins(1);
const FAILURE_CACHED_FOR: Duration = Duration::from_secs(5);
/// Runtimes whose resolvers are kept: a server has one.
const RUNTIMES: usize = 4;

/// Permits for all look-ups (`PERMITS`), and for those of each zone (`ZONE_PERMITS`).
static PERMITS: LazyLock<Semaphore> = LazyLock::new(|| Semaphore::new(CONCURRENT));
static ZONE_PERMITS: Mutex<Option<HashMap<String, Weak<Semaphore>>>> = Mutex::new(None);
/// A resolver works only on the runtime on which it was first used.
static RESOLVERS: Mutex<Vec<(Id, TokioResolver)>> = Mutex::new(Vec::new());

/// A name has no address, or its name servers gave none in time.
#[derive(Debug, thiserror::Error)]
#[error("the name does not resolve")]
pub(crate) struct NotResolved(#[source] pub io::Error);

/// Resolves names. All values share the bounds of the process.
#[derive(Debug, Clone, Copy, Default)]
pub struct NameResolver;

#[boxed::futures]
impl NameResolver {
    /// The addresses of a name, with port 0.
    pub async fn look_up(self, name: &str) -> io::Result<Vec<SocketAddr>> {
        let slow = |_| io::Error::new(io::ErrorKind::TimedOut, "the name was not resolved in time");
        timeout(TIMEOUT, ask(name)).await.map_err(slow)?
    }
}

async fn ask(name: &str) -> io::Result<Vec<SocketAddr>> {
    let _zone_permit = zone_permits(name).acquire_owned().await.map_err(io::Error::other)?;
    let _permit = PERMITS.acquire().await.map_err(io::Error::other)?;
    let found = resolver()?.lookup_ip(name).await.map_err(io::Error::other)?;
    Ok(found.iter().map(|address| SocketAddr::new(address, 0)).collect())
}

/// The resolver of the present runtime.
fn resolver() -> io::Result<TokioResolver> {
    let runtime = Handle::current().id();
    let mut resolvers = RESOLVERS.lock();
    if let Some((_, known)) = resolvers.iter().find(|(id, _)| *id == runtime) {
        return Ok(known.clone());
    }
    // Without name servers in the system's configuration, only the hosts file answers.
    let mut builder = TokioResolver::builder_tokio().unwrap_or_else(|error| {
        tracing::warn!(%error, "the system has no name servers; only names of the hosts file resolve");
        let config = ResolverConfig::from_parts(None, Vec::new(), Vec::new());
        TokioResolver::builder_with_config(config, TokioRuntimeProvider::default())
    });
    let options = builder.options_mut();
    options.timeout = TIMEOUT / 2;
    options.cache_size = CACHED_ANSWERS;
    options.positive_max_ttl = Some(CACHED_FOR);
    options.negative_max_ttl = Some(FAILURE_CACHED_FOR);
    let new = builder.build().map_err(io::Error::other)?;
    resolvers.truncate(RUNTIMES - 1);
    resolvers.insert(0, (runtime, new.clone()));
    Ok(new)
}

/// The permits of the names with the same last two labels.
fn zone_permits(name: &str) -> Arc<Semaphore> {
    let name = name.trim_end_matches('.').to_ascii_lowercase();
    let start = name.rmatch_indices('.').nth(1).map_or(0, |(dot, _)| dot + 1);
    let zone = &name[start..];
    let mut zones = ZONE_PERMITS.lock();
    let zones = zones.get_or_insert_default();
    if let Some(known) = zones.get(zone).and_then(Weak::upgrade) {
        return known;
    }
    if zones.len() > MANY_ZONES {
        zones.retain(|_, known| known.strong_count() > 0);
    }
    let new = Arc::new(Semaphore::new(PER_ZONE));
    zones.insert(zone.to_owned(), Arc::downgrade(&new));
    new
}

/// For clients of addresses that the operator chose: returns every address of a name, private ones included.
impl Resolve for NameResolver {
    fn resolve(&self, name: Name) -> Resolving {
        let resolver = *self;
        Box::pin(async move {
            let found = resolver.look_up(name.as_str()).await.map_err(NotResolved)?;
            Ok(Box::new(found.into_iter()) as Addrs)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn names_of_the_hosts_file_and_literal_addresses_resolve() {
        let resolver = NameResolver;
        let local = resolver.look_up("localhost").await.unwrap();
        assert!(!local.is_empty() && local.iter().all(|address| address.ip().is_loopback()), "{local:?}");
        let literal = resolver.look_up("192.0.2.7").await.unwrap();
        assert_eq!(literal, ["192.0.2.7:0".parse().unwrap()]);
    }

    #[test]
    fn names_of_one_domain_share_their_permits() {
        let zone = zone_permits("a.shop.example");
        for same in ["b.shop.example", "SHOP.example.", "x.y.shop.example"] {
            assert!(Arc::ptr_eq(&zone, &zone_permits(same)), "{same}");
        }
        for other in ["shop.test", "example", "workshop.example"] {
            assert!(!Arc::ptr_eq(&zone, &zone_permits(other)), "{other}");
        }
        (0..5_000).for_each(|number| drop(zone_permits(&format!("a{number}.example"))));
        assert!(ZONE_PERMITS.lock().as_ref().is_some_and(|zones| zones.len() <= MANY_ZONES + 1));
    }
}
