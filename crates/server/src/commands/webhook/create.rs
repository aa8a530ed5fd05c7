//! `switchboard webhook create`.

use app::App;
use app::delivery::webhooks::WebhookRequest;
use domain::Change;
use domain::delivery::events::EventType;
use domain::delivery::webhooks::Header;

use super::details::{WebhookWithSecret, print_secret};
use crate::commands::Context;
use crate::commands::tenant_arg::TenantArg;

#[derive(Debug, clap::Args)]
pub struct Create {
    /// The URL to post events to: https:// with a public address, or one that webhooks.allow_private permits.
    url: String,
    #[command(flatten)]
    tenant: TenantArg,
    /// An event type; repeatable or comma-separated. Default: all.
    #[arg(long = "type", value_name = "TYPE", value_delimiter = ',')]
    types: Vec<String>,
    /// Only events of this channel: its name, phone number or id.
    #[arg(long)]
    channel: Option<String>,
    /// Deliver the events of a conversation in order.
    #[arg(long)]
    ordered: bool,
    /// A header to send with each event, such as 'X-Team: support'; repeatable.
    #[arg(long = "header", value_name = "NAME: VALUE", value_parser = header)]
    headers: Vec<Header>,
    /// Maximum number of deliveries in flight.
    #[arg(long, value_name = "COUNT")]
    max_in_flight: Option<i64>,
    /// Maximum number of deliveries per second.
    #[arg(long, value_name = "COUNT")]
    max_per_second: Option<i64>,
    /// Create the webhook in the disabled state.
    #[arg(long)]
    disabled: bool,
}

pub(super) fn header(text: &str) -> Result<Header, String> {
    let (name, value) = text.split_once(':').ok_or("expected a name, a colon and a value")?;
    Ok(Header { name: name.trim().to_owned(), value: value.trim().to_owned() })
}

impl Create {
    pub async fn run(self, context: &Context, app: &App) -> anyhow::Result<()> {
        let all = || EventType::for_webhooks().map(|one| one.name().to_owned()).collect();
        let wanted = WebhookRequest {
            url: Some(self.url),
            types: Some(if self.types.is_empty() { all() } else { self.types }),
            status: self.disabled.then(|| "Disabled".to_owned()),
            channel: self.channel.map_or(Change::Keep, Change::Set),
            ordered: Some(self.ordered),
            headers: Some(self.headers),
            max_in_flight: self.max_in_flight.map_or(Change::Keep, Change::Set),
            max_per_second: self.max_per_second.map_or(Change::Keep, Change::Set),
        };
        let made = app.delivery().webhooks().create(&self.tenant.caller(app).await?, &wanted).await?;
        print_secret(context, &WebhookWithSecret::from(made))
    }
}
