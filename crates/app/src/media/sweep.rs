//! Files that nothing came of: uploads that broke off, sends that were refused, messages that are gone.

use domain::{Id, MediaId, TenantId, Timestamp};

use crate::{App, Result};

/// Until then a file may still become part of a message.
const PATIENCE_SECONDS: i64 = 86_400;
/// Files looked at in one read.
const STRETCH: i64 = 500;

impl App {
    /// Removes files that no message has, a day after they came.
    pub async fn sweep_media(&self) -> Result<()> {
        let before = self.now().plus_seconds(-PATIENCE_SECONDS);
        for tenant in store::tenants::list(self.db()).await? {
            self.sweep_files_of(tenant.id, before).await?;
        }
        Ok(())
    }

    async fn sweep_files_of(&self, tenant: TenantId, before: Timestamp) -> Result<()> {
        let mut after = Id::from_bytes([0; 12]);
        loop {
            let stretch = store::media::list_after(self.db(), tenant, after, STRETCH).await?;
            let Some(last) = stretch.last() else { return Ok(()) };
            after = last.id;
            for file in stretch.iter().filter(|file| !file.used && file.created_at < before) {
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
