//! `switchboard tenant`.

use app::Actor;
use app::tenants::NewTenant;
use clap::{Args, Subcommand};
use domain::TenantId;
use domain::tenants::Tenant;

use super::Context;
use crate::output::Table;

const JSON: &str = "With --json a tenant is {\"id\", \"name\", \"plan\", \"created_at\"}.";
const LIST_JSON: &str = "With --json: an array of {\"id\", \"name\", \"plan\", \"created_at\"}.";

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Create a tenant.
    #[command(after_help = JSON)]
    Create(Create),
    /// List the tenants.
    #[command(after_help = LIST_JSON)]
    List,
    /// Put a tenant on another plan.
    #[command(after_help = JSON)]
    SetPlan(SetPlan),
}

#[derive(Debug, Args)]
pub struct Create {
    #[command(flatten)]
    tenant: TenantIdArg,
    /// Display name of the tenant.
    #[arg(long)]
    name: String,
    /// One of the configured plans; default: `unlimited`.
    #[arg(long)]
    plan: Option<String>,
    /// Do not add a sandbox channel, which a tenant otherwise gets if the sandbox is enabled.
    #[arg(long)]
    no_sandbox: bool,
}

#[derive(Debug, Args)]
pub struct SetPlan {
    #[command(flatten)]
    tenant: TenantIdArg,
    /// One of the configured plans.
    #[arg(long)]
    plan: String,
}

/// A tenant's id, with or without its flag.
#[derive(Debug, Args)]
#[group(required = true, multiple = false)]
struct TenantIdArg {
    /// The tenant's id: 1 to 18 digits.
    #[arg(value_name = "ID")]
    at: Option<TenantId>,
    /// The tenant's id, as an option.
    #[arg(long)]
    id: Option<TenantId>,
}

impl TenantIdArg {
    fn id(&self) -> TenantId {
        self.id.or(self.at).unwrap_or(TenantId::INSTALLATION)
    }
}

impl Command {
    pub async fn run(self, context: &Context) -> anyhow::Result<()> {
        let app = context.app().await?;
        let (tenants, actor) = (app.tenants(), Actor::command());
        match self {
            Self::Create(Create { tenant, name, plan, no_sandbox }) => {
                let new = NewTenant { id: tenant.id(), name, plan, with_sandbox: !no_sandbox };
                let made = tenants.create(&actor, new).await?;
                context
                    .output
                    .say(&made, || format!("tenant {} created: {}, plan {}", made.id, made.name, made.plan))?;
            }
            Self::List => {
                let all = tenants.list().await?;
                context.output.say(&all, || table(&all))?;
            }
            Self::SetPlan(SetPlan { tenant, plan }) => {
                let changed = tenants.set_plan(&actor, tenant.id(), &plan).await?;
                context.wait_for_servers(&app).await;
                context.output.say(&changed, || format!("tenant {} is on plan {} now", changed.id, changed.plan))?;
            }
        }
        Ok(())
    }
}

fn table(tenants: &[Tenant]) -> String {
    let mut table = Table::new(&["id", "name", "plan", "created"]);
    for tenant in tenants {
        let Tenant { id, name, plan, created_at } = tenant;
        table.row([id.to_string(), name.clone(), plan.clone(), created_at.to_rfc3339()]);
    }
    table.to_text()
}
