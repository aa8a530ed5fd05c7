//! Turns by tenant at what all tenants share: the writer of SQLite, the connections of PostgreSQL, long reads, and
//! work that needs a processor.
//!
//! A request runs inside `for_tenant`; what it asks of the database is queued under its tenant. Work outside of it
//! (background work, commands) is queued together, as if it were one more tenant. A shared resource goes to the tenant
//! that has used the least of it lately, so one tenant, however much it asks for, delays another by about one piece of
//! work.
//!
//! Short reads run on the threads that answer requests. Work that has read for long (`reads.rs`) has become a
//! computation: its further reads take turns at the compute threads.

mod caps;
mod pool;
mod queue;
mod reads;

use std::future::Future;
use std::time::Instant;

use domain::TenantId;

pub(crate) use caps::{TenantCaps, Turn};
pub(crate) use pool::in_place;
pub use pool::{WorkPool, is_computing};
pub(crate) use queue::FairQueue;
use reads::ReadTime;

tokio::task_local! {
    static SCOPE: Scope;
}

/// A piece of work: in whose turns it is done, and how long it has read.
struct Scope {
    party: Party,
    reads: ReadTime,
}

/// The tenant in whose turns a piece of work is done; none for work outside of `for_tenant`.
pub(crate) type Party = Option<TenantId>;

/// Runs `work` in the turns of a tenant. A task that `work` spawns is outside, unless it calls this again.
pub async fn for_tenant<F: Future>(tenant: TenantId, work: F) -> F::Output {
    in_turns_of(Some(tenant), work).await
}

/// Runs a piece of background work, in the turns of all background work.
pub async fn in_background<F: Future>(work: F) -> F::Output {
    in_turns_of(None, work).await
}

fn in_turns_of<F: Future>(party: Party, work: F) -> impl Future<Output = F::Output> {
    SCOPE.scope(Scope { party, reads: ReadTime::default() }, work)
}

/// Keeps `work` in the turns of the tenant that calls this function, when `work` moves to a task or a thread of its
/// own.
pub fn in_same_turns<F: Future>(work: F) -> impl Future<Output = F::Output> {
    in_turns_of(party(), work)
}

pub(crate) fn party() -> Party {
    SCOPE.try_with(|scope| scope.party).ok().flatten()
}

/// Whether the next read may run on the present thread. Work that has no scope has no bound.
pub(crate) fn may_read_here() -> bool {
    SCOPE.try_with(|scope| scope.reads.has_time()).unwrap_or(true)
}

/// Runs a read and counts its time.
pub(crate) fn timed<T>(read: impl FnOnce() -> T) -> T {
    let began = Instant::now();
    let done = read();
    let _ = SCOPE.try_with(|scope| scope.reads.record(began.elapsed()));
    done
}
