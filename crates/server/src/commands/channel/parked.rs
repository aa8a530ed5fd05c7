//! `switchboard channel parked` and `retry`: records that could not be applied.

use std::collections::HashMap;

use domain::{ChannelId, JournalEntryId, TenantId, Timestamp};
use serde::Serialize;
use store::messaging::inbound::ParkedRecord;

use crate::commands::Context;
use crate::output::Table;

pub const JSON: &str = "\
With --json: an array of {\"id\", \"channel_id\", \"channel\", \"received_at\", \"parked_at\", \"reason\", \"body\"}; body is the text
as the network posted it.";
pub const RETRY_JSON: &str = "With --json: {\"id\"}.";

#[derive(Debug, clap::Args)]
pub struct List {
    /// The tenant's id.
    #[arg(long, value_name = "ID")]
    tenant: TenantId,
    /// Maximum number of records.
    #[arg(long, default_value_t = 50, value_parser = clap::value_parser!(i64).range(1..=10_000))]
    limit: i64,
}

#[derive(Debug, clap::Args)]
pub struct Retry {
    /// The record's id, as shown by `channel parked`.
    #[arg(value_name = "PARKED_ID")]
    id: JournalEntryId,
    /// The tenant's id.
    #[arg(long, value_name = "ID")]
    tenant: TenantId,
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
    pub async fn run(self, context: &Context) -> anyhow::Result<()> {
        let (app, me) = (context.app().await?, app::Command(self.tenant));
        app.identity().tenants().find(self.tenant).await?;
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
    pub async fn run(self, context: &Context) -> anyhow::Result<()> {
        let app = context.app().await?;
        app.messaging().inbound().retry(&app::Command(self.tenant), self.id).await?;
        let result = serde_json::json!({ "id": self.id });
        Ok(context
            .output
            .print(&result, || format!("{} is back in the journal; a running server applies it now", self.id))?)
    }
}
