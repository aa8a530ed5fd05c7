//! `switchboard webhook deliveries`.

use app::App;
use domain::base::time::{as_optional_rfc3339, as_rfc3339};
use domain::delivery::webhooks::{Delivery, DeliveryState};
use domain::{DeliveryId, Timestamp};
use serde::Serialize;

use super::args::WebhookArg;
use crate::commands::Context;
use crate::output::Table;

pub const JSON: &str = "\
With --json: an array of {\"id\", \"number\", \"type\", \"state\", \"attempts\", \"first_attempt\", \"last_attempt\", \"next_attempt\",
\"response_status\", \"latency_ms\", \"response_excerpt\"}; state is delivered, retrying, held, parked or failed.";

#[derive(Debug, clap::Args)]
pub struct List {
    #[command(flatten)]
    which: WebhookArg,
    /// Only deliveries in this state: delivered, retrying, held, parked or failed.
    #[arg(long, value_parser = state)]
    state: Option<DeliveryState>,
    /// Maximum number of deliveries.
    #[arg(long, default_value_t = 50, value_parser = clap::value_parser!(u16).range(1..=10_000))]
    limit: u16,
}

fn state(text: &str) -> Result<DeliveryState, String> {
    let names = || DeliveryState::ALL.iter().map(|one| one.name()).collect::<Vec<_>>().join(", ");
    text.parse().map_err(|()| format!("expected one of {}", names()))
}

#[derive(Serialize)]
struct DeliveryView {
    id: DeliveryId,
    number: i64,
    r#type: &'static str,
    state: &'static str,
    attempts: i64,
    #[serde(serialize_with = "as_rfc3339")]
    first_attempt: Timestamp,
    #[serde(serialize_with = "as_rfc3339")]
    last_attempt: Timestamp,
    #[serde(serialize_with = "as_optional_rfc3339")]
    next_attempt: Option<Timestamp>,
    response_status: Option<i64>,
    latency_ms: Option<i64>,
    response_excerpt: Option<String>,
}

impl From<Delivery> for DeliveryView {
    fn from(one: Delivery) -> Self {
        Self {
            id: one.id,
            number: one.number,
            r#type: one.kind.name(),
            state: one.state.name(),
            attempts: one.attempts,
            first_attempt: one.first_at,
            last_attempt: one.last_at,
            next_attempt: one.due_at,
            response_status: one.status,
            latency_ms: one.latency.map(|micros| micros.saturating_add(500) / 1000),
            response_excerpt: one.excerpt,
        }
    }
}

impl List {
    pub async fn run(self, context: &Context, app: &App) -> anyhow::Result<()> {
        let (me, limit) = (self.which.tenant.caller(app).await?, usize::from(self.limit));
        let (mut shown, mut cursor): (Vec<DeliveryView>, _) = (Vec::new(), None::<String>);
        loop {
            let room = limit - shown.len();
            let page =
                app.delivery().webhooks().deliveries(&me, self.which.id, self.state, cursor.as_deref(), room).await?;
            shown.extend(page.deliveries.into_iter().map(DeliveryView::from));
            cursor = page.next_cursor;
            if cursor.is_none() || shown.len() >= limit {
                break;
            }
        }
        Ok(context.output.print(&shown, || table(&shown))?)
    }
}

fn table(deliveries: &[DeliveryView]) -> String {
    let mut table = Table::new(&["id", "number", "type", "state", "attempts", "last", "next", "status", "ms"]);
    let text = |number: Option<i64>| number.map(|number| number.to_string()).unwrap_or_default();
    for one in deliveries {
        table.row([
            one.id.to_string(),
            one.number.to_string(),
            one.r#type.to_owned(),
            one.state.to_owned(),
            one.attempts.to_string(),
            one.last_attempt.to_rfc3339(),
            one.next_attempt.map(Timestamp::to_rfc3339).unwrap_or_default(),
            text(one.response_status),
            text(one.latency_ms),
        ]);
    }
    table.to_text()
}
