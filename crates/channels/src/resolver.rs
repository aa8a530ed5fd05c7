//! Resolves names to addresses with the system's functions, within bounds: names that never resolve must not use up the
//! threads that other work needs.
//!
//! A look-up takes a thread until the system answers, which may be long after its caller gave up. At most `CONCURRENT`
//! names are looked up at a time in the process, and at most `OF_ZONE` under the same two last labels, so that a domain
//! whose servers never answer delays no other one. A caller waits for at most `TIMEOUT`.

use std::collections::HashMap;
use std::io;
use std::net::{SocketAddr, ToSocketAddrs as _};
use std::sync::{Arc, LazyLock, Weak};
use std::time::Duration;

use parking_lot::Mutex;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use tokio::sync::Semaphore;
use tokio::time::timeout;

const TIMEOUT: Duration = Duration::from_secs(5);
/// Look-ups at a time in the process: a part of the runtime's threads for blocking work.
const CONCURRENT: usize = 128;
const OF_ZONE: usize = 16;
/// With more zones than this, those without look-ups are removed from the map.
const MANY_ZONES: usize = 1024;

/// Permits for all look-ups (`PLACES`), and for those of each zone (`ZONES`).
static PLACES: LazyLock<Arc<Semaphore>> = LazyLock::new(|| Arc::new(Semaphore::new(CONCURRENT)));
static ZONES: Mutex<Option<HashMap<String, Weak<Semaphore>>>> = Mutex::new(None);

/// Resolves names. All values share the bounds of the process.
#[derive(Debug, Clone, Copy, Default)]
pub struct NameResolver;

impl NameResolver {
    /// The addresses of a name, with port 0.
    pub async fn look_up(self, name: &str) -> io::Result<Vec<SocketAddr>> {
        let slow = |_| io::Error::new(io::ErrorKind::TimedOut, "the name was not resolved in time");
        timeout(TIMEOUT, ask(name)).await.map_err(slow)?
    }
}

/// Looks a name up on a thread of its own. The permits are held until the system has answered, also when the caller has
/// given up.
async fn ask(name: &str) -> io::Result<Vec<SocketAddr>> {
    let of_zone = zone_of(name).acquire_owned().await.map_err(io::Error::other)?;
    let place = Arc::clone(&PLACES).acquire_owned().await.map_err(io::Error::other)?;
    let name = name.to_owned();
    let asked = tokio::task::spawn_blocking(move || {
        let found = (name.as_str(), 0).to_socket_addrs().map(Iterator::collect);
        drop((of_zone, place));
        found
    });
    asked.await.map_err(io::Error::other)?
}

/// The permits of the names with the same last two labels.
fn zone_of(name: &str) -> Arc<Semaphore> {
    let name = name.trim_end_matches('.').to_ascii_lowercase();
    let start = name.rmatch_indices('.').nth(1).map_or(0, |(dot, _)| dot + 1);
    let zone = &name[start..];
    let mut zones = ZONES.lock();
    let zones = zones.get_or_insert_default();
    if let Some(known) = zones.get(zone).and_then(Weak::upgrade) {
        return known;
    }
    if zones.len() > MANY_ZONES {
        zones.retain(|_, known| known.strong_count() > 0);
    }
    let new = Arc::new(Semaphore::new(OF_ZONE));
    zones.insert(zone.to_owned(), Arc::downgrade(&new));
    new
}

/// For clients of addresses that the operator chose: returns every address of a name, private ones included.
impl Resolve for NameResolver {
    fn resolve(&self, name: Name) -> Resolving {
        let resolver = *self;
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
        let resolver = NameResolver;
        let local = resolver.look_up("localhost").await.unwrap();
        assert!(!local.is_empty() && local.iter().all(|address| address.ip().is_loopback()), "{local:?}");
        let literal = resolver.look_up("192.0.2.7").await.unwrap();
        assert_eq!(literal, ["192.0.2.7:0".parse().unwrap()]);
    }

    #[test]
    fn names_of_one_domain_share_their_places() {
        let zone = zone_of("a.shop.example");
        for same in ["b.shop.example", "SHOP.example.", "x.y.shop.example"] {
            assert!(Arc::ptr_eq(&zone, &zone_of(same)), "{same}");
        }
        for other in ["shop.test", "example", "workshop.example"] {
            assert!(!Arc::ptr_eq(&zone, &zone_of(other)), "{other}");
        }
        (0..5_000).for_each(|number| drop(zone_of(&format!("a{number}.example"))));
        assert!(ZONES.lock().as_ref().is_some_and(|zones| zones.len() <= MANY_ZONES + 1));
    }
}
