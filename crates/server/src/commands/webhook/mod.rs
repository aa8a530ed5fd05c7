//! `switchboard webhook`: endpoints that receive events. A secret is printed when it is created and never again.

mod args;
mod create;
mod deliveries;
mod details;
mod update;

use app::App;
use app::delivery::webhooks::WebhookRequest;
use clap::{Args, Subcommand};
use domain::DeliveryId;
use domain::delivery::webhooks::WebhookStatus;
use serde::Serialize;

use super::Context;
use super::confirmation::Confirmation;
use super::tenant_arg::TenantArg;
use crate::output;
pub use args::WebhookArg;
use details::{ONE, WebhookDetails, WebhookWithSecret, print_secret, table};

const LIST: &str = "With --json: an array of webhooks, as in `switchboard webhook show`, oldest first.";
const SECRET: &str = "With --json: the webhook, as in `switchboard webhook show`, and \"secret\".";
const DELETED: &str = "With --json: {\"id\", \"deleted\"}.";
const TESTED: &str = "\
With --json: {\"delivery_id\", \"type\", \"delivered\", \"response_status\", \"latency_ms\", \"response_excerpt\", \"error\"}.";

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Create a webhook; its secret is shown only once.
    #[command(after_help = SECRET)]
    Create(create::Create),
    /// List a tenant's webhooks.
    #[command(after_help = LIST)]
    List(TenantArg),
    /// Show one webhook, without its secret.
    #[command(after_help = ONE)]
    Show(WebhookArg),
    /// Change a webhook; what you do not provide stays unchanged.
    #[command(after_help = ONE)]
    Update(update::Update),
    /// Stop deliveries to a webhook until it is enabled again.
    #[command(after_help = ONE)]
    Disable(WebhookArg),
    /// Resume deliveries to a webhook, starting with new events.
    #[command(after_help = ONE)]
    Enable(WebhookArg),
    /// Delete a webhook and its deliveries.
    #[command(after_help = DELETED)]
    Delete(Delete),
    /// Create a new secret, which is shown only once; the old one stays valid for 24 hours.
    #[command(after_help = SECRET)]
    RotateSecret(WebhookArg),
    /// Deliver a sample event now and print the result.
    #[command(after_help = TESTED)]
    Test(Test),
    /// List deliveries, newest first.
    #[command(after_help = deliveries::JSON)]
    Deliveries(deliveries::List),
}

#[derive(Debug, Args)]
pub struct Delete {
    #[command(flatten)]
    which: WebhookArg,
    #[command(flatten)]
    confirmation: Confirmation,
}

#[derive(Debug, Args)]
pub struct Test {
    #[command(flatten)]
    which: WebhookArg,
    /// One of the webhook's event types; default: the first.
    #[arg(long = "type", value_name = "TYPE")]
    kind: Option<String>,
}

#[derive(Serialize)]
struct Tested {
    delivery_id: DeliveryId,
    r#type: &'static str,
    delivered: bool,
    response_status: Option<u16>,
    latency_ms: u64,
    response_excerpt: Option<String>,
    error: Option<String>,
}

impl Command {
    pub async fn run(self, context: &Context) -> anyhow::Result<()> {
        let app = context.app().await?;
        match self {
            Self::Create(command) => command.run(context, &app).await,
            Self::List(tenant) => list(context, &app, &tenant).await,
            Self::Show(which) => {
                let found = app.delivery().webhooks().find(&which.tenant.caller(&app).await?, which.id).await?;
                print_webhook(context, &WebhookDetails::from(found))
            }
            Self::Update(command) => command.run(context, &app).await,
            Self::Disable(which) => set_status(context, &app, &which, WebhookStatus::Disabled).await,
            Self::Enable(which) => set_status(context, &app, &which, WebhookStatus::Enabled).await,
            Self::Delete(command) => command.run(context, &app).await,
            Self::RotateSecret(which) => rotate(context, &app, &which).await,
            Self::Test(command) => test(context, &app, command).await,
            Self::Deliveries(command) => command.run(context, &app).await,
        }
    }
}

async fn list(context: &Context, app: &App, tenant: &TenantArg) -> anyhow::Result<()> {
    let all = app.delivery().webhooks().list(&tenant.caller(app).await?).await?;
    let shown: Vec<WebhookDetails> = all.into_iter().map(WebhookDetails::from).collect();
    Ok(context.output.print(&shown, || table(&shown))?)
}

fn print_webhook(context: &Context, shown: &WebhookDetails) -> anyhow::Result<()> {
    Ok(context.output.print(shown, || shown.to_text())?)
}

async fn set_status(context: &Context, app: &App, which: &WebhookArg, status: WebhookStatus) -> anyhow::Result<()> {
    let wanted = WebhookRequest { status: Some(status.name().to_owned()), ..WebhookRequest::default() };
    let changed = app.delivery().webhooks().update(&which.tenant.caller(app).await?, which.id, wanted).await?;
    let shown = WebhookDetails::from(changed);
    Ok(context.output.print(&shown, || format!("webhook {} is now {}", which.id, status.name().to_lowercase()))?)
}

impl Delete {
    async fn run(self, context: &Context, app: &App) -> anyhow::Result<()> {
        let (me, id) = (self.which.tenant.caller(app).await?, self.which.id);
        let found = app.delivery().webhooks().find(&me, id).await?;
        self.confirmation.ask(&format!("webhook {id} ({})", found.url))?;
        app.delivery().webhooks().delete(&me, id).await?;
        let result = serde_json::json!({"id": id, "deleted": true});
        Ok(context.output.print(&result, || format!("webhook {id} deleted"))?)
    }
}

async fn rotate(context: &Context, app: &App, which: &WebhookArg) -> anyhow::Result<()> {
    let rotated = app.delivery().webhooks().rotate_secret(&which.tenant.caller(app).await?, which.id).await?;
    print_secret(context, &WebhookWithSecret::from(rotated))
}

async fn test(context: &Context, app: &App, Test { which, kind }: Test) -> anyhow::Result<()> {
    let me = which.tenant.caller(app).await?;
    let tested = app.delivery().webhooks().test(&me, which.id, kind.as_deref()).await?;
    let shown = Tested {
        delivery_id: tested.delivery_id,
        r#type: tested.kind.name(),
        delivered: tested.delivered,
        response_status: tested.status,
        latency_ms: u64::try_from(tested.latency.as_millis()).unwrap_or(u64::MAX),
        response_excerpt: tested.excerpt,
        error: tested.error,
    };
    Ok(context.output.print(&shown, || shown.to_text())?)
}

impl Tested {
    fn to_text(&self) -> String {
        let answer = self.response_status.map(|status| format!(" (status {status})")).unwrap_or_default();
        let outcome = match &self.error {
            None => "delivered".to_owned(),
            Some(error) => format!("failed: {}", output::visible(error)),
        };
        let said = self.response_excerpt.as_deref().map(|text| format!("\n{}", output::visible(text)));
        format!("{} {outcome}{answer} in {} ms{}", self.r#type, self.latency_ms, said.unwrap_or_default())
    }
}
