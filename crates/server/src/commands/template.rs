//! `switchboard template`: a tenant's templates, and their synchronization with the network.

use app::App;
use app::messaging::templates::{SyncSummary, TemplateSelector};
use clap::{Args, Subcommand};
use domain::messaging::channels::SANDBOX;
use domain::messaging::templates::{Template, TemplateFilter};
use domain::{TemplateId, Timestamp};
use serde::Serialize;

use super::Context;
use super::channel::find_sandbox;
use super::confirmation::Confirmation;
use super::tenant_arg::TenantArg;
use crate::bootstrap;
use crate::output::Table;
use crate::settings::Settings;

const LIST_JSON: &str = "\
With --json: an array of {\"id\", \"name\", \"language\", \"category\", \"status\", \"quality\", \"reason\", \"network_id\",
\"account_id\", \"origin\", \"body\", \"parameters\", \"updated_at\"}, newest first; parameters are the names of the \
values that a message needs.";
const SYNC_JSON: &str = "\
Applies missed verdicts, adds templates created elsewhere and marks deleted ones. A sandbox channel is synchronized
through the running server.
With --json: {\"found\", \"added\", \"changed\", \"deleted\"}.";
const ONE_JSON: &str = "With --json: the template, as in `switchboard template list`.";
const MOST: i64 = 10_000;

#[derive(Debug, Subcommand)]
pub enum Command {
    /// List a tenant's templates, newest first.
    #[command(after_help = LIST_JSON)]
    List(List),
    /// Show one template.
    #[command(after_help = ONE_JSON)]
    Show(TemplateArg),
    /// Delete a template in its language, here and at the network.
    #[command(after_help = ONE_JSON)]
    Delete(Delete),
    /// Synchronize the templates of a channel's account with the network.
    #[command(after_help = SYNC_JSON)]
    Sync(Sync),
}

#[derive(Debug, Args)]
pub struct List {
    #[command(flatten)]
    tenant: TenantArg,
    /// Only templates of this channel's account: the channel's name, phone number or id.
    #[arg(long)]
    channel: Option<String>,
    /// Only templates whose name contains this text.
    #[arg(long)]
    name: Option<String>,
}

#[derive(Debug, Args)]
pub struct TemplateArg {
    /// The template's id.
    id: TemplateId,
    #[command(flatten)]
    tenant: TenantArg,
}

#[derive(Debug, Args)]
pub struct Delete {
    #[command(flatten)]
    which: TemplateArg,
    #[command(flatten)]
    confirmation: Confirmation,
}

#[derive(Debug, Args)]
pub struct Sync {
    #[command(flatten)]
    tenant: TenantArg,
    /// The channel's name, phone number or id; default: the default channel.
    #[arg(long)]
    channel: Option<String>,
}

#[derive(Serialize)]
struct TemplateView {
    id: TemplateId,
    name: String,
    language: String,
    category: &'static str,
    status: &'static str,
    quality: Option<String>,
    reason: Option<String>,
    network_id: Option<String>,
    account_id: String,
    origin: String,
    body: String,
    parameters: Vec<String>,
    #[serde(serialize_with = "domain::base::time::as_rfc3339")]
    updated_at: Timestamp,
}

impl From<Template> for TemplateView {
    fn from(template: Template) -> Self {
        let asked = template.content.parameters().into_iter().filter(|asked| asked.required);
        Self {
            id: template.id,
            name: template.name,
            language: template.language,
            category: template.category.name(),
            status: template.status.name(),
            quality: template.quality,
            reason: template.reason,
            network_id: template.network_id,
            account_id: template.account_id,
            origin: template.origin,
            body: template.content.body,
            parameters: asked.map(|asked| asked.name).collect(),
            updated_at: template.updated_at,
        }
    }
}

impl Command {
    pub async fn run(self, context: &Context) -> anyhow::Result<()> {
        match self {
            Self::List(command) => list(context, command).await,
            Self::Show(TemplateArg { id, tenant }) => {
                let app = context.app().await?;
                let me = tenant.caller(&app).await?;
                print_template(context, app.messaging().templates().find(&me, id).await?)
            }
            Self::Delete(command) => command.run(context).await,
            Self::Sync(Sync { tenant, channel }) => sync(context, &tenant, channel.as_deref()).await,
        }
    }
}

async fn list(context: &Context, List { tenant, channel, name }: List) -> anyhow::Result<()> {
    let app = context.app().await?;
    let me = tenant.caller(&app).await?;
    let filter = TemplateFilter { name, limit: MOST, ..TemplateFilter::default() };
    let page = app.messaging().templates().list(&me, channel.as_deref(), filter).await?;
    let shown: Vec<TemplateView> = page.templates.into_iter().map(TemplateView::from).collect();
    Ok(context.output.print(&shown, || table(&shown))?)
}

fn table(templates: &[TemplateView]) -> String {
    let mut table = Table::new(&["id", "name", "language", "category", "status", "quality", "values"]);
    for one in templates {
        table.row([
            one.id.to_string(),
            one.name.clone(),
            one.language.clone(),
            one.category.to_owned(),
            one.status.to_owned(),
            one.quality.clone().unwrap_or_default(),
            one.parameters.join(", "),
        ]);
    }
    table.to_text()
}

fn print_template(context: &Context, template: Template) -> anyhow::Result<()> {
    let shown = TemplateView::from(template);
    let text = || {
        format!(
            "{}{}\n{}",
            table(std::slice::from_ref(&shown)),
            shown.body,
            shown.reason.as_deref().unwrap_or_default()
        )
    };
    Ok(context.output.print(&shown, text)?)
}

impl Delete {
    async fn run(self, context: &Context) -> anyhow::Result<()> {
        let (settings, app) = opened(context).await?;
        let (me, id) = (self.which.tenant.caller(&app).await?, self.which.id);
        let template = app.messaging().templates().find(&me, id).await?;
        self.confirmation.ask(&format!("template {} ({})", template.name, template.language))?;
        reach(&settings, &app, me, Some(&template.channel_id.to_string())).await?;
        app.messaging().templates().delete(&me, TemplateSelector::Id(id)).await?;
        print_template(context, app.messaging().templates().find(&me, id).await.unwrap_or(template))
    }
}

async fn sync(context: &Context, tenant: &TenantArg, channel: Option<&str>) -> anyhow::Result<()> {
    let (settings, app) = opened(context).await?;
    let me = tenant.caller(&app).await?;
    reach(&settings, &app, me, channel).await?;
    let synced = app.messaging().templates().sync(&me, channel).await?;
    let SyncSummary { found, added, changed, deleted } = synced;
    let text = || format!("{found} templates at the network: {added} added, {changed} changed, {deleted} deleted");
    Ok(context.output.print(&synced, text)?)
}

async fn opened(context: &Context) -> anyhow::Result<(Settings, App)> {
    let settings = context.settings()?;
    let app = bootstrap::open(&settings, domain::Clock::system()).await?.app;
    Ok((settings, app))
}

/// If the channel (by default the tenant's default one) is of the sandbox, gets the sandbox's address from the running
/// server.
async fn reach(settings: &Settings, app: &App, me: app::Command, channel: Option<&str>) -> anyhow::Result<()> {
    let channels = app.messaging().channels().list(&me).await?;
    let meant = channels.iter().find(|one| channel.map_or(one.is_default, |name| one.matches(name)));
    if meant.is_some_and(|one| one.network == SANDBOX) {
        find_sandbox(settings, app, me.0).await?;
    }
    Ok(())
}
