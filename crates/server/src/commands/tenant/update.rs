//! `switchboard tenant show` and `update`: the name, the plan, and what applies to a tenant instead of the
//! installation's settings.

use app::App;
use app::messaging::media::OwnLimits;
use app::platform::retention::KeptDays;
use clap::Args;
use domain::identity::memberships::ConsoleAccess;
use domain::identity::networks::{Networks, NotANetwork};
use domain::identity::tenants::Tenant;
use domain::platform::retention::RetentionKind;
use serde_json::{Map, Value, json};

use crate::commands::Context;
use crate::commands::tenant_arg::TenantIdArg;
use crate::output::Table;

pub const SHOW_JSON: &str = "\
With --json: {\"id\", \"name\", \"plan\", \"created_at\", \"suspended_at\", \"media\": {\"stored_bytes\", \"stored_files\", \
\"quota_mib\", \"keep_days\"}, \"retention\": {\"<kind>\": {\"days\", \"own\"}}, \"security\": {\"second_factor_required\", \
\"single_sign_on_required\", \"networks\"}}; own is false if the installation's setting applies.";
pub const UPDATE_HELP: &str = "\
Each limit takes a number, 0 to keep records forever, or `default` to use the installation's setting. Older records are \
deleted within an hour, in small batches. The API and its tokens are not affected by what log-ins require.
With --json: the tenant, as in `switchboard tenant show`.

Examples:
  switchboard tenant update 100138 --plan business --name \"Acme Ltd\"
  switchboard tenant update 100138 --keep-messages 365 --keep-clicks default
  switchboard tenant update 100138 --require-second-factor true";

#[derive(Debug, Args)]
pub struct Update {
    #[command(flatten)]
    tenant: TenantIdArg,
    #[command(flatten)]
    changes: Changes,
}

#[derive(Debug, Args)]
#[group(required = true, multiple = true)]
struct Changes {
    /// The name that the tenant's members see.
    #[arg(long)]
    name: Option<String>,
    /// One of the configured plans.
    #[arg(long)]
    plan: Option<String>,
    /// How many MiB of received files may be stored.
    #[arg(long, value_name = "MIB")]
    media_quota_mib: Option<Limit>,
    /// How many days received files are kept.
    #[arg(long, value_name = "DAYS")]
    keep_media: Option<Limit>,
    /// How many days messages and notes are kept.
    #[arg(long, value_name = "DAYS")]
    keep_messages: Option<Limit>,
    /// How many days network reports other than messages are kept.
    #[arg(long, value_name = "DAYS")]
    keep_network_reports: Option<Limit>,
    /// How many days parked records are kept: records from the network that could not be applied.
    #[arg(long, value_name = "DAYS")]
    keep_parked: Option<Limit>,
    /// How many days hits on tracked links are kept.
    #[arg(long, value_name = "DAYS")]
    keep_clicks: Option<Limit>,
    /// How many days audit log entries are kept.
    #[arg(long, value_name = "DAYS")]
    keep_audit: Option<Limit>,
    /// Whether people who log in with a password must have a second factor. Those without one add it at the next
    /// log-in; log-ins through an OpenID Connect provider are exempt.
    #[arg(long, value_name = "BOOL")]
    require_second_factor: Option<bool>,
    /// Whether people must log in with an OpenID Connect provider of the tenant (oidc.providers); passwords are then
    /// refused.
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

impl Update {
    pub async fn run(self, context: &Context, app: &App) -> anyhow::Result<()> {
        let me = app::Command(self.tenant.find(app).await?);
        if let Some(name) = &self.changes.name {
            app.identity().tenants().rename(&me, name).await?;
        }
        if let Some(plan) = &self.changes.plan {
            app.identity().tenants().set_plan(&me, plan).await?;
            context.wait_for_servers(app).await;
        }
        self.changes.set_media(app, me).await?;
        self.changes.set_retention(app, me).await?;
        self.changes.set_security(app, me).await?;
        let changed = TenantView::read(app, me).await?.as_json()?;
        Ok(context.output.print(&changed, || format!("tenant {} updated", me.0))?)
    }
}

impl Changes {
    async fn set_media(&self, app: &App, me: app::Command) -> anyhow::Result<()> {
        if self.media_quota_mib.is_none() && self.keep_media.is_none() {
            return Ok(());
        }
        let media = app.messaging().media();
        let own = media.own_limits(&me).await?;
        let quota = match self.media_quota_mib {
            Some(limit) => limit.own().map(|mib| u64::from(mib) << 20),
            None => own.quota,
        };
        let keep_days = match self.keep_media {
            Some(limit) => limit.own(),
            None => own.keep_days,
        };
        media.set_limits(&me, OwnLimits { quota, keep_days }).await?;
        Ok(())
    }

    async fn set_retention(&self, app: &App, me: app::Command) -> anyhow::Result<()> {
        let given = [
            (RetentionKind::Messages, self.keep_messages),
            (RetentionKind::NetworkReports, self.keep_network_reports),
            (RetentionKind::Parked, self.keep_parked),
            (RetentionKind::Clicks, self.keep_clicks),
            (RetentionKind::Audit, self.keep_audit),
        ];
        let changes: Vec<_> = given.into_iter().filter_map(|(kind, days)| Some((kind, days?.own()))).collect();
        if !changes.is_empty() {
            app.platform().retention().set(&me, &changes).await?;
        }
        Ok(())
    }

    async fn set_security(&self, app: &App, me: app::Command) -> anyhow::Result<()> {
        if let Some(required) = self.require_second_factor {
            app.identity().second_factors().set_required(&me, required).await?;
        }
        if self.require_single_sign_on.is_some() || self.networks.is_some() {
            let console = app.identity().console_access();
            let mut access = console.show(&me).await?;
            access.single_sign_on = self.require_single_sign_on.unwrap_or(access.single_sign_on);
            access.networks = self.networks.clone().unwrap_or(access.networks);
            console.set(&me, access, None).await?;
        }
        Ok(())
    }
}

pub async fn show(context: &Context, app: &App, which: &TenantIdArg) -> anyhow::Result<()> {
    let me = app::Command(which.find(app).await?);
    let view = TenantView::read(app, me).await?;
    Ok(context.output.print(&view.as_json()?, || view.to_text())?)
}

/// A tenant with what applies to it.
struct TenantView {
    tenant: Tenant,
    stored_bytes: u64,
    stored_files: u64,
    quota_mib: u64,
    keep_days: u32,
    kept: Vec<KeptDays>,
    second_factor_required: bool,
    access: ConsoleAccess,
}

impl TenantView {
    async fn read(app: &App, me: app::Command) -> anyhow::Result<Self> {
        let media = app.messaging().media();
        let (usage, limits) = (media.usage(&me).await?, media.limits(&me).await?);
        Ok(Self {
            tenant: app.identity().tenants().find(me.0).await?,
            stored_bytes: usage.bytes,
            stored_files: usage.files,
            quota_mib: limits.quota >> 20,
            keep_days: limits.keep_days,
            kept: app.platform().retention().of_tenant(&me).await?,
            second_factor_required: app.identity().second_factors().is_required(&me).await?,
            access: app.identity().console_access().show(&me).await?,
        })
    }

    fn as_json(&self) -> anyhow::Result<Value> {
        let mut shown = serde_json::to_value(&self.tenant)?;
        shown["media"] = json!({
            "stored_bytes": self.stored_bytes, "stored_files": self.stored_files,
            "quota_mib": self.quota_mib, "keep_days": self.keep_days,
        });
        let kept = self.kept.iter().map(|it| (it.kind.name().to_owned(), json!({"days": it.days, "own": it.own})));
        shown["retention"] = Value::Object(kept.collect::<Map<_, _>>());
        shown["security"] = json!({
            "second_factor_required": self.second_factor_required,
            "single_sign_on_required": self.access.single_sign_on, "networks": self.access.networks,
        });
        Ok(shown)
    }

    fn to_text(&self) -> String {
        let Tenant { id, name, plan, created_at, suspended_at } = &self.tenant;
        let mut table = Table::new(&["what", "value"]);
        let mut row = |what: &str, value: String| table.row([what.to_owned(), value]);
        row("id", id.to_string());
        row("name", name.clone());
        row("plan", plan.clone());
        row("created", created_at.to_rfc3339());
        row("suspended", suspended_at.map(domain::Timestamp::to_rfc3339).unwrap_or_default());
        let (stored, quota) = (self.stored_bytes >> 20, self.quota_mib);
        row("received files", format!("{}, {stored} of {quota} MiB", self.stored_files));
        row("received files kept", days(self.keep_days));
        for one in &self.kept {
            let set_by = if one.own { " (set for this tenant)" } else { "" };
            row(&format!("{} kept", one.kind.name().replace('_', " ")), format!("{}{set_by}", days(one.days)));
        }
        let required = |is: bool| if is { "required" } else { "not required" }.to_owned();
        row("second factor", required(self.second_factor_required));
        row("single sign-on", required(self.access.single_sign_on));
        let networks = &self.access.networks;
        row("console networks", if networks.is_empty() { "any".to_owned() } else { networks.to_text() });
        table.to_text()
    }
}

fn days(days: u32) -> String {
    if days == 0 { "forever".to_owned() } else { format!("{days} days") }
}
