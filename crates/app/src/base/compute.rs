//! Work in the turns of a tenant, and work that needs much computing.
//!
//! Reads need nothing of this: a loop over many rows takes turns at the compute threads by itself
//! (`crates/store/src/base/turns/reads.rs`). What computes much besides its reads runs in `Base::compute`, or `apart`.

use domain::TenantId;
use tokio::runtime::{Handle, RuntimeFlavor};

use crate::base::Base;
use crate::{Error, Result};

/// Runs `work` in the turns of a tenant: its use of the database and of the pools waits behind other work of the same
/// tenant, and delays the work of other tenants little.
pub fn for_tenant<F: Future>(tenant: TenantId, work: F) -> impl Future<Output = F::Output> {
    store::for_tenant(tenant, work)
}

/// Runs a round of background work, in the turns of all background work.
pub fn in_background<F: Future>(work: F) -> impl Future<Output = F::Output> {
    store::in_background(work)
}

/// Runs long work that computes much between its waits on the present thread, apart from those that answer requests: a
/// multi-threaded runtime moves its other tasks away first. For work of which a node does one piece at a time.
pub(crate) async fn apart<F: Future>(work: F) -> F::Output {
    let runtime = Handle::current();
    if runtime.runtime_flavor() == RuntimeFlavor::MultiThread {
        tokio::task::block_in_place(|| runtime.block_on(work))
    } else {
        work.await
    }
}

impl Base {
    /// Runs work that needs much computing on a few threads of its own, in turns by tenant, so that the threads that
    /// answer requests stay free. The work ends when the caller's future is dropped. It must not wait for reads of
    /// another task: they may wait for the thread that it holds.
    pub async fn compute<T: Send + 'static>(&self, work: impl Future<Output = T> + Send + 'static) -> Result<T> {
        let runtime = Handle::current();
        let (gone, ended) = tokio::sync::oneshot::channel::<()>();
        let work = store::in_same_turns(work);
        let job = move || {
            runtime.block_on(async {
                tokio::select! {
                    biased;
                    _ = ended => None,
                    done = work => Some(done),
                }
            })
        };
        let done = self.db().computing().run(job).await?;
        drop(gone);
        done.ok_or(Error::Store(store::Error::Panicked))
    }
}
