//! `switchboard event`: events that Switchboard itself could not process.

use clap::Subcommand;
use domain::Timestamp;
use serde::Serialize;
use store::delivery::consumers::ParkedFact;

use crate::commands::Context;
use crate::commands::tenant_arg::TenantArg;
use crate::output::Table;

const JSON: &str = "\
With --json: an array of {\"number\", \"consumer\", \"handler\", \"reason\", \"parked_at\"}; number is the event's
number in the tenant's log.";
const RETRY_JSON: &str = "With --json: {\"processed\"}.";

#[derive(Debug, Subcommand)]
pub enum Command {
    /// List and retry events that could not be processed. Webhooks receive these events as usual.
    #[command(subcommand)]
    Parked(Parked),
}

#[derive(Debug, Subcommand)]
pub enum Parked {
    /// List parked events, oldest first.
    #[command(after_help = JSON)]
    List(TenantArg),
    /// Process all parked events again, for example after an update.
    #[command(after_help = RETRY_JSON)]
    Retry(TenantArg),
}

#[derive(Serialize)]
struct ParkedView<'a> {
    number: i64,
    consumer: &'a str,
    handler: &'a str,
    reason: &'a str,
    #[serde(serialize_with = "domain::base::time::as_rfc3339")]
    parked_at: Timestamp,
}

impl Command {
    pub async fn run(self, context: &Context) -> anyhow::Result<()> {
        let Self::Parked(command) = self;
        match command {
            Parked::List(tenant) => list(context, &tenant).await,
            Parked::Retry(tenant) => retry(context, &tenant).await,
        }
    }
}

async fn list(context: &Context, tenant: &TenantArg) -> anyhow::Result<()> {
    let app = context.app().await?;
    let parked = app.delivery().consumers().parked(&tenant.caller(&app).await?).await?;
    let shown: Vec<ParkedView<'_>> = parked.iter().map(ParkedView::from).collect();
    let table = || {
        let mut table = Table::new(&["number", "consumer", "handler", "parked", "reason"]);
        for one in &parked {
            let ParkedFact { consumer, number, handler, reason, parked_at } = one.clone();
            table.row([number.to_string(), consumer, handler, parked_at.to_rfc3339(), reason]);
        }
        table.to_text()
    };
    Ok(context.output.print(&shown, table)?)
}

impl<'a> From<&'a ParkedFact> for ParkedView<'a> {
    fn from(one: &'a ParkedFact) -> Self {
        let ParkedFact { consumer, number, handler, reason, parked_at } = one;
        Self { number: *number, consumer, handler, reason, parked_at: *parked_at }
    }
}

async fn retry(context: &Context, tenant: &TenantArg) -> anyhow::Result<()> {
    let app = context.app().await?;
    let (processed, failure) = app.delivery().consumers().retry_parked(&tenant.caller(&app).await?).await?;
    let result = serde_json::json!({ "processed": processed });
    context.output.print(&result, || format!("{processed} parked events were processed"))?;
    match failure {
        Some(error) => Err(anyhow::Error::new(error).context("an event still cannot be processed")),
        None => Ok(()),
    }
}
