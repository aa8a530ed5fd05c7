//! The network's side of the sandbox: template reviews, the state of a number, forgotten files, injected webhooks; and
//! the scenario of the people.

use axum::http::Method;
use serde_json::{Value, json};

use super::act;
use super::args::{SandboxTenant, object, segment};
use crate::commands::Context;

#[derive(Debug, clap::Args)]
#[group(id = "opinion", required = true, multiple = true, args = ["verdict", "quality", "category"])]
pub struct Review {
    #[command(flatten)]
    tenant: SandboxTenant,
    /// The template's name.
    template: String,
    /// APPROVED, REJECTED, PENDING, PAUSED, DISABLED, REINSTATED, FLAGGED, UNFLAGGED, IN_APPEAL or PENDING_DELETION.
    #[arg(long)]
    verdict: Option<String>,
    /// The reason for the verdict.
    #[arg(long)]
    reason: Option<String>,
    /// GREEN, YELLOW, RED or UNKNOWN.
    #[arg(long)]
    quality: Option<String>,
    /// MARKETING, UTILITY or AUTHENTICATION.
    #[arg(long)]
    category: Option<String>,
    /// The template's language; default: all languages.
    #[arg(long)]
    language: Option<String>,
}

pub const NUMBER_JSON: &str = "With --json: {\"channel_id\", \"phone_number\", \"registered\", \"token\"}.";
pub const FORGET_JSON: &str = "With --json: {\"forgotten\": NUMBER}.";

#[derive(Debug, clap::Args)]
pub struct Number {
    #[command(flatten)]
    tenant: SandboxTenant,
    /// The channel, by name, number or id; default: the default channel.
    #[arg(long)]
    channel: Option<String>,
    /// Whether the number is registered. If not, the network refuses messages and calls with error 133010.
    #[arg(long)]
    registered: Option<bool>,
    /// The access token's state: valid, expired (190) or no_permission (10 or 200).
    #[arg(long)]
    token: Option<String>,
}

#[derive(Debug, clap::Args)]
pub struct ForgetMedia {
    #[command(flatten)]
    tenant: SandboxTenant,
    /// The network's id for the file; default: all of the tenant's files.
    #[arg(long)]
    id: Option<String>,
}

#[derive(Debug, clap::Args)]
pub struct Scenario {
    #[command(flatten)]
    tenant: SandboxTenant,
    /// `quiet`: people act only on request. `lively`: they also reply, tap, open links, call and pay on their own.
    name: String,
    /// The random seed. With the same seed and messages, people do the same.
    #[arg(long)]
    seed: Option<u64>,
}

#[derive(Debug, clap::Args)]
pub struct Inject {
    #[command(flatten)]
    tenant: SandboxTenant,
    /// The webhook field, such as account_alerts.
    #[arg(long)]
    field: String,
    /// The change's `value`: a JSON object.
    #[arg(long, value_name = "JSON", value_parser = json_value)]
    value: Value,
    /// The channel, by name, number or id; default: the default channel.
    #[arg(long)]
    channel: Option<String>,
}

fn json_value(text: &str) -> Result<Value, String> {
    serde_json::from_str(text).map_err(|error| format!("not valid JSON: {error}"))
}

impl Review {
    pub async fn run(self, context: &Context) -> anyhow::Result<()> {
        let path = format!("templates/{}/review", segment(&self.template));
        let body = object([
            ("verdict", json!(self.verdict)),
            ("reason", json!(self.reason)),
            ("quality", json!(self.quality)),
            ("category", json!(self.category)),
            ("language", json!(self.language)),
        ]);
        send(context, &self.tenant, Method::POST, &path, &body).await
    }
}

impl Number {
    pub async fn run(self, context: &Context) -> anyhow::Result<()> {
        let body = object([
            ("channel", json!(self.channel)),
            ("registered", json!(self.registered)),
            ("token", json!(self.token)),
        ]);
        send(context, &self.tenant, Method::PUT, "number", &body).await
    }
}

impl ForgetMedia {
    pub async fn run(self, context: &Context) -> anyhow::Result<()> {
        send(context, &self.tenant, Method::POST, "media/forget", &object([("id", json!(self.id))])).await
    }
}

impl Scenario {
    pub async fn run(self, context: &Context) -> anyhow::Result<()> {
        let body = object([("name", json!(self.name)), ("seed", json!(self.seed))]);
        send(context, &self.tenant, Method::PUT, "scenario", &body).await
    }
}

impl Inject {
    pub async fn run(self, context: &Context) -> anyhow::Result<()> {
        let body = object([("field", json!(self.field)), ("value", self.value), ("channel", json!(self.channel))]);
        send(context, &self.tenant, Method::POST, "inject", &body).await
    }
}

async fn send(
    context: &Context,
    tenant: &SandboxTenant,
    method: Method,
    path: &str,
    body: &Value,
) -> anyhow::Result<()> {
    let answer = tenant.ask(context, method, path, Some(body)).await?;
    Ok(context.output.print(&answer, || act::text(&answer))?)
}
