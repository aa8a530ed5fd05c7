//! `switchboard tenant`.

mod data;

use std::path::PathBuf;

use app::App;
use app::messaging::media::OwnLimits;
use app::platform::retention::KeptDays;
use app::platform::tenants::NewTenant;
use clap::{Args, Subcommand};
use domain::TenantId;
use domain::identity::networks::{Networks, NotANetwork};
use domain::identity::tenants::Tenant;
use domain::platform::retention::RetentionKind;

use super::Context;
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
const MEDIA_JSON: &str = "\
Without options, nothing changes. With --json: {\"stored_bytes\", \"stored_files\", \"quota_mib\", \"keep_days\"}, \
with the limits in force.";

const RETENTION_JSON: &str = "\
Each option takes a number of days, 0 to keep records forever, or `default` to use the installation's setting. Older \
records are deleted within an hour, in small batches. Without options, nothing changes. With --json: {\"<kind>\": \
{\"days\", \"own\"}}; own is false if the installation's setting applies.";
const SECURITY_JSON: &str = "\
Without options, nothing changes. With --json: {\"second_factor_required\", \"single_sign_on_required\", \
\"networks\"}.";

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Create a tenant.
    #[command(after_help = JSON)]
    Create(Create),
    /// List all tenants.
    #[command(after_help = LIST_JSON)]
    List,
    /// Change a tenant's plan.
    #[command(after_help = JSON)]
    SetPlan(SetPlan),
    /// Suspend a tenant: refuse its credentials and hold back its messages and webhooks until it is resumed.
    #[command(after_help = JSON)]
    Suspend(One),
    /// Resume a suspended tenant, and send the messages and events that were held back.
    #[command(after_help = JSON)]
    Resume(One),
    /// Export all of a tenant's data to a folder: a JSON Lines file for each table, and the message files.
    #[command(after_help = EXPORT_HELP)]
    Export(Export),
    /// Delete a suspended tenant and all of its data.
    #[command(after_help = DELETE_HELP)]
    Delete(Delete),
    /// Show how many received files are stored for a tenant and which limits apply, or set limits for this tenant.
    #[command(after_help = MEDIA_JSON)]
    SetMedia(SetMedia),
    /// Show how many days a tenant keeps each kind of record, or set retention periods for this tenant.
    #[command(after_help = RETENTION_JSON)]
    SetRetention(SetRetention),
    /// Show or set what a tenant's log-ins require: a second factor, single sign-on, or certain networks.
    ///
    /// If a second factor is required, people who log in with a password must add one before anything else. Log-ins
    /// through an OpenID Connect provider are exempt. If single sign-on is required, passwords are refused. The API and
    /// its tokens are not affected.
    #[command(after_help = SECURITY_JSON)]
    SetSecurity(SetSecurity),
}

#[derive(Debug, Args)]
pub struct Create {
    #[command(flatten)]
    tenant: TenantIdArg,
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

#[derive(Debug, Args)]
pub struct One {
    #[command(flatten)]
    tenant: TenantIdArg,
}

#[derive(Debug, Args)]
pub struct Export {
    #[command(flatten)]
    tenant: TenantIdArg,
    /// A folder that does not exist yet; only its owner can read it.
    #[arg(long)]
    to: PathBuf,
}

#[derive(Debug, Args)]
pub struct Delete {
    #[command(flatten)]
    tenant: TenantIdArg,
    /// Delete without asking for confirmation.
    #[arg(long)]
    yes: bool,
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
    /// How many MiB of received files may be stored, or `default` to use media.quota_mib.
    #[arg(long, value_name = "MIB")]
    quota_mib: Option<Limit>,
    /// How many days received files are kept: 0 for no limit, or `default` to use media.keep_days.
    #[arg(long, value_name = "DAYS")]
    keep_days: Option<Limit>,
}

/// Each option: a number of days, 0 to keep records forever, or `default` to use the installation's setting.
#[derive(Debug, Args)]
pub struct SetRetention {
    #[command(flatten)]
    tenant: TenantIdArg,
    /// How many days messages and notes are kept.
    #[arg(long, value_name = "DAYS")]
    messages: Option<Limit>,
    /// How many days network reports other than messages are kept.
    #[arg(long, value_name = "DAYS")]
    network_reports: Option<Limit>,
    /// How many days parked records are kept: records from the network that could not be applied.
    #[arg(long, value_name = "DAYS")]
    parked: Option<Limit>,
    /// How many days hits on tracked links are kept.
    #[arg(long, value_name = "DAYS")]
    clicks: Option<Limit>,
    /// How many days audit log entries are kept.
    #[arg(long, value_name = "DAYS")]
    audit: Option<Limit>,
}

#[derive(Debug, Args)]
pub struct SetSecurity {
    #[command(flatten)]
    tenant: TenantIdArg,
    /// Whether password log-ins require a second factor.
    #[arg(long, value_name = "BOOL")]
    require_second_factor: Option<bool>,
    /// Whether people must log in with an OpenID Connect provider of the tenant (oidc.providers).
    #[arg(long, value_name = "BOOL")]
    require_single_sign_on: Option<bool>,
    /// The addresses and ranges from which the console can be used, separated by commas, or `any`.
    #[arg(long, value_name = "NETWORKS", value_parser = console_networks)]
    networks: Option<Networks>,
}

fn console_networks(text: &str) -> Result<Networks, NotANetwork> {
    match text {
        "any" => Ok(Networks::default()),
        list => Networks::parse(list.split(',').map(str::trim)),
    }
}

/// A limit of the tenant's own, or the installation's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Limit {
    Default,
    Own(u32),
}

impl Limit {
    const fn own(self) -> Option<u32> {
        match self {
            Self::Default => None,
            Self::Own(limit) => Some(limit),
        }
    }
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
    /// Same as the ID argument.
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
        let (tenants, life_cycle) = (app.identity().tenants(), app.platform().tenants());
        match self {
            Self::Create(Create { tenant, name, plan, no_sandbox }) => {
                let new = NewTenant { name, plan, with_sandbox: !no_sandbox };
                let made = life_cycle.create(&app::Command(tenant.id()), new).await?;
                context
                    .output
                    .print(&made, || format!("tenant {} created: {}, plan {}", made.id, made.name, made.plan))?;
            }
            Self::List => {
                let all = tenants.list().await?;
                context.output.print(&all, || table(&all))?;
            }
            Self::SetPlan(SetPlan { tenant, plan }) => {
                let changed = tenants.set_plan(&app::Command(tenant.id()), &plan).await?;
                context.wait_for_servers(&app).await;
                context.output.print(&changed, || format!("tenant {} is now on plan {}", changed.id, changed.plan))?;
            }
            Self::Suspend(One { tenant }) => {
                let suspended = life_cycle.suspend(&app::Command(tenant.id())).await?;
                context.wait_for_servers(&app).await;
                context.output.print(&suspended, || {
                    let id = suspended.id;
                    format!("tenant {id} is suspended; to resume it: switchboard tenant resume {id}")
                })?;
            }
            Self::Resume(One { tenant }) => {
                let resumed = life_cycle.resume(&app::Command(tenant.id())).await?;
                context.wait_for_servers(&app).await;
                context.output.print(&resumed, || format!("tenant {} is active", resumed.id))?;
            }
            Self::Export(export) => export.run(context, &app).await?,
            Self::Delete(delete) => delete.run(context, &app).await?,
            Self::SetMedia(set) => set.run(context, &app).await?,
            Self::SetRetention(set) => set.run(context, &app).await?,
            Self::SetSecurity(set) => set.run(context, &app).await?,
        }
        Ok(())
    }
}

impl SetMedia {
    async fn run(self, context: &Context, app: &App) -> anyhow::Result<()> {
        let (tenant, media) = (self.tenant.id(), app.messaging().media());
        let me = app::Command(tenant);
        app.identity().tenants().find(tenant).await?;
        if self.quota_mib.is_some() || self.keep_days.is_some() {
            let own = media.own_limits(&me).await?;
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
            media.set_limits(&me, OwnLimits { quota, keep_days }).await?;
        }
        let (usage, limits) = (media.usage(&me).await?, media.limits(&me).await?);
        let shown = serde_json::json!({
            "stored_bytes": usage.bytes, "stored_files": usage.files,
            "quota_mib": limits.quota >> 20, "keep_days": limits.keep_days,
        });
        let text = || {
            let kept = match limits.keep_days {
                0 => "forever".to_owned(),
                days => format!("for {days} days"),
            };
            let (files, mib) = (usage.files, limits.quota >> 20);
            format!("tenant {tenant}: {files} received files, {} of {mib} MiB; kept {kept}", usage.bytes >> 20)
        };
        Ok(context.output.print(&shown, text)?)
    }
}

impl SetRetention {
    async fn run(self, context: &Context, app: &App) -> anyhow::Result<()> {
        let (tenant, retention) = (self.tenant.id(), app.platform().retention());
        let me = app::Command(tenant);
        app.identity().tenants().find(tenant).await?;
        let given = [
            (RetentionKind::Messages, self.messages),
            (RetentionKind::NetworkReports, self.network_reports),
            (RetentionKind::Parked, self.parked),
            (RetentionKind::Clicks, self.clicks),
            (RetentionKind::Audit, self.audit),
        ];
        let changes: Vec<_> = given.into_iter().filter_map(|(kind, days)| Some((kind, days?.own()))).collect();
        if !changes.is_empty() {
            retention.set(&me, &changes).await?;
        }
        let kept = retention.of_tenant(&me).await?;
        let shown: serde_json::Map<_, _> = kept
            .iter()
            .map(|it| (it.kind.name().to_owned(), serde_json::json!({"days": it.days, "own": it.own})))
            .collect();
        let text = || {
            let mut table = Table::new(&["kind", "kept", "set by"]);
            for one in kept.iter().copied() {
                table.row(kept_row(one));
            }
            table.to_text()
        };
        Ok(context.output.print(&shown, text)?)
    }
}

fn kept_row(kept: KeptDays) -> [String; 3] {
    let days = if kept.days == 0 { "forever".to_owned() } else { format!("{} days", kept.days) };
    let set_by = if kept.own { "the tenant" } else { "the installation" };
    [kept.kind.name().replace('_', " "), days, set_by.to_owned()]
}

impl SetSecurity {
    async fn run(self, context: &Context, app: &App) -> anyhow::Result<()> {
        let (tenant, factors) = (self.tenant.id(), app.identity().second_factors());
        let (me, console) = (app::Command(tenant), app.identity().console_access());
        app.identity().tenants().find(tenant).await?;
        if let Some(required) = self.require_second_factor {
            factors.set_required(&me, required).await?;
        }
        let mut access = console.show(&me).await?;
        if self.require_single_sign_on.is_some() || self.networks.is_some() {
            access.single_sign_on = self.require_single_sign_on.unwrap_or(access.single_sign_on);
            access.networks = self.networks.unwrap_or(access.networks);
            console.set(&me, access.clone(), None).await?;
        }
        let required = factors.is_required(&me).await?;
        let shown = serde_json::json!({
            "second_factor_required": required, "single_sign_on_required": access.single_sign_on,
            "networks": access.networks,
        });
        let text = || {
            let asked = if required { "require" } else { "do not require" };
            let mut lines = vec![format!("tenant {tenant}: password log-ins {asked} a second factor")];
            if access.single_sign_on {
                lines.push("only log-ins through the tenant's identity provider are accepted".to_owned());
            }
            if !access.networks.is_empty() {
                lines.push(format!("the console can be used from {}", access.networks.to_text()));
            }
            lines.join("\n")
        };
        Ok(context.output.print(&shown, text)?)
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
