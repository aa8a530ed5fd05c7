//! Whose audit log a command reads.

use app::App;
use domain::TenantId;

use crate::commands::tenant_arg::TenantArg;

#[derive(Debug, clap::Args)]
pub(super) struct LogOwner {
    #[command(flatten)]
    tenant: TenantArg,
    /// The log of the installation itself: deleted tenants and changed settings.
    #[arg(long, conflicts_with = "tenant")]
    installation: bool,
}

impl LogOwner {
    /// Fails if the tenant does not exist.
    pub async fn find(&self, app: &App) -> anyhow::Result<TenantId> {
        if self.installation {
            return Ok(TenantId::INSTALLATION);
        }
        self.tenant.find(app).await
    }
}
