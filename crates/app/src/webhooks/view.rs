//! An endpoint as it is shown: without its secrets, and of its headers only the names, since a value may be a credential.

use domain::channels::Channel;
use domain::events::Types;
use domain::webhooks::{Health, Status};
use domain::{ChannelId, TenantId, Timestamp, WebhookId};
use store::webhooks::{Stored, lanes};

use super::{Endpoint, Webhooks};
use crate::{ActsFor, App, Error, Result, Thing};

#[derive(Debug, Clone)]
pub struct Shown {
    pub tenant: TenantId,
    pub id: WebhookId,
    pub url: String,
    pub types: Types,
    pub status: Status,
    pub channel_id: Option<ChannelId>,
    /// None too where the channel was removed meanwhile.
    pub channel: Option<Channel>,
    pub ordered: bool,
    pub header_names: Vec<String>,
    pub max_in_flight: Option<i64>,
    pub max_per_second: Option<i64>,
    /// Why it is not enabled, where nobody of the tenant decided it.
    pub reason: Option<String>,
    /// The secret before the present one signs too until then.
    pub previous_secret_until: Option<Timestamp>,
    pub health: Health,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

impl Webhooks<'_> {
    /// The oldest first.
    pub async fn list(&self, caller: &impl ActsFor) -> Result<Vec<Shown>> {
        let (db, tenant) = (self.0.db(), caller.tenant());
        let channels = self.0.channels().list(caller).await?;
        let lanes = lanes::of_tenant(db, tenant).await?;
        let health =
            |id: WebhookId| lanes.iter().find(|(of, _)| *of == id).map(|(_, lane)| lane.health).unwrap_or_default();
        let stored = store::webhooks::list(db, tenant).await?;
        Ok(stored.into_iter().map(|one| shown(self.0, health(one.id), one, &channels)).collect())
    }

    pub async fn find(&self, caller: &impl ActsFor, id: WebhookId) -> Result<Shown> {
        let (db, tenant) = (self.0.db(), caller.tenant());
        let stored = store::webhooks::by_id(db, tenant, id).await?.ok_or(NO_WEBHOOK)?;
        let channels = self.0.channels().list(caller).await?;
        let lane = lanes::state(db, tenant, id).await?;
        Ok(shown(self.0, lane.map(|lane| lane.health).unwrap_or_default(), stored, &channels))
    }
}

pub(super) const NO_WEBHOOK: Error = Error::NotFound(Thing::Webhook);

/// One that neither key opens can still be seen and deleted.
fn shown(app: &App, health: Health, stored: Stored, channels: &[Channel]) -> Shown {
    let opened = Endpoint::opened(&app.keys().stored_secret, stored.clone());
    let header_names = opened.map(|opened| opened.headers.into_iter().map(|header| header.name).collect());
    let now = app.now();
    Shown {
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
