//! `switchboard listen`: follows the events of a tenant and posts each to an address on the developer's machine, signed
//! as deliveries are.
//!
//! Events come from the configured database, or from the event stream of a server (`--server`). The command posts one
//! event at a time, in the order of the log, and does not repeat a post that failed. When the source breaks off, the
//! command prints a note, tries again, and continues after the last event that it has seen.

mod event;
mod secret;
mod source;
mod sse;

use app::delivery::webhooks::{ForwardResult, Forwarder};
use domain::delivery::events::EventTypes;
use domain::{Clock, DeliveryId, Field, TenantId};
use serde::Serialize;
use serde_json::json;

use super::Context;
use crate::output::visible;
use event::SeenEvent;
use source::EventSource;

pub const HELP: &str = "\
Examples:
  switchboard listen --forward-to http://127.0.0.1:9000/hook
  switchboard listen --forward-to http://127.0.0.1:9000/hook --events message,call.status
  SWITCHBOARD_TOKEN=swb_... switchboard listen --server https://wa.example.com --forward-to http://127.0.0.1:9000/hook

The secret is generated once and kept, so you configure your receiver only once. A failed post is not repeated.
With --json: first {\"forward_to\", \"secret\", \"after\"}, then for each event
{\"number\", \"id\", \"type\", \"response_status\", \"latency_ms\", \"error\"}; error is null if the \
response was a 2xx.";

#[derive(Debug, clap::Args)]
pub struct Listen {
    /// The URL to post each event to.
    #[arg(long, value_name = "URL")]
    forward_to: String,
    /// Only events of these types; comma-separated.
    #[arg(long, value_name = "TYPES", value_delimiter = ',')]
    events: Vec<String>,
    /// Start after the event with this number; default: only new events.
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(i64).range(0..))]
    after: Option<i64>,
    /// The tenant's id; optional if there is only one tenant.
    #[arg(long, value_name = "ID", conflicts_with = "server")]
    tenant: Option<TenantId>,
    /// Follow the server at this URL instead of the data folder.
    #[arg(long, value_name = "URL", requires = "token")]
    server: Option<String>,
    /// An API token for that server, with permission to read webhooks.
    #[arg(long, value_name = "TOKEN", env = crate::settings::TOKEN_VARIABLE, hide_env_values = true)]
    token: Option<String>,
}

/// The outcome of one event, as JSON.
#[derive(Serialize)]
struct Forwarded<'a> {
    number: i64,
    id: DeliveryId,
    r#type: &'a str,
    response_status: Option<u16>,
    latency_ms: u64,
    error: Option<String>,
}

impl Listen {
    pub async fn run(self, context: &Context) -> anyhow::Result<()> {
        let types = self.types()?;
        let (mut source, folder) = self.source(context, types).await?;
        let secret = secret::load_or_create(&folder)?;
        let shown = secret.to_text();
        let forwarder = Forwarder::new(&self.forward_to, secret)?;
        let after = source.after();
        let start = json!({"forward_to": self.forward_to, "secret": shown.as_str(), "after": after});
        context.output.print(&start, || {
            format!("Forwarding {} to {}\nSecret: {}", source.describe(), visible(&self.forward_to), shown.as_str())
        })?;
        tokio::select! {
            outcome = forward_all(context, &mut source, &forwarder) => outcome,
            _ = tokio::signal::ctrl_c() => Ok(()),
        }
    }

    fn types(&self) -> anyhow::Result<EventTypes> {
        let names: Vec<String> = self.events.iter().map(|name| name.trim().to_owned()).collect();
        if names.is_empty() {
            return Ok(EventTypes::all());
        }
        Ok(app::delivery::webhooks::named_types(Field::Events, &names)?)
    }

    /// The source, and the folder that keeps the secret.
    async fn source(&self, context: &Context, types: EventTypes) -> anyhow::Result<(EventSource, std::path::PathBuf)> {
        if let (Some(server), Some(token)) = (&self.server, &self.token) {
            let source = EventSource::from_server(server, token, types, self.after).await?;
            return Ok((source, secret::personal_folder()?));
        }
        let settings = context.settings()?;
        let app = context.app().await?;
        let tenant = match self.tenant {
            Some(tenant) => app.identity().tenants().find(tenant).await?.id,
            None => super::sandbox::only_tenant(&app).await?,
        };
        Ok((EventSource::from_database(app, tenant, types, self.after).await?, settings.data))
    }
}

async fn forward_all(context: &Context, source: &mut EventSource, forwarder: &Forwarder) -> anyhow::Result<()> {
    loop {
        for event in source.next().await? {
            let result = forwarder.post(event.id, &event.payload, &Clock::system()).await;
            print_event(context, &event, &result)?;
        }
    }
}

fn print_event(context: &Context, event: &SeenEvent, result: &ForwardResult) -> anyhow::Result<()> {
    let shown = Forwarded {
        number: event.number,
        id: event.id,
        r#type: &event.kind,
        response_status: result.status,
        latency_ms: u64::try_from(result.latency.as_millis()).unwrap_or(u64::MAX),
        error: result.error.clone(),
    };
    Ok(context.output.print(&shown, || shown.to_text())?)
}

impl Forwarded<'_> {
    fn to_text(&self) -> String {
        let outcome = match (&self.error, self.response_status) {
            (None, Some(status)) => status.to_string(),
            (Some(error), _) => format!("failed: {}", visible(error)),
            (None, None) => "no response".to_owned(),
        };
        format!("{:>7}  {}  {:<31} {outcome} in {} ms", self.number, self.id, visible(self.r#type), self.latency_ms)
    }
}
