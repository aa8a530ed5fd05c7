//! `switchboard tenant`.

use app::media::OwnLimits;
use app::tenants::NewTenant;
use app::{Actor, App};
use clap::{Args, Subcommand};
use domain::TenantId;
use domain::tenants::Tenant;

use super::Context;
use crate::output::Table;

const JSON: &str = "With --json a tenant is {\"id\", \"name\", \"plan\", \"created_at\"}.";
const LIST_JSON: &str = "With --json: an array of {\"id\", \"name\", \"plan\", \"created_at\"}.";

const MEDIA_JSON: &str = "Without an option nothing changes. With --json: {\"stored_bytes\", \"stored_files\", \"quota_mib\", \"keep_days\"}, \
                          with the limits that apply.";

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
    /// Show how many files that people sent are stored for a tenant, and its limits for them; or set limits of its own.
    #[command(after_help = MEDIA_JSON)]
    SetMedia(SetMedia),
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

#[derive(Debug, Args)]
pub struct SetMedia {
    #[command(flatten)]
    tenant: TenantIdArg,
    /// How many MiB of received files may be stored; `default`: media.quota_mib applies.
    #[arg(long, value_name = "MIB")]
    quota_mib: Option<Limit>,
    /// Days for which received files are kept, 0 for no end; `default`: media.keep_days applies.
    #[arg(long, value_name = "DAYS")]
    keep_days: Option<Limit>,
}

/// A limit of the tenant's own, or the installation's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Limit {
    Default,
    Own(u32),
}

impl std::str::FromStr for Limit {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "default" => Ok(Self::Default),
            number => number.parse().map(Self::Own).map_err(|_| "expected a whole number, or `default`"),
        }
    }
}

/// A tenant's id, as an argument or with a flag.
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
            Self::SetMedia(set) => set.run(context, &app).await?,
        }
        Ok(())
    }
}

impl SetMedia {
    async fn run(self, context: &Context, app: &App) -> anyhow::Result<()> {
        let (tenant, media) = (self.tenant.id(), app.media());
        app.tenants().find(tenant).await?;
        if self.quota_mib.is_some() || self.keep_days.is_some() {
            let own = media.own_limits(tenant).await?;
            let quota = match self.quota_mib {
                Some(Limit::Own(mib)) => Some(u64::from(mib) << 20),
                Some(Limit::Default) => None,
                None => own.quota,
            };
            let keep_days = match self.keep_days {
                Some(Limit::Own(days)) => Some(days),
                Some(Limit::Default) => None,
                None => own.keep_days,
            };
            media.set_limits(&Actor::command(), tenant, OwnLimits { quota, keep_days }).await?;
        }
        let (usage, limits) = (media.usage(tenant).await?, media.limits(tenant).await?);
        let shown = serde_json::json!({
            "stored_bytes": usage.bytes, "stored_files": usage.files,
            "quota_mib": limits.quota >> 20, "keep_days": limits.keep_days,
        });
        let text = || {
            let kept = match limits.keep_days {
                0 => "without end".to_owned(),
                days => format!("for {days} days"),
            };
            let (files, mib) = (usage.files, limits.quota >> 20);
            format!("tenant {tenant}: {files} received files, {} of {mib} MiB; kept {kept}", usage.bytes >> 20)
        };
        Ok(context.output.say(&shown, text)?)
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
