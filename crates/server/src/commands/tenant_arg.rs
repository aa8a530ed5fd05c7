//! The tenant of a command: `--tenant`, or an argument of the commands about tenants.

use app::App;
use clap::Args;
use domain::{Place, TenantId};

use super::Context;

/// Ids that are named when several tenants could be meant.
const NAMED: usize = 5;

#[derive(Debug, Args)]
pub struct TenantArg {
    /// The tenant's id; optional if there is only one tenant.
    #[arg(long, value_name = "ID")]
    tenant: Option<TenantId>,
}

impl TenantArg {
    pub const fn of(tenant: TenantId) -> Self {
        Self { tenant: Some(tenant) }
    }

    /// The id, if one was given.
    pub const fn given(&self) -> Option<TenantId> {
        self.tenant
    }

    /// The named tenant, or the only one. Fails if it does not exist.
    pub async fn find(&self, app: &App) -> anyhow::Result<TenantId> {
        find_or_only(app, self.tenant).await
    }

    /// The application, and the caller that acts for this tenant.
    pub async fn open(&self, context: &Context) -> anyhow::Result<(App, app::Command)> {
        let app = context.app().await?;
        let me = self.caller(&app).await?;
        Ok((app, me))
    }

    /// The caller that acts for this tenant.
    pub async fn caller(&self, app: &App) -> anyhow::Result<app::Command> {
        Ok(app::Command(self.find(app).await?))
    }
}

/// A tenant, as an argument or with a flag.
#[derive(Debug, Args)]
#[group(multiple = false)]
pub struct TenantIdArg {
    /// The tenant's id; optional if there is only one tenant.
    #[arg(value_name = "ID")]
    at: Option<TenantId>,
    /// Same as the ID argument.
    #[arg(long, value_name = "ID")]
    tenant: Option<TenantId>,
}

impl TenantIdArg {
    /// The named tenant, or the only one. Fails if it does not exist.
    pub async fn find(&self, app: &App) -> anyhow::Result<TenantId> {
        find_or_only(app, self.tenant.or(self.at)).await
    }
}

/// The tenant of this id, or the only one. Fails if it does not exist.
async fn find_or_only(app: &App, tenant: Option<TenantId>) -> anyhow::Result<TenantId> {
    match tenant {
        Some(tenant) => Ok(app.identity().tenants().find(tenant).await?.id),
        None => only_tenant(app).await,
    }
}

/// The tenant of an installation that has only one.
pub async fn only_tenant(app: &App) -> anyhow::Result<TenantId> {
    let ids: Vec<TenantId> = app.identity().tenants().list().await?.into_iter().map(|tenant| tenant.id).collect();
    match ids[..] {
        [only] => Ok(only),
        [] => Err(app::Error::NotFound(app::Thing::Tenant).into()),
        _ => {
            let some: Vec<String> = ids.iter().take(NAMED).map(ToString::to_string).collect();
            let rest = if ids.len() > NAMED { ", …" } else { "" };
            let message = format!("there are several tenants: name one with --tenant ({}{rest})", some.join(", "));
            Err(app::Error::invalid(Place::named("tenant"), message).into())
        }
    }
}
