//! `switchboard sandbox fault`: faults on demand.

use axum::http::Method;
use clap::Subcommand;
use serde_json::{Value, json};

use super::act;
use super::args::{SandboxTenant, object};
use crate::commands::Context;
use crate::commands::contact::show::plain;
use crate::output::Table;

const CREATE_HELP: &str = "\
Kinds:
  refuse              a message is refused with the network's error --code
  fail                a message is accepted, then fails with --code
  server_error        the network returns --status (500) and does not accept the message
  lookup_error        a payment look-up returns --status (500)
  reset               the connection is reset; the message is not accepted
  accept_then_reset   the message is accepted, then the connection is reset
  cut_upload          the upload of a template's sample is cut off after half of the file
  duplicate           each webhook is posted --copies times
  reorder             webhooks are posted in another order
  delay               webhooks are posted --seconds later
  batch               up to --size changes are posted in one webhook

With --json: the fault, as in `switchboard sandbox fault list`.";
const LIST_JSON: &str = "With --json: {\"faults\": [{\"id\", \"kind\", \"person\", \"left\", …}]}.";

const DELETE_JSON: &str = "With --json: {\"cleared\"}, the number of deleted faults.";

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Create a fault.
    #[command(after_help = CREATE_HELP)]
    Create(Create),
    /// List the faults that have not happened yet.
    #[command(after_help = LIST_JSON)]
    List(SandboxTenant),
    /// Delete all faults.
    #[command(after_help = DELETE_JSON)]
    Delete(SandboxTenant),
}

#[derive(Debug, clap::Args)]
pub struct Create {
    #[command(flatten)]
    tenant: SandboxTenant,
    /// The kind of fault; see below.
    #[arg(required_unless_present = "named_kind")]
    kind: Option<String>,
    /// Same as the KIND argument.
    #[arg(long = "kind", value_name = "KIND", conflicts_with = "kind")]
    named_kind: Option<String>,
    /// How many times the fault applies; default: 1.
    #[arg(long)]
    count: Option<u32>,
    /// Only for this person: a phone number, BSUID or username.
    #[arg(long)]
    person: Option<String>,
    /// The network's error code, for refuse and fail.
    #[arg(long)]
    code: Option<i64>,
    /// The HTTP status, for server_error and lookup_error.
    #[arg(long)]
    status: Option<u16>,
    /// How many times each webhook is posted, for duplicate.
    #[arg(long)]
    copies: Option<u32>,
    /// How many seconds webhooks are delayed, for delay.
    #[arg(long)]
    seconds: Option<u32>,
    /// How many changes are in one webhook, for batch.
    #[arg(long)]
    size: Option<u32>,
}

impl Command {
    pub async fn run(self, context: &Context) -> anyhow::Result<()> {
        match self {
            Self::Create(command) => command.run(context).await,
            Self::List(tenant) => {
                let answer = tenant.ask(context, Method::GET, "faults", None).await?;
                Ok(context.output.print(&answer, || table(&answer))?)
            }
            Self::Delete(tenant) => {
                let answer = tenant.ask(context, Method::DELETE, "faults", None).await?;
                Ok(context.output.print(&answer, || act::text(&answer))?)
            }
        }
    }
}

impl Create {
    async fn run(self, context: &Context) -> anyhow::Result<()> {
        let body = object([
            ("kind", json!(self.kind.as_ref().or(self.named_kind.as_ref()))),
            ("count", json!(self.count)),
            ("person", json!(self.person)),
            ("code", json!(self.code)),
            ("status", json!(self.status)),
            ("copies", json!(self.copies)),
            ("seconds", json!(self.seconds)),
            ("size", json!(self.size)),
        ]);
        let answer = self.tenant.ask(context, Method::POST, "faults", Some(&body)).await?;
        Ok(context.output.print(&answer, || act::text(&answer))?)
    }
}

fn table(answer: &Value) -> String {
    let members = ["id", "kind", "person", "left"];
    let mut table = Table::new(&members);
    for fault in answer["faults"].as_array().into_iter().flatten() {
        table.row(members.map(|member| plain(&fault[member])));
    }
    table.to_text()
}
