//! An endpoint as clients see it: without its secrets, and with the names of its headers only, since a value may be a
//! credential.

use domain::delivery::events::EventTypes;
use domain::delivery::webhooks::{Health, WebhookStatus};
use domain::messaging::channels::Channel;
use domain::{ChannelId, TenantId, Timestamp, WebhookId};
use store::delivery::webhooks::{StoredWebhook, dispatch_state};

use super::{Endpoint, Webhooks};
use crate::delivery::EventDelivery;
use crate::{ActsFor, Error, Result, Thing};

#[derive(Debug, Clone)]
pub struct WebhookView {
    pub tenant: TenantId,
    pub id: WebhookId,
    pub url: String,
    pub types: EventTypes,
    pub status: WebhookStatus,
    pub channel_id: Option<ChannelId>,
    /// None for an endpoint of all channels, and also when its channel was removed.
    pub channel: Option<Channel>,
    pub ordered: bool,
    pub header_names: Vec<String>,
    pub max_in_flight: Option<i64>,
    pub max_per_second: Option<i64>,
    /// Why the recorder took the endpoint out of service; none when a client did, or when it is enabled.
    pub reason: Option<String>,
    /// Until this time the previous secret signs too.
    pub previous_secret_until: Option<Timestamp>,
    pub health: Health,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

#[boxed::futures]
impl Webhooks<'_> {
    /// All endpoints of the tenant, the oldest first.
    pub async fn list(&self, caller: &dyn ActsFor) -> Result<Vec<WebhookView>> {
        let (db, tenant) = (self.0.db(), caller.tenant());
        let channels = self.0.messaging().channels().list(caller).await?;
        let states = dispatch_state::of_tenant(db, tenant).await?;
        let health =
            |id: WebhookId| states.iter().find(|(of, _)| *of == id).map(|(_, state)| state.health).unwrap_or_default();
        let stored = store::delivery::webhooks::list(db, tenant).await?;
        Ok(stored.into_iter().map(|one| view(self.0, health(one.id), one, &channels)).collect())
    }

    pub async fn find(&self, caller: &dyn ActsFor, id: WebhookId) -> Result<WebhookView> {
        let (db, tenant) = (self.0.db(), caller.tenant());
        let stored = store::delivery::webhooks::by_id(db, tenant, id).await?.ok_or(NO_WEBHOOK)?;
        let channels = self.0.messaging().channels().list(caller).await?;
        let state = dispatch_state::state(db, tenant, id).await?;
        Ok(view(self.0, state.map(|state| state.health).unwrap_or_default(), stored, &channels))
    }
}

pub(super) const NO_WEBHOOK: Error = Error::NotFound(Thing::Webhook);

/// Builds the view. An endpoint that no key can open is shown without the names of its headers, so that it can still be
/// seen and deleted.
fn view(room: &EventDelivery, health: Health, stored: StoredWebhook, channels: &[Channel]) -> WebhookView {
    let opened = Endpoint::opened(&room.keys().stored_secret, stored.clone());
    let header_names = opened.map(|opened| opened.headers.into_iter().map(|header| header.name).collect());
    let now = room.now();
    WebhookView {
        tenant: stored.tenant,
        id: stored.id,
        url: stored.url,
        types: stored.types,
        status: stored.status,
        channel: channels.iter().find(|one| Some(one.id) == stored.channel_id).cloned(),
        channel_id: stored.channel_id,
        ordered: stored.ordered,
        header_names: header_names.unwrap_or_default(),
        max_in_flight: stored.max_in_flight,
        max_per_second: stored.max_per_second,
        reason: stored.reason,
        previous_secret_until: stored.previous_until.filter(|until| now < *until),
        health,
        created_at: stored.created_at,
        updated_at: stored.updated_at,
    }
}
