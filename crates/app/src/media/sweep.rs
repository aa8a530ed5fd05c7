//! Removes files that no message has: incomplete uploads, files of refused sends and of deleted messages.

use domain::{Id, MediaId, TenantId, Timestamp};

use crate::{App, Result};

/// A younger file may still become part of a message.
const UNUSED_SECONDS: i64 = 86_400;
/// Files of one read.
const BATCH: i64 = 500;

impl App {
    /// Removes files that no message has, a day after they were stored.
    pub async fn sweep_media(&self) -> Result<()> {
        let before = self.now().plus_seconds(-UNUSED_SECONDS);
        for tenant in store::tenants::list(self.db()).await? {
            self.sweep_files_of(tenant.id, before).await?;
        }
        Ok(())
    }

    async fn sweep_files_of(&self, tenant: TenantId, before: Timestamp) -> Result<()> {
        let mut after = Id::from_bytes([0; 12]);
        loop {
            let batch = store::media::list_after(self.db(), tenant, after, BATCH).await?;
            let Some(last) = batch.last() else { return Ok(()) };
            after = last.id;
            for file in batch.iter().filter(|file| !file.used && file.created_at < before) {
                remove_unused(self, tenant, file.id).await?;
            }
        }
    }
}

pub(super) async fn remove_unused(app: &App, tenant: TenantId, id: MediaId) -> Result<bool> {
    let write =
        app.db().write((tenant, id), |tx, (tenant, id)| Box::pin(store::media::remove_unused(tx, *tenant, *id)));
    Ok(write.await?)
}
