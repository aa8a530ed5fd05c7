//! `switchboard sandbox fail` and `faults`: faults on demand.

use axum::http::Method;
use serde_json::{Value, json};

use super::act;
use super::args::{SandboxTenant, object};
use crate::commands::Context;
use crate::commands::contact::show::plain;
use crate::output::Table;

pub const HELP: &str = "\
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

With --json: the fault, as in `switchboard sandbox faults`.";
pub const LIST_JSON: &str = "With --json: {\"faults\": [{\"id\", \"kind\", \"person\", \"left\", …}]}.";

#[derive(Debug, clap::Args)]
pub struct Fail {
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

#[derive(Debug, clap::Args)]
pub struct Faults {
    #[command(flatten)]
    tenant: SandboxTenant,
    /// Delete all faults.
    #[arg(long)]
    clear: bool,
}

impl Fail {
    pub async fn run(self, context: &Context) -> anyhow::Result<()> {
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

impl Faults {
    pub async fn run(self, context: &Context) -> anyhow::Result<()> {
        let method = if self.clear { Method::DELETE } else { Method::GET };
        let answer = self.tenant.ask(context, method, "faults", None).await?;
        Ok(context.output.print(&answer, || if self.clear { act::text(&answer) } else { table(&answer) })?)
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
