//! Removes files: those that no message has (incomplete uploads, files of refused sends and of deleted messages),
//! received files whose time is over, and the bytes of a deleted tenant's files.
//!
//! Bytes in the database are deleted with their row. Bytes outside the database are deleted a day after the file was
//! marked as removed, so that a backup finds the files of its snapshot; their row is deleted last, so that a crash
//! leaves no bytes without a row.

use domain::messaging::messages::{FetchFailure, FileStore};
use domain::{Id, MediaId, MessageId, TenantId, Timestamp};
use store::Tx;
use store::messaging::media::FileUse;
use store::messaging::media::fetches::PendingFetch;

use super::Media;
use crate::base::tenant_scan::TenantScan;
use crate::messaging::Messaging;
use crate::{ActsFor, Command, Error, Fault, Result};

/// Seconds for which an unused file is kept, since it may still become part of a message. Bytes of a removed file
/// outside the database are kept for the same time.
const UNUSED_SECONDS: i64 = 86_400;
/// Most files of one read.
const BATCH: i64 = 500;

/// What the sweep does with a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SweepAction {
    Keep,
    RemoveUnused,
    Expire(MessageId),
    Purge(FileStore),
}

#[boxed::futures]
impl Media<'_> {
    /// Removes a file that is not used after all. A file that a message has is kept.
    pub async fn discard(&self, caller: &dyn ActsFor, id: MediaId) -> Result<()> {
        remove_unused(self.0, caller.tenant(), id).await.map(drop)
    }

    /// Removes the file of an erased person and its bytes, also those outside the database, which otherwise stay for a
    /// day. A file that a message of another person or a canned reply has is kept. False if the bytes cannot be deleted
    /// at present.
    pub(crate) async fn erase_file(&self, tenant: TenantId, id: MediaId) -> Result<bool> {
        remove_unused(self.0, tenant, id).await?;
        let left = store::messaging::media::find(self.0.db(), tenant, id).await?;
        match left.filter(|file| file.removed_at.is_some()) {
            Some(file) => purge(self.0, tenant, id, file.place()).await,
            None => Ok(true),
        }
    }

    /// Deletes the bytes of a file whose tenant is being deleted.
    pub(crate) async fn delete_bytes(&self, tenant: TenantId, id: MediaId, store: FileStore) -> Result<()> {
        let deleted = self.0.media_policy().delete(store, tenant, id).await;
        deleted.map_err(|error| {
            tracing::error!(%tenant, file = %id, %error, "the bytes of a file cannot be deleted");
            Error::Fault(Fault::FileStore)
        })
    }
}

#[boxed::futures]
impl Messaging {
    /// Sweeps the files of all tenants: removes those that no message has, a day after they were stored, and received
    /// files whose time is over. Also sets the metric of stored bytes.
    pub async fn sweep_media(&self) -> Result<()> {
        let mut scan = TenantScan::new();
        for tenant in store::identity::tenants::list(self.db()).await?.into_iter().map(|tenant| tenant.id) {
            if !scan.goes_on_after(tenant, self.sweep_media_of(tenant).await) {
                break;
            }
        }
        scan.outcome()?;
        let total = store::messaging::media::usage::total(self.db()).await?;
        #[expect(clippy::cast_precision_loss, reason = "a metric")]
        let total = total as f64;
        metrics::gauge!("switchboard_media_bytes").set(total);
        Ok(())
    }

    async fn sweep_media_of(&self, tenant: TenantId) -> Result<()> {
        self.sweep_files_of(tenant).await?;
        let sweep =
            self.db().write(tenant, |tx, tenant| Box::pin(store::messaging::media::fetches::sweep(tx, *tenant)));
        Ok(sweep.await.map(drop)?)
    }

    async fn sweep_files_of(&self, tenant: TenantId) -> Result<()> {
        let now = self.now();
        let keep_days = self.media().limits(&Command(tenant)).await?.keep_days;
        let expired = (keep_days > 0).then(|| now.plus_seconds(-i64::from(keep_days) * 86_400));
        let mut after = Id::from_bytes([0; 12]);
        loop {
            let batch = store::messaging::media::list_after(self.db(), tenant, after, BATCH).await?;
            let Some(last) = batch.last() else { return Ok(()) };
            after = last.id;
            for file in &batch {
                match sweep_action(file, now.plus_seconds(-UNUSED_SECONDS), expired) {
                    SweepAction::Keep => {}
                    SweepAction::RemoveUnused => drop(remove_unused(self, tenant, file.id).await?),
                    SweepAction::Expire(message) => expire(self, tenant, message, file.id, keep_days).await?,
                    SweepAction::Purge(place) => drop(purge(self, tenant, file.id, place).await?),
                }
            }
        }
    }
}

/// Decides what to do with a file. `before` is a day ago; `expired` is the time before which received files have
/// expired, if they expire.
fn sweep_action(file: &FileUse, before: Timestamp, expired: Option<Timestamp>) -> SweepAction {
    let is_expired = file.used && expired.is_some_and(|expired| file.created_at < expired);
    match (file.removed_at, file.store, file.message_id) {
        (Some(removed), Some(place), _) if removed < before => SweepAction::Purge(place),
        (None, _, Some(message)) if is_expired => SweepAction::Expire(message),
        (None, ..) if !file.used && file.created_at < before => SweepAction::RemoveUnused,
        _ => SweepAction::Keep,
    }
}

pub(super) async fn remove_unused(messaging: &Messaging, tenant: TenantId, id: MediaId) -> Result<bool> {
    let input = (tenant, id, messaging.now());
    let write = messaging
        .db()
        .write(input, |tx, (tenant, id, now)| Box::pin(store::messaging::media::remove_unused(tx, *tenant, *id, *now)));
    Ok(write.await?)
}

/// Removes a file that was not stored completely, at once. A file that a message has is kept: its last transaction was
/// committed, although the writer got an error.
pub(super) async fn remove_unfinished(
    messaging: &Messaging,
    tenant: TenantId,
    id: MediaId,
    place: Option<FileStore>,
) -> Result<()> {
    match place {
        Some(place) if remove_unused(messaging, tenant, id).await? => {
            purge(messaging, tenant, id, place).await.map(drop)
        }
        Some(_) => Ok(()),
        None => remove_unused(messaging, tenant, id).await.map(drop),
    }
}

/// Deletes the bytes of a removed file, then its row. False if the bytes cannot be deleted: then the row stays and the
/// sweep tries again.
async fn purge(messaging: &Messaging, tenant: TenantId, id: MediaId, place: FileStore) -> Result<bool> {
    if let Err(error) = messaging.media_policy().delete(place, tenant, id).await {
        tracing::warn!(%tenant, file = %id, %error, "the bytes of a removed file cannot be deleted; the sweep tries again");
        return Ok(false);
    }
    let write = messaging
        .db()
        .write((tenant, id), |tx, (tenant, id)| Box::pin(store::messaging::media::remove(tx, *tenant, *id)));
    write.await?;
    Ok(true)
}

/// Takes an expired received file from its message, stores the reason for the history, and removes the file.
async fn expire(
    messaging: &Messaging,
    tenant: TenantId,
    message: MessageId,
    id: MediaId,
    keep_days: u32,
) -> Result<()> {
    let detail = format!("received files are kept for {keep_days} days");
    let input = (tenant, message, id, detail, messaging.now());
    let write = messaging.db().write(input, |tx, (tenant, message, id, detail, now)| {
        Box::pin(expire_in(tx, *tenant, *message, *id, detail, *now))
    });
    Ok(write.await?)
}

async fn expire_in(
    tx: &mut Tx<'_>,
    tenant: TenantId,
    message_id: MessageId,
    id: MediaId,
    detail: &str,
    now: Timestamp,
) -> store::Result<()> {
    let Some(message) = store::messaging::messages::by_id_for_update(tx, tenant, message_id).await? else {
        return Ok(());
    };
    if !store::messaging::media::detach(tx, tenant, message_id, id).await? {
        return Ok(());
    }
    let ended = PendingFetch {
        due_at: None,
        failure: Some(FetchFailure::Expired),
        detail: Some(detail.to_owned()),
        ..PendingFetch::new(message_id, message.channel_id, now)
    };
    store::messaging::media::fetches::set_ended(tx, tenant, &ended).await?;
    store::messaging::media::remove_unused(tx, tenant, id, now).await.map(drop)
}
