//! `switchboard webhook update`.

use app::App;
use app::delivery::webhooks::WebhookRequest;
use domain::Change;
use domain::delivery::webhooks::Header;

use super::args::WebhookArg;
use super::create::header;
use super::details::WebhookDetails;
use crate::commands::Context;

// clap leaves the group of a struct with flattened members empty, so its members are named.
#[derive(Debug, clap::Args)]
#[group(
    required = true,
    multiple = true,
    args = ["url", "types", "channel", "ordered", "headers", "max_in_flight", "max_per_second"]
)]
pub struct Update {
    #[command(flatten)]
    which: WebhookArg,
    /// The URL to post events to.
    #[arg(long)]
    url: Option<String>,
    /// The event types, instead of the present ones; repeatable or comma-separated.
    #[arg(long = "type", value_name = "TYPE", value_delimiter = ',')]
    types: Vec<String>,
    /// Only events of this channel: its name, phone number or id, or `any`.
    #[arg(long)]
    channel: Option<String>,
    /// Whether the events of a conversation are delivered in order.
    #[arg(long, value_name = "BOOL")]
    ordered: Option<bool>,
    /// A header to send with each event, instead of the present ones; repeatable.
    #[arg(long = "header", value_name = "NAME: VALUE", value_parser = header)]
    headers: Vec<Header>,
    /// Maximum number of deliveries in flight, or `default`.
    #[arg(long, value_name = "COUNT", value_parser = limit)]
    max_in_flight: Option<Change<i64>>,
    /// Maximum number of deliveries per second, or `default`.
    #[arg(long, value_name = "COUNT", value_parser = limit)]
    max_per_second: Option<Change<i64>>,
}

fn limit(text: &str) -> Result<Change<i64>, &'static str> {
    match text {
        "default" => Ok(Change::Clear),
        number => number.parse().map(Change::Set).map_err(|_| "expected a whole number, or `default`"),
    }
}

impl Update {
    pub async fn run(self, context: &Context, app: &App) -> anyhow::Result<()> {
        let wanted = WebhookRequest {
            url: self.url,
            types: Some(self.types).filter(|types| !types.is_empty()),
            status: None,
            channel: match self.channel.as_deref() {
                None => Change::Keep,
                Some("any") => Change::Clear,
                Some(channel) => Change::Set(channel.to_owned()),
            },
            ordered: self.ordered,
            headers: Some(self.headers).filter(|headers| !headers.is_empty()),
            max_in_flight: self.max_in_flight.unwrap_or_default(),
            max_per_second: self.max_per_second.unwrap_or_default(),
        };
        let me = self.which.tenant.caller(app).await?;
        let shown = WebhookDetails::from(app.delivery().webhooks().update(&me, self.which.id, wanted).await?);
        Ok(context.output.print(&shown, || shown.to_text())?)
    }
}
