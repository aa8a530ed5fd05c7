//! `switchboard sandbox person`.

use axum::http::Method;
use clap::Subcommand;
use serde_json::{Value, json};

use super::args::{SandboxTenant, object};
use crate::commands::Context;
use crate::commands::contact::show::plain;
use crate::output::Table;

const LIST_JSON: &str = "With --json: {\"people\": [{\"name\", \"phone\", \"bsuid\", \"username\", \"online\"}]}; online is false or absent.";
const CREATE_JSON: &str = "With --json: {\"name\", \"phone\", \"bsuid\", \"username\"}.";

const MEMBERS: [&str; 4] = ["name", "phone", "username", "bsuid"];

#[derive(Debug, Subcommand)]
pub enum Command {
    /// List the sandbox's people.
    #[command(after_help = LIST_JSON)]
    List(SandboxTenant),
    /// Create a person.
    #[command(after_help = CREATE_JSON)]
    Create(Create),
}

#[derive(Debug, clap::Args)]
pub struct Create {
    #[command(flatten)]
    tenant: SandboxTenant,
    /// The person's name.
    #[arg(long)]
    name: String,
    /// The person's phone number; without one, the person has only a BSUID.
    #[arg(long)]
    phone: Option<String>,
    /// The person's username.
    #[arg(long)]
    username: Option<String>,
}

impl Command {
    pub async fn run(self, context: &Context) -> anyhow::Result<()> {
        match self {
            Self::List(tenant) => list(context, &tenant).await,
            Self::Create(command) => command.run(context).await,
        }
    }
}

async fn list(context: &Context, tenant: &SandboxTenant) -> anyhow::Result<()> {
    let answer = tenant.ask(context, Method::GET, "people", None).await?;
    Ok(context.output.print(&answer, || table(answer["people"].as_array().into_iter().flatten()))?)
}

impl Create {
    async fn run(self, context: &Context) -> anyhow::Result<()> {
        let body =
            object([("name", json!(self.name)), ("phone", json!(self.phone)), ("username", json!(self.username))]);
        let created = self.tenant.ask(context, Method::POST, "people", Some(&body)).await?;
        Ok(context.output.print(&created, || table([&created].into_iter()))?)
    }
}

fn table<'a>(people: impl Iterator<Item = &'a Value>) -> String {
    let mut table = Table::new(&MEMBERS);
    for person in people {
        table.row(MEMBERS.map(|member| plain(&person[member])));
    }
    table.to_text()
}
