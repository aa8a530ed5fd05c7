//! The public address of the installation, which is stored for commands.

use domain::TenantId;
use serde_json::json;

use crate::platform::Platform;
use crate::{Actor, Result};

#[boxed::futures]
impl Platform {
    /// Stores the public address of this server, so that commands on the same database can read it. A change is an
    /// entry in the audit log of the installation.
    pub async fn save_public_url(&self, url: &str) -> Result<()> {
        let before = store::base::installation::public_url(self.db()).await?;
        if before.as_deref() == Some(url) {
            return Ok(());
        }
        let input = (before, url.to_owned(), self.now());
        let write = self.db().write(input, |tx, (before, url, now)| {
            Box::pin(async move {
                store::base::installation::set_public_url(tx, url).await?;
                let details = json!({"before": before, "after": url});
                let (owner, action) = (TenantId::INSTALLATION, "settings.update");
                Actor::system().record(tx, owner, *now, action, "public_url", details).await
            })
        });
        Ok(write.await?)
    }
}
