//! Opens the application for a tenant.

use app::App;
use domain::TenantId;

use crate::commands::Context;

/// The application, after checking that the tenant exists.
pub(super) async fn open_app(context: &Context, tenant: TenantId) -> anyhow::Result<App> {
    let app = context.app().await?;
    app.identity().tenants().find(tenant).await?;
    Ok(app)
}
