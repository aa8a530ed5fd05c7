//! Whose audit log a command reads.

use anyhow::Context as _;
use app::App;
use domain::TenantId;

#[derive(Debug, clap::Args)]
pub(super) struct LogOwner {
    /// The tenant's id.
    #[arg(long, value_name = "ID", required_unless_present = "installation")]
    tenant: Option<TenantId>,
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
        let tenant = self.tenant.context("--tenant is missing")?;
        Ok(app.identity().tenants().find(tenant).await?.id)
    }
}
