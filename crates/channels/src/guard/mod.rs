//! The address guard: requests to URLs that come from outside (media addresses, tenants' webhooks) reach public
//! addresses only.
//!
//! Each address is judged when the connection is made, after the name is resolved, so a name that resolves to another
//! address the second time (DNS rebinding) is judged again. Addresses in the URL itself are judged before. Private
//! ranges and plain http are permitted only where the setting `webhooks.allow_private` lists the range. Redirects are
//! never followed (`transport.rs`).

mod host_pool;
mod refused;

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::Arc;

use domain::identity::networks::Networks;
use futures_util::future::BoxFuture;
use http::{Request, Response, Uri};
use reqwest::Url;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};

use crate::resolver::{NameResolver, NotResolved};
use crate::transport::{self, Body, HttpTransport, Timeouts, Transport, TransportError};

use host_pool::{HostPool, IDLE_PER_HOST};
pub use refused::Refused;

/// Most connections that are kept open for the next request, unless `keeping_open` sets another number.
const KEPT_OPEN: usize = 256;

/// Permits public addresses and those in `allowed`.
#[derive(Debug, Clone, Default)]
pub struct Guard {
    pub allowed: Networks,
}

#[boxed::futures]
impl Guard {
    pub fn permits(&self, address: IpAddr) -> bool {
        is_public(address) || self.lists(address)
    }

    /// Plain http is permitted only for addresses in `allowed`.
    fn permits_plain(&self, address: IpAddr) -> bool {
        self.lists(address)
    }

    fn lists(&self, address: IpAddr) -> bool {
        self.allowed.contains(address) || self.allowed.contains(unwrapped(address))
    }

    /// Checks what the URL alone shows, before its host is resolved. The resolved address is judged at each connection.
    pub fn check_url(&self, text: &str) -> Result<(), Refused> {
        self.is_plain(text).map(drop)
    }

    /// Checks where the host of a plain URL leads now: at least one of its addresses must be in `allowed`. A host of an
    /// https URL is judged at each connection alone.
    pub async fn check_host(&self, text: &str) -> Result<(), Refused> {
        if !self.is_plain(text)? {
            return Ok(());
        }
        let url = Url::parse(text).map_err(|_| Refused::NotAUrl)?;
        if literal(&url).is_some() {
            return Ok(());
        }
        let found = NameResolver.look_up(url.host_str().unwrap_or_default()).await.unwrap_or_default();
        if found.iter().any(|address| self.permits_plain(address.ip())) { Ok(()) } else { Err(Refused::Scheme) }
    }

    /// Whether the URL is plain http. Parses with the HTTP client's own URL parser, so that no odd spelling of an
    /// address (`http://2130706433/`) gets past the check.
    fn is_plain(&self, text: &str) -> Result<bool, Refused> {
        let url = Url::parse(text).map_err(|_| Refused::NotAUrl)?;
        if !url.username().is_empty() || url.password().is_some() {
            return Err(Refused::Credentials);
        }
        let plain = match url.scheme() {
            "https" => false,
            "http" if !self.allowed.is_empty() => true,
            _ => return Err(Refused::Scheme),
        };
        match literal(&url) {
            Some(address) if plain && !self.permits_plain(address) => Err(Refused::Scheme),
            Some(address) if !self.permits(address) => Err(Refused::Address),
            _ => Ok(plain),
        }
    }
}

/// Whether the address is on the public internet, and not in a special range.
pub fn is_public(address: IpAddr) -> bool {
    match unwrapped(address) {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => is_public_v6(address),
    }
}

/// Unwraps an IPv4 address from a mapped (`::ffff:0:0/96`) or NAT64 (`64:ff9b::/96`) IPv6 address.
fn unwrapped(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(v6) => match v6.segments() {
            [0x64, 0xff9b, 0, 0, 0, 0, high, low] => IpAddr::V4(v4_of(high, low)),
            _ => IpAddr::V6(v6),
        },
        v4 @ IpAddr::V4(_) => v4,
    }
}

fn v4_of(high: u16, low: u16) -> Ipv4Addr {
    Ipv4Addr::from_bits((u32::from(high) << 16) | u32::from(low))
}

/// Excludes IANA's special-purpose ranges, multicast, and the address at which Azure serves its virtual machines.
fn is_public_v4(address: Ipv4Addr) -> bool {
    let special = match address.octets() {
        [168, 63, 129, 16] => true,
        [100, second, ..] => second & 0xc0 == 64,
        [172, second, ..] => second & 0xf0 == 16,
        [192, second, third, _] => {
            matches!((second, third), (0, 0 | 2) | (31, 196) | (52, 193) | (88, 99) | (168, _) | (175, 48))
        }
        [198, second, third, _] => matches!((second, third), (18 | 19, _) | (51, 100)),
        [first, second, third, _] => {
            matches!((first, second, third), (0 | 10 | 127 | 224.., ..) | (169, 254, _) | (203, 0, 113))
        }
    };
    !special
}

/// Global unicast is `2000::/3` without its reserved ranges; everything else is special.
fn is_public_v6(address: Ipv6Addr) -> bool {
    match address.segments() {
        // Not public: addresses for protocols (such as Teredo and ORCHID), addresses for documentation, and 6to4
        // (`2002`), which hides an IPv4 address.
        [0x2001, second, ..] => second >= 0x200 && second != 0xdb8,
        [0x2002, ..] => false,
        [0x3fff, second, ..] => second >= 0x1000,
        [first, ..] => first & 0xe000 == 0x2000,
    }
}

/// HTTP transport whose connections pass the guard.
#[derive(Clone)]
pub struct GuardedTransport {
    guard: Arc<Guard>,
    secure: Clients,
    plain: Clients,
    pool: Arc<HostPool>,
}

/// Two clients that differ in what becomes of a connection after its request.
#[derive(Clone)]
struct Clients {
    /// Keeps it open for the next request.
    pooled: HttpTransport,
    /// Closes it.
    single: HttpTransport,
}

impl fmt::Debug for GuardedTransport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GuardedTransport").field("guard", &self.guard).finish_non_exhaustive()
    }
}

impl GuardedTransport {
    pub fn new(guard: Guard, timeouts: Timeouts) -> reqwest::Result<Self> {
        let look_up: Arc<LookUp> = Arc::new(|name: String| Box::pin(async move { NameResolver.look_up(&name).await }));
        Self::with_look_up(guard, timeouts, &look_up)
    }

    /// Resolves names with `look_up`; tests pass their own.
    fn with_look_up(guard: Guard, timeouts: Timeouts, look_up: &Arc<LookUp>) -> reqwest::Result<Self> {
        let guard = Arc::new(guard);
        let client = |plain, idle| {
            let resolver = Resolver { guard: Arc::clone(&guard), plain, look_up: Arc::clone(look_up) };
            let client = transport::client(timeouts).dns_resolver(resolver).pool_max_idle_per_host(idle);
            client.build().map(HttpTransport::from_client)
        };
        let clients = |plain| {
            Ok::<_, reqwest::Error>(Clients { pooled: client(plain, IDLE_PER_HOST)?, single: client(plain, 0)? })
        };
        let pool = Arc::new(HostPool::new(KEPT_OPEN));
        Ok(Self { secure: clients(false)?, plain: clients(true)?, guard: Arc::clone(&guard), pool })
    }

    /// Keeps at most this many connections open for the next request.
    #[must_use]
    pub fn keeping_open(self, most: usize) -> Self {
        Self { pool: Arc::new(HostPool::new(most)), ..self }
    }

    fn transport_for(&self, uri: &Uri) -> Result<&Clients, Refused> {
        let plain = self.guard.is_plain(&uri.to_string())?;
        Ok(if plain { &self.plain } else { &self.secure })
    }
}

fn literal(url: &Url) -> Option<IpAddr> {
    url.host_str()?.trim_matches(['[', ']']).parse().ok()
}

impl Transport for GuardedTransport {
    fn call(&self, request: Request<Body>) -> BoxFuture<'_, Result<Response<Body>, TransportError>> {
        let clients = match self.transport_for(request.uri()) {
            Ok(clients) => clients,
            Err(refused) => return Box::pin(async move { Err(TransportError::Forbidden(refused.to_string())) }),
        };
        let Some(host) = self.pool.enter(request.uri()) else { return clients.single.call(request) };
        Box::pin(async move {
            let response = clients.pooled.call(request).await?;
            Ok(response.map(|body| transport::holding(body, host)))
        })
    }
}

/// Resolves a name to addresses.
type LookUp = dyn Fn(String) -> BoxFuture<'static, std::io::Result<Vec<SocketAddr>>> + Send + Sync;

/// DNS resolver that returns permitted addresses only, at every connection. The client does not resolve a literal
/// address in the URL, which `is_plain` checks instead.
struct Resolver {
    guard: Arc<Guard>,
    plain: bool,
    look_up: Arc<LookUp>,
}

impl Resolve for Resolver {
    fn resolve(&self, name: Name) -> Resolving {
        let (guard, plain) = (Arc::clone(&self.guard), self.plain);
        let look_up = (self.look_up)(name.as_str().to_owned());
        Box::pin(async move {
            let found = look_up.await.map_err(NotResolved)?;
            let judge = if plain { Guard::permits_plain } else { Guard::permits };
            let may = |address: &SocketAddr| judge(&guard, address.ip());
            let allowed: Vec<SocketAddr> = found.into_iter().filter(may).collect();
            if allowed.is_empty() {
                return Err(Refused::Host.into());
            }
            Ok(Box::new(allowed.into_iter()) as Addrs)
        })
    }
}

#[cfg(test)]
mod tests;
