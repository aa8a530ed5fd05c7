//! `switchboard resend`: delivers an event to a webhook again.

use app::App;
use domain::{DeliveryId, Place, TenantId, WebhookId};
use serde_json::json;

use super::Context;
use super::sandbox::only_tenant;

pub const HELP: &str = "\
DELIVERY_ID is the event's id: `switchboard webhook deliveries` and `switchboard listen` show it, and receivers get it
in the webhook-id header. A running server delivers the event within a second.
With --json: {\"delivery_id\", \"webhook_id\", \"type\", \"state\"}.";

#[derive(Debug, clap::Args)]
pub struct Resend {
    /// The delivery's id.
    #[arg(value_name = "DELIVERY_ID")]
    id: DeliveryId,
    /// The webhook's id; required if several webhooks have a delivery of the event.
    #[arg(long, value_name = "WEBHOOK_ID")]
    webhook: Option<WebhookId>,
    /// The tenant's id; optional if there is only one tenant.
    #[arg(long, value_name = "ID")]
    tenant: Option<TenantId>,
}

impl Resend {
    pub async fn run(self, context: &Context) -> anyhow::Result<()> {
        let app = context.app().await?;
        let tenant = match self.tenant {
            Some(tenant) => app.identity().tenants().find(tenant).await?.id,
            None => only_tenant(&app).await?,
        };
        let me = app::Command(tenant);
        let webhook = match self.webhook {
            Some(webhook) => webhook,
            None => find(&app, &me, self.id).await?,
        };
        let delivery = app.delivery().webhooks().retry(&me, webhook, self.id).await?;
        let (kind, state) = (delivery.kind, delivery.state);
        let result = json!({"delivery_id": self.id, "webhook_id": webhook, "type": kind.name(), "state": state.name()});
        Ok(context
            .output
            .print(&result, || format!("{kind} {} will be delivered again to webhook {webhook}", self.id))?)
    }
}

/// The only webhook that has a delivery with this id.
async fn find(app: &App, me: &app::Command, id: DeliveryId) -> anyhow::Result<WebhookId> {
    let mut found = Vec::new();
    for webhook in app.delivery().webhooks().list(me).await? {
        match app.delivery().webhooks().delivery(me, webhook.id, id).await {
            Ok(_) => found.push(webhook.id),
            Err(app::Error::NotFound(_)) => {}
            Err(error) => return Err(error.into()),
        }
    }
    match found[..] {
        [only] => Ok(only),
        [] => Err(app::Error::NotFound(app::Thing::Delivery).into()),
        _ => {
            let ids: Vec<String> = found.iter().map(ToString::to_string).collect();
            let message = format!("several webhooks have this delivery: name one with --webhook ({})", ids.join(", "));
            Err(app::Error::invalid(Place::named("webhook"), message).into())
        }
    }
}
