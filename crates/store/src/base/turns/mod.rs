//! Turns by tenant at what all tenants share: the writer of SQLite, the connections of PostgreSQL, long reads, and
//! work that needs a processor.
//!
//! A request runs inside `for_tenant`; what it asks of the database is queued under its tenant. Work outside of it
//! (background work, commands) is queued together, as if it were one more tenant. A shared resource goes to the tenant
//! that has used the least of it lately, so one tenant, however much it asks for, delays another by about one piece of
//! work.

mod caps;
mod pool;
mod queue;

use std::future::Future;

use domain::TenantId;

pub(crate) use caps::{TenantCaps, Turn};
pub use pool::WorkPool;
pub(crate) use queue::FairQueue;

tokio::task_local! {
    static TENANT: TenantId;
}

/// The tenant in whose turns a piece of work is done; none for work outside of `for_tenant`.
pub(crate) type Party = Option<TenantId>;

/// Runs `work` in the turns of a tenant. A task that `work` spawns is outside, unless it calls this again.
pub async fn for_tenant<F: Future>(tenant: TenantId, work: F) -> F::Output {
    TENANT.scope(tenant, work).await
}

/// Keeps `work` in the turns of the tenant that calls this function, when `work` moves to a task or a thread of its
/// own.
pub fn in_same_turns<F: Future>(work: F) -> impl Future<Output = F::Output> {
    let tenant = party();
    async move {
        match tenant {
            Some(tenant) => for_tenant(tenant, work).await,
            None => work.await,
        }
    }
}

pub(crate) fn party() -> Party {
    TENANT.try_with(|tenant| *tenant).ok()
}
