//! `switchboard audit`.

mod export;
mod owner;
mod verify;

use domain::identity::audit::AuditEntry;
use serde::Serialize;
use serde_json::Value;

use super::Context;
use crate::output::Table;
use owner::LogOwner;

const LIST_JSON: &str = "\
With --json: an array of {\"id\", \"at\", \"actor\", \"action\", \"subject\", \"details\", \"address\", \"request_id\"}, \
where details is an object.";

#[derive(Debug, clap::Subcommand)]
pub enum Command {
    /// List who created, changed and revoked what, newest entries first.
    #[command(after_help = LIST_JSON)]
    List(List),
    /// Verify that no entry was changed, removed or reordered, in the database or in an export.
    Verify(verify::Verify),
    /// Export a whole audit log to a file that can be verified anywhere.
    Export(export::Export),
}

#[derive(Debug, clap::Args)]
pub struct List {
    #[command(flatten)]
    owner: LogOwner,
    /// Maximum number of entries.
    #[arg(long, default_value_t = 50, value_parser = clap::value_parser!(i64).range(1..=100_000))]
    limit: i64,
}

/// An audit entry with its details as JSON.
#[derive(Serialize)]
struct AuditEntryView<'a> {
    id: domain::AuditEntryId,
    #[serde(serialize_with = "domain::base::time::as_rfc3339")]
    at: domain::Timestamp,
    actor: &'a str,
    action: &'a str,
    subject: &'a str,
    details: Value,
    address: Option<&'a str>,
    request_id: Option<&'a str>,
}

impl<'a> From<&'a AuditEntry> for AuditEntryView<'a> {
    fn from(entry: &'a AuditEntry) -> Self {
        Self {
            id: entry.id,
            at: entry.at,
            actor: &entry.actor,
            action: &entry.action,
            subject: &entry.subject,
            details: serde_json::from_str(&entry.details).unwrap_or_default(),
            address: entry.address.as_deref(),
            request_id: entry.request_id.as_deref(),
        }
    }
}

impl Command {
    pub async fn run(self, context: &Context) -> anyhow::Result<()> {
        match self {
            Self::List(command) => command.run(context).await,
            Self::Verify(command) => command.run(context).await,
            Self::Export(command) => command.run(context).await,
        }
    }
}

impl List {
    async fn run(self, context: &Context) -> anyhow::Result<()> {
        let app = context.app().await?;
        let owner = self.owner.find(&app).await?;
        let entries = app.identity().audit().latest(&app::Command(owner), self.limit).await?;
        let shown: Vec<AuditEntryView<'_>> = entries.iter().map(AuditEntryView::from).collect();
        context.output.print(&shown, || table(&entries))?;
        Ok(())
    }
}

fn table(entries: &[AuditEntry]) -> String {
    let mut table = Table::new(&["at", "actor", "action", "subject", "address", "details"]);
    for entry in entries {
        table.row([
            entry.at.to_rfc3339(),
            entry.actor.clone(),
            entry.action.clone(),
            entry.subject.clone(),
            entry.address.clone().unwrap_or_default(),
            entry.details.clone(),
        ]);
    }
    table.to_text()
}
