//! `switchboard tenant`.

mod data;
mod moving;
mod update;

use std::path::PathBuf;

use app::platform::tenants::NewTenant;
use clap::{Args, Subcommand};
use domain::TenantId;
use domain::identity::tenants::Tenant;

use super::Context;
use super::confirmation::Confirmation;
use super::tenant_arg::TenantIdArg;
use crate::output::Table;

const JSON: &str = "With --json: {\"id\", \"name\", \"plan\", \"created_at\", \"suspended_at\"}.";
const LIST_JSON: &str = "With --json: an array of {\"id\", \"name\", \"plan\", \"created_at\", \"suspended_at\"}.";

const EXPORT_HELP: &str = "\
Each row is a JSON object with a member for each column; times are in RFC 3339, ids in hexadecimal. Passwords, tokens \
and other secrets are left out. Tables are read one after another: for a consistent snapshot, suspend the tenant \
first. With --json: {\"folder\", \"rows\": {\"<table>\": count}, \"files\"}.";
const DELETE_HELP: &str = "\
Deleted data can be restored only from a backup of the whole installation. An interrupted deletion can be run again. \
With --json: {\"id\", \"rows\"}.";

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Create a tenant.
    #[command(after_help = JSON)]
    Create(Create),
    /// List all tenants.
    #[command(after_help = LIST_JSON)]
    List,
    /// Show one tenant: its plan, its stored files, how long it keeps records, and what its log-ins require.
    #[command(after_help = update::SHOW_JSON)]
    Show(TenantIdArg),
    /// Change a tenant's plan, storage limits, retention periods, or what its log-ins require.
    #[command(after_help = update::UPDATE_HELP)]
    Update(update::Update),
    /// Suspend a tenant: refuse its credentials and hold back its messages and webhooks until it is resumed.
    #[command(after_help = JSON)]
    Suspend(TenantIdArg),
    /// Resume a suspended tenant, and send the messages and events that were held back.
    #[command(after_help = JSON)]
    Resume(TenantIdArg),
    /// Move a tenant to another worker of a Citus cluster.
    #[command(after_help = moving::MOVE_HELP)]
    Move(moving::Move),
    /// Export all of a tenant's data to a folder: a JSON Lines file for each table, and the message files.
    #[command(after_help = EXPORT_HELP)]
    Export(Export),
    /// Delete a suspended tenant and all of its data.
    #[command(after_help = DELETE_HELP)]
    Delete(Delete),
}

#[derive(Debug, Args)]
pub struct Create {
    #[command(flatten)]
    tenant: NewTenantId,
    /// The tenant's display name.
    #[arg(long)]
    name: String,
    /// One of the configured plans; default: `unlimited`.
    #[arg(long)]
    plan: Option<String>,
    /// Do not add a sandbox channel. By default, a tenant gets one if the sandbox is enabled.
    #[arg(long)]
    no_sandbox: bool,
}

/// The id of a new tenant, as an argument or with a flag.
#[derive(Debug, Args)]
#[group(required = true, multiple = false)]
struct NewTenantId {
    /// The tenant's id: 1 to 18 digits.
    #[arg(value_name = "ID")]
    at: Option<TenantId>,
    /// Same as the ID argument.
    #[arg(long)]
    id: Option<TenantId>,
}

#[derive(Debug, Args)]
pub struct Export {
    #[command(flatten)]
    tenant: TenantIdArg,
    /// A folder that does not exist yet; only its owner can read it.
    #[arg(long, value_name = "FOLDER")]
    output: PathBuf,
}

#[derive(Debug, Args)]
pub struct Delete {
    /// The tenant's id.
    #[arg(value_name = "ID")]
    tenant: TenantId,
    #[command(flatten)]
    confirmation: Confirmation,
}

impl Command {
    pub async fn run(self, context: &Context) -> anyhow::Result<()> {
        let app = context.app().await?;
        let life_cycle = app.platform().tenants();
        match self {
            Self::Create(Create { tenant, name, plan, no_sandbox }) => {
                let id = tenant.id.or(tenant.at).unwrap_or(TenantId::INSTALLATION);
                let new = NewTenant { name, plan, with_sandbox: !no_sandbox };
                let made = life_cycle.create(&app::Command(id), new).await?;
                context
                    .output
                    .print(&made, || format!("tenant {} created: {}, plan {}", made.id, made.name, made.plan))?;
            }
            Self::List => {
                let all = app.identity().tenants().list().await?;
                context.output.print(&all, || table(&all))?;
            }
            Self::Show(which) => update::show(context, &app, &which).await?,
            Self::Update(command) => command.run(context, &app).await?,
            Self::Suspend(which) => {
                let suspended = life_cycle.suspend(&app::Command(which.find(&app).await?)).await?;
                context.wait_for_servers(&app).await;
                context.output.print(&suspended, || {
                    let id = suspended.id;
                    format!("tenant {id} is suspended; to resume it: switchboard tenant resume {id}")
                })?;
            }
            Self::Resume(which) => {
                let resumed = life_cycle.resume(&app::Command(which.find(&app).await?)).await?;
                context.wait_for_servers(&app).await;
                context.output.print(&resumed, || format!("tenant {} is active", resumed.id))?;
            }
            Self::Move(command) => command.run(context, &app).await?,
            Self::Export(command) => command.run(context, &app).await?,
            Self::Delete(command) => command.run(context, &app).await?,
        }
        Ok(())
    }
}

fn table(tenants: &[Tenant]) -> String {
    let mut table = Table::new(&["id", "name", "plan", "created", "suspended"]);
    for tenant in tenants {
        let Tenant { id, name, plan, created_at, suspended_at } = tenant;
        let suspended = suspended_at.map(domain::Timestamp::to_rfc3339).unwrap_or_default();
        table.row([id.to_string(), name.clone(), plan.clone(), created_at.to_rfc3339(), suspended]);
    }
    table.to_text()
}
