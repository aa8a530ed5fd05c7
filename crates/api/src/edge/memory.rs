//! Bounds the memory of bodies: of requests while they arrive, of answers until their readers have taken them.
//!
//! Every body over `SMALL` is reserved for its holder (a tenant, a channel of the hooks, or the address of a client
//! without a credential), for its connection, and in total. A holder may reserve at most its own limit, and never more
//! than is left free, so that another holder always finds room. A body that finds no room is refused at once: if it
//! waited, it would hold memory meanwhile.

use std::collections::HashMap;
use std::net::IpAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll};

use axum::body::{Body, Bytes, HttpBody};
use axum::http::Extensions;
use axum::response::{IntoResponse as _, Response};
use domain::{ChannelId, TenantId};
use hyper::body::{Frame, SizeHint};
use parking_lot::Mutex;

use crate::error::ApiError;
use crate::gate::ClientAddress;

/// In bytes. Bodies up to this size are not reserved: the connection's buffers hold as much.
pub(crate) const SMALL: usize = 16 << 10;
/// Bytes reserved for an answer that is produced while it is sent: the page being read, one that waits, one being sent.
const STREAMED: usize = 768 << 10;

/// How much memory bodies may take, and how many answers may be streamed at a time.
#[derive(Debug, Clone, Copy)]
pub struct Bounds {
    /// Bytes of all bodies.
    pub bodies: usize,
    pub bodies_per_tenant: usize,
    pub bodies_per_connection: usize,
    /// Answers that are produced while they are sent: exports, downloads, event streams.
    pub streams_per_tenant: usize,
    /// Bytes of posts to hooks, whose signature is not checked yet.
    pub hooks: usize,
    pub hooks_per_channel: usize,
    /// Time limit for the whole body of a post to a hook to arrive.
    pub hook_body: std::time::Duration,
}

impl Default for Bounds {
    fn default() -> Self {
        Self {
            bodies: 256 << 20,
            bodies_per_tenant: 64 << 20,
            bodies_per_connection: 32 << 20,
            streams_per_tenant: 100,
            hooks: 64 << 20,
            hooks_per_channel: 16 << 20,
            hook_body: std::time::Duration::from_secs(15),
        }
    }
}

/// Whose bodies are counted together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Holder {
    /// The address of a client without a credential.
    Address(IpAddr),
    Tenant(TenantId),
    Channel(ChannelId),
}

/// The bytes that the requests of one connection have reserved together. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub(crate) struct ConnectionMemory(Arc<AtomicUsize>);

/// Adds a new count of reserved memory to the extensions that all requests of a connection get. To be called once for
/// each connection.
pub fn share_in_connection(extensions: &mut Extensions) {
    extensions.insert(ConnectionMemory::default());
}

/// Extension of an answer: the tenant for which its memory is reserved.
#[derive(Debug, Clone, Copy)]
pub(crate) struct AnswerOf(pub TenantId);

/// Extension of a streamed answer: the bytes that it holds in memory at a time, if other than `STREAMED`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct StreamedBytes(pub usize);

#[derive(Debug, Clone)]
pub(crate) struct MemoryBudget(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    all: usize,
    per_holder: usize,
    per_connection: usize,
    streams: usize,
    reserved: Mutex<ReservedMemory>,
}

#[derive(Debug, Default)]
struct ReservedMemory {
    all: usize,
    holders: HashMap<Holder, HolderMemory>,
}

#[derive(Debug, Default, Clone, Copy)]
struct HolderMemory {
    bytes: usize,
    streams: usize,
}

/// Memory that is reserved until this is dropped.
#[derive(Debug)]
pub(crate) struct Reservation {
    budget: MemoryBudget,
    holder: Holder,
    connection: Option<ConnectionMemory>,
    bytes: usize,
    streams: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exhausted {
    Memory,
    Streams { used: usize, max: usize },
}

impl MemoryBudget {
    pub fn for_bodies(bounds: &Bounds) -> Self {
        Self::new(bounds.bodies, bounds.bodies_per_tenant, bounds.bodies_per_connection, bounds.streams_per_tenant)
    }

    pub fn for_hooks(bounds: &Bounds) -> Self {
        Self::new(bounds.hooks, bounds.hooks_per_channel, usize::MAX, usize::MAX)
    }

    fn new(all: usize, per_holder: usize, per_connection: usize, streams: usize) -> Self {
        Self(Arc::new(Shared { all, per_holder, per_connection, streams, reserved: Mutex::default() }))
    }

    /// An empty reservation, which grows as bytes arrive.
    pub fn open(&self, holder: Holder, connection: Option<&ConnectionMemory>) -> Reservation {
        Reservation { budget: self.clone(), holder, connection: connection.cloned(), bytes: 0, streams: 0 }
    }

    /// Reserves the memory of an answer until it is sent. If there is no room, the answer is replaced by an error.
    pub fn reserve_for_answer(
        &self,
        response: Response,
        client: ClientAddress,
        connection: Option<&ConnectionMemory>,
    ) -> Response {
        let (bytes, streams) = match response.body().size_hint().exact() {
            Some(bytes) if bytes <= SMALL as u64 => return response,
            Some(bytes) => (usize::try_from(bytes).unwrap_or(usize::MAX), 0),
            None => (response.extensions().get().map_or(STREAMED, |StreamedBytes(bytes)| *bytes), 1),
        };
        let tenant = response.extensions().get().map(|AnswerOf(tenant)| *tenant);
        let holder = tenant.map_or(Holder::Address(client.0), Holder::Tenant);
        let mut reservation = self.open(holder, connection);
        match reservation.take(bytes, streams) {
            Ok(()) => response.map(|body| Body::new(ReservedBody { body, _reservation: reservation })),
            Err(exhausted) => ApiError::from(exhausted).into_response(),
        }
    }
}

impl Reservation {
    pub fn grow(&mut self, bytes: usize) -> Result<(), Exhausted> {
        self.take(bytes, 0)
    }

    fn take(&mut self, bytes: usize, streams: usize) -> Result<(), Exhausted> {
        let limits = &*self.budget.0;
        let in_connection = self.connection.as_ref().map_or(0, |shared| shared.0.load(Ordering::Relaxed));
        if in_connection > 0 && in_connection.saturating_add(bytes) > limits.per_connection {
            return Err(Exhausted::Memory);
        }
        let mut reserved = limits.reserved.lock();
        let free = limits.all.saturating_sub(reserved.all);
        let one = reserved.holders.get(&self.holder).copied().unwrap_or_default();
        if streams > 0 && one.streams >= limits.streams {
            return Err(Exhausted::Streams { used: one.streams, max: limits.streams });
        }
        if one.bytes.saturating_add(bytes) > free.min(limits.per_holder) {
            return Err(Exhausted::Memory);
        }
        reserved.all += bytes;
        reserved.holders.insert(self.holder, HolderMemory { bytes: one.bytes + bytes, streams: one.streams + streams });
        drop(reserved);
        if let Some(shared) = &self.connection {
            shared.0.fetch_add(bytes, Ordering::Relaxed);
        }
        self.bytes += bytes;
        self.streams += streams;
        Ok(())
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        if self.bytes == 0 && self.streams == 0 {
            return;
        }
        if let Some(shared) = &self.connection {
            shared.0.fetch_sub(self.bytes, Ordering::Relaxed);
        }
        let mut reserved = self.budget.0.reserved.lock();
        reserved.all -= self.bytes;
        if let Some(one) = reserved.holders.get_mut(&self.holder) {
            one.bytes -= self.bytes;
            one.streams -= self.streams;
            if one.bytes == 0 && one.streams == 0 {
                reserved.holders.remove(&self.holder);
            }
        }
    }
}

impl From<Exhausted> for ApiError {
    fn from(exhausted: Exhausted) -> Self {
        match exhausted {
            Exhausted::Memory => Self::overloaded("Too many bodies are being sent and received at once; try again"),
            Exhausted::Streams { used, max } => {
                Self::limit_reached("streams", used as u64, max as u64, "too many responses are being streamed at once")
            }
        }
    }
}

/// Bytes with their reservation, which ends when they are dropped.
struct ReservedBytes {
    bytes: Vec<u8>,
    _reservation: Reservation,
}

impl AsRef<[u8]> for ReservedBytes {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

/// Bytes whose memory stays reserved while they are in use.
pub(crate) fn reserved_bytes(bytes: Vec<u8>, reservation: Reservation) -> Bytes {
    if reservation.bytes == 0 {
        return Bytes::from(bytes);
    }
    Bytes::from_owner(ReservedBytes { bytes, _reservation: reservation })
}

/// A body that keeps its reservation until it is sent or dropped.
struct ReservedBody {
    body: Body,
    _reservation: Reservation,
}

impl HttpBody for ReservedBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KIB: usize = 1024;

    fn budget() -> MemoryBudget {
        MemoryBudget::new(1024 * KIB, 400 * KIB, 300 * KIB, 2)
    }

    fn tenant(number: u32) -> Holder {
        Holder::Tenant(format!("{}", 100_000 + number).parse().unwrap())
    }

    /// Takes pieces of 10 KiB until the budget refuses; returns how many, and the reservation.
    fn take_all(budget: &MemoryBudget, holder: Holder) -> (usize, Reservation) {
        let mut taken = budget.open(holder, None);
        let count = (0..1000).take_while(|_| taken.grow(10 * KIB).is_ok()).count();
        (count, taken)
    }

    #[test]
    fn a_holder_gets_its_limit_and_no_more_and_gives_it_back() {
        let budget = budget();
        let (count, taken) = take_all(&budget, tenant(1));
        assert_eq!(count, 40);
        drop(taken);
        assert_eq!(take_all(&budget, tenant(1)).0, 40);
    }

    #[test]
    fn greedy_holders_leave_room_for_the_next() {
        let budget = budget();
        let held: Vec<_> = (1..=6).map(|number| take_all(&budget, tenant(number))).collect();
        assert!(held.iter().all(|(count, _)| *count > 0), "{:?}", held.iter().map(|one| one.0).collect::<Vec<_>>());
        let all: usize = held.iter().map(|(count, _)| count * 10 * KIB).sum();
        assert!(all < 1024 * KIB);
    }

    #[test]
    fn a_connection_has_its_own_limit() {
        let (budget, connection) = (budget(), ConnectionMemory::default());
        let mut first = budget.open(tenant(1), Some(&connection));
        first.grow(250 * KIB).unwrap();
        assert_eq!(budget.open(tenant(2), Some(&connection)).grow(60 * KIB), Err(Exhausted::Memory));
        assert_eq!(budget.open(tenant(2), Some(&ConnectionMemory::default())).grow(60 * KIB), Ok(()));
        drop(first);
        assert_eq!(budget.open(tenant(2), Some(&connection)).grow(60 * KIB), Ok(()));
    }

    #[test]
    fn streams_are_counted() {
        let budget = budget();
        let mut open: Vec<_> = (0..2).map(|_| budget.open(tenant(1), None)).collect();
        for one in &mut open {
            one.take(KIB, 1).unwrap();
        }
        let refused = budget.open(tenant(1), None).take(KIB, 1);
        assert_eq!(refused, Err(Exhausted::Streams { used: 2, max: 2 }));
        assert_eq!(budget.open(tenant(2), None).take(KIB, 1), Ok(()));
        open.pop();
        assert_eq!(budget.open(tenant(1), None).take(KIB, 1), Ok(()));
    }
}
