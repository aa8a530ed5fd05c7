//! `switchboard channel parked`: records that could not be applied.

use std::collections::HashMap;

use clap::Subcommand;
use domain::{ChannelId, JournalEntryId, Timestamp};
use serde::Serialize;
use store::messaging::inbound::ParkedRecord;

use crate::commands::Context;
use crate::commands::tenant_arg::TenantArg;
use crate::output::Table;

const JSON: &str = "\
With --json: an array of {\"id\", \"channel_id\", \"channel\", \"received_at\", \"parked_at\", \"reason\", \"body\"}; body is the text
as the network posted it.";
const RETRY_JSON: &str = "With --json: {\"id\"}.";

#[derive(Debug, Subcommand)]
pub enum Command {
    /// List parked records, newest first.
    #[command(after_help = JSON)]
    List(List),
    /// Try again to apply a parked record.
    #[command(after_help = RETRY_JSON)]
    Retry(Retry),
}

impl Command {
    pub async fn run(self, context: &Context) -> anyhow::Result<()> {
        match self {
            Self::List(command) => command.run(context).await,
            Self::Retry(command) => command.run(context).await,
        }
    }
}

#[derive(Debug, clap::Args)]
pub struct List {
    #[command(flatten)]
    tenant: TenantArg,
    /// Maximum number of records.
    #[arg(long, default_value_t = 50, value_parser = clap::value_parser!(i64).range(1..=10_000))]
    limit: i64,
}

#[derive(Debug, clap::Args)]
pub struct Retry {
    /// The record's id, as shown by `channel parked list`.
    #[arg(value_name = "PARKED_ID")]
    id: JournalEntryId,
    #[command(flatten)]
    tenant: TenantArg,
}

#[derive(Serialize)]
struct ParkedRecordView<'a> {
    id: JournalEntryId,
    channel_id: ChannelId,
    /// Null when the channel was removed.
    channel: Option<&'a str>,
    #[serde(serialize_with = "domain::base::time::as_rfc3339")]
    received_at: Timestamp,
    #[serde(serialize_with = "domain::base::time::as_rfc3339")]
    parked_at: Timestamp,
    reason: &'a str,
    body: String,
}

impl List {
    async fn run(self, context: &Context) -> anyhow::Result<()> {
        let app = context.app().await?;
        let me = self.tenant.caller(&app).await?;
        let channels = app.messaging().channels().list(&me).await?;
        let names: HashMap<ChannelId, &str> =
            channels.iter().map(|channel| (channel.id, channel.name.as_str())).collect();
        let parked = app.messaging().inbound().parked(&me, self.limit).await?;
        let shown: Vec<ParkedRecordView<'_>> = parked.iter().map(|parked| view(parked, &names)).collect();
        Ok(context.output.print(&shown, || table(&shown))?)
    }
}

fn view<'a>(parked: &'a ParkedRecord, names: &HashMap<ChannelId, &'a str>) -> ParkedRecordView<'a> {
    ParkedRecordView {
        id: parked.id,
        channel_id: parked.channel_id,
        channel: names.get(&parked.channel_id).copied(),
        received_at: parked.received_at,
        parked_at: parked.parked_at,
        reason: &parked.reason,
        body: String::from_utf8_lossy(&parked.body).into_owned(),
    }
}

fn table(parked: &[ParkedRecordView<'_>]) -> String {
    let mut table = Table::new(&["id", "channel", "received", "bytes", "reason"]);
    for one in parked {
        table.row([
            one.id.to_string(),
            one.channel.unwrap_or_default().to_owned(),
            one.received_at.to_rfc3339(),
            one.body.len().to_string(),
            one.reason.to_owned(),
        ]);
    }
    table.to_text()
}

impl Retry {
    async fn run(self, context: &Context) -> anyhow::Result<()> {
        let app = context.app().await?;
        app.messaging().inbound().retry(&self.tenant.caller(&app).await?, self.id).await?;
        let result = serde_json::json!({ "id": self.id });
        Ok(context
            .output
            .print(&result, || format!("{} is back in the journal; a running server applies it now", self.id))?)
    }
}
