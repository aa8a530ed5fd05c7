//! Work in the turns of a tenant, and work that needs much computing.

use domain::TenantId;

use crate::base::Base;
use crate::{Error, Result};

/// Runs `work` in the turns of a tenant: its use of the database and of the pools waits behind other work of the same
/// tenant, and delays the work of other tenants little.
pub fn for_tenant<F: Future>(tenant: TenantId, work: F) -> impl Future<Output = F::Output> {
    store::for_tenant(tenant, work)
}

impl Base {
    /// Runs work that needs much computing on a few threads of its own, in turns by tenant, so that the threads that
    /// answer requests stay free. The work ends when the caller's future is dropped.
    pub async fn compute<T: Send + 'static>(&self, work: impl Future<Output = T> + Send + 'static) -> Result<T> {
        let runtime = tokio::runtime::Handle::current();
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
        let done = self.computing().run(job).await?;
        drop(gone);
        done.ok_or(Error::Store(store::Error::Panicked))
    }
}
