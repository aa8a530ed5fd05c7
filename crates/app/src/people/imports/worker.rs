//! The work of the import worker: processes uploaded imports one after the other, and deletes old ones.

use std::time::Duration;

use store::Engine;

use super::index::{entries_at_once, index_contacts};
use super::lease::{ImportLease, LEASE_SECONDS, new_holder};
use super::run::{RunControl, claim, release, run};
use super::source::ByteSource;
use super::upload;
use crate::base::compute::{apart, for_tenant};
use crate::people::People;
use crate::{Error, Result};

/// An import and its results are kept this many days after its last change.
const KEPT_DAYS: i64 = 30;
/// An upload that is not complete after this time is deleted by the sweep.
const UPLOAD_SECONDS: i64 = 6 * 3600;

#[boxed::futures]
impl People {
    /// Waits until an import is created in this process.
    pub async fn import_created(&self) {
        self.import_wakeup().woken().await;
    }

    /// Processes uploaded imports that no process holds, and those whose lease has run out, until there are none or
    /// `stop` returns true. If the database fails, or is overloaded, the round ends with its error and the import can
    /// be claimed again; an import that fails for another reason ends as failed. Before, indexes what imports that do
    /// not go on have left; if that fails, it is tried again when its lease has run out.
    ///
    /// One import runs at a time, in the turns of its tenant and on a thread apart from those that answer requests.
    pub async fn process_imports(&self, stop: &(dyn Fn() -> bool + Sync)) -> Result<()> {
        // Only imports into SQLite leave anything.
        while self.db().engine() == Engine::Sqlite
            && let Some((tenant, import)) = store::people::imports::next_unindexed(self.db(), self.now()).await?
            && !stop()
        {
            let lease = ImportLease { tenant, import, holder: new_holder() };
            match apart(for_tenant(tenant, self.index_left(&lease, &stop))).await {
                Ok(()) | Err(Error::Conflict { .. }) => {}
                Err(Error::Store(error)) if ends_round(&error) => return Err(error.into()),
                Err(error) => tracing::error!(%error, %tenant, %import, "imported contacts could not be indexed"),
            }
        }
        while !stop()
            && let Some((tenant, import)) = store::people::imports::next_queued(self.db(), self.now()).await?
        {
            let lease = ImportLease { tenant, import, holder: new_holder() };
            match apart(for_tenant(tenant, self.process(&lease, &stop))).await {
                Ok(()) | Err(Error::Conflict { .. }) => {}
                Err(Error::Store(error)) if ends_round(&error) => {
                    // Any node may claim the import again. If the release fails too, the lease runs out.
                    let _ = release(self, &lease).await;
                    return Err(error.into());
                }
                Err(error) => {
                    tracing::error!(%error, %import, "an import failed");
                    self.give_up(&lease).await?;
                }
            }
        }
        Ok(())
    }

    /// Indexes the contacts that an import has left without index entries. If that fails, the lease stays until it runs
    /// out, so that other imports have their turn first.
    async fn index_left(&self, lease: &ImportLease, stop: &(dyn Fn() -> bool + Sync)) -> Result<()> {
        let now = self.now();
        let input = (lease.clone(), now, now.plus_seconds(LEASE_SECONDS));
        let claim = self.db().write(input, |tx, (lease, now, until)| {
            let ImportLease { tenant, import, holder } = lease;
            Box::pin(store::people::imports::claim_to_index(tx, *tenant, *import, holder, *now, *until))
        });
        if claim.await? {
            index_contacts(self, lease, &mut entries_at_once(self), stop).await?;
            release(self, lease).await?;
        }
        Ok(())
    }

    async fn process(&self, lease: &ImportLease, stop: &(dyn Fn() -> bool + Sync)) -> Result<()> {
        let ImportLease { tenant, import, .. } = *lease;
        if !claim(self, lease).await? {
            return Ok(());
        }
        let Some(found) = store::people::imports::find(self.db(), tenant, import).await? else { return Ok(()) };
        let source = ByteSource::Pieces { db: self.db().clone(), tenant, import, at: 0 };
        let mut control = RunControl { progress: &mut |_| {}, stop, batch_rows: None, pause: Duration::ZERO };
        run(self, lease.clone(), &found, source, &mut control).await.map(drop)
    }

    /// Ends an import as failed after an internal error, if this process still holds its lease; the rows of its stored
    /// batches stay imported, and the next round indexes them. A retry would fail again and delay the other imports.
    async fn give_up(&self, lease: &ImportLease) -> Result<()> {
        let input = (lease.clone(), self.now().to_millis());
        let write = self.db().write(input, |tx, (lease, now)| {
            let error = "something went wrong here; the rows up to this point are imported. See the server's log";
            Box::pin(async move {
                let locked =
                    store::people::imports::lock_position(tx, lease.tenant, lease.import, &lease.holder).await?;
                match locked {
                    Some(_) => store::people::imports::finish(tx, lease.tenant, lease.import, Some(error), *now).await,
                    None => Ok(()),
                }
            })
        });
        write.await?;
        Ok(upload::drop_pieces(self, lease.tenant, lease.import).await?)
    }

    /// Deletes imports that last changed more than `KEPT_DAYS` ago, and uploads that began more than `UPLOAD_SECONDS`
    /// ago and are not complete. The imported contacts stay.
    pub async fn sweep_imports(&self) -> Result<()> {
        let now = self.now();
        let (then, uploads) = (now.plus_seconds(-KEPT_DAYS * 86_400), now.plus_seconds(-UPLOAD_SECONDS));
        loop {
            let old = store::people::imports::old(self.db(), then, uploads).await?;
            if old.is_empty() {
                return Ok(());
            }
            for (tenant, id) in old {
                upload::remove(self.clone(), tenant, id).await?;
            }
        }
    }
}

/// Whether the failure is one of the database, and not of what was to be done: then any node may try again.
const fn ends_round(error: &store::Error) -> bool {
    matches!(error, store::Error::Unavailable(_) | store::Error::TryAgain(_) | store::Error::Overloaded)
}
