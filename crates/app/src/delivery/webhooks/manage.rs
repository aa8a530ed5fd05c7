//! Creating, changing and deleting endpoints. Every change by a client is written to the audit log, without secrets.

use domain::base::keys::NotSealed;
use domain::base::quotas::Quota;
use domain::delivery::events::{EventType, EventTypes};
use domain::delivery::webhooks::{Secret, WebhookStatus};
use domain::messaging::channels::Channel;
use domain::{Field, Id, TenantId, WebhookId};
use serde_json::{Value, json};
use store::Tx;
use store::delivery::webhooks::{StoredWebhook, deliveries, dispatch_state};

use super::request::{CheckContext, check_host};
use super::view::NO_WEBHOOK;
use super::{Endpoint, WebhookRequest, WebhookView, Webhooks};
use crate::base::quotas;
use crate::delivery::EventDelivery;
use crate::{Actor, ActsFor, Error, Fault, Result};

/// Most endpoints in one request.
const MOST_AT_ONCE: usize = 100;

#[boxed::futures]
impl Webhooks<'_> {
    /// Creates an endpoint that gets the events from now on. Returns its secret, which is never shown again.
    pub async fn create(&self, caller: &dyn ActsFor, request: &WebhookRequest) -> Result<(WebhookView, Secret)> {
        let channels = self.0.messaging().channels().list(caller).await?;
        let endpoint = self.new_endpoint(caller.tenant(), request, &channels)?;
        check_host(request, &self.0.webhook_policy().guard).await?;
        self.store_new(caller, vec![endpoint.clone()]).await?;
        Ok((self.find(caller, endpoint.id).await?, endpoint.secret))
    }

    /// Creates all endpoints or none. Errors name the index in the list. The secrets are not returned: `rotate_secret`
    /// makes new ones.
    pub async fn create_all(&self, caller: &dyn ActsFor, request: &[WebhookRequest]) -> Result<Vec<WebhookView>> {
        if request.is_empty() || request.len() > MOST_AT_ONCE {
            return Err(Error::invalid(Field::Body, format!("expected 1 to {MOST_AT_ONCE} endpoints")));
        }
        let channels = self.0.messaging().channels().list(caller).await?;
        let new = request.iter().enumerate();
        let new =
            new.map(|(i, one)| self.new_endpoint(caller.tenant(), one, &channels).map_err(|error| error.within(i)));
        let endpoints: Vec<Endpoint> = new.collect::<Result<_>>()?;
        for (i, one) in request.iter().enumerate() {
            check_host(one, &self.0.webhook_policy().guard).await.map_err(|error| error.within(i))?;
        }
        let ids: Vec<WebhookId> = endpoints.iter().map(|one| one.id).collect();
        self.store_new(caller, endpoints).await?;
        let mut all = self.list(caller).await?;
        all.retain(|one| ids.contains(&one.id));
        Ok(all)
    }

    pub async fn update(&self, caller: &dyn ActsFor, id: WebhookId, request: WebhookRequest) -> Result<WebhookView> {
        check_host(&request, &self.0.webhook_policy().guard).await?;
        let channels = self.0.messaging().channels().list(caller).await?;
        let tenant = caller.tenant();
        let log_end = self.0.events().last_number(caller).await?;
        let change = EndpointUpdate {
            room: self.0.clone(),
            actor: caller.audit_actor(),
            tenant,
            id,
            request,
            channels,
            log_end,
        };
        self.0.db().write(change, |tx, change| Box::pin(change.write(tx))).await?;
        self.0.endpoint_directory().changed();
        self.find(caller, id).await
    }

    /// Marks the endpoint as deleted and parks its open deliveries. It is no longer listed, its dispatcher ends as soon
    /// as its node finds the change, and the sweep deletes the rows.
    pub async fn delete(&self, caller: &dyn ActsFor, id: WebhookId) -> Result<()> {
        let input = (caller.audit_actor(), caller.tenant(), id, self.0.now());
        let write = self.0.db().write(input, |tx, (actor, tenant, id, now)| {
            Box::pin(async move {
                let stored = store::delivery::webhooks::for_update(tx, *tenant, *id).await?.ok_or(NO_WEBHOOK)?;
                store::delivery::webhooks::delete(tx, *tenant, *id, *now).await?;
                deliveries::park(tx, *tenant, *id).await?;
                let details = json!({"url": stored.url});
                actor.record(tx, *tenant, *now, "webhook.delete", &id.to_string(), details).await?;
                Ok::<_, Error>(())
            })
        });
        write.await?;
        self.0.endpoint_directory().changed();
        Ok(())
    }

    /// After a change of the installation's key: seals the secrets and headers of the tenant's endpoints with the
    /// present key. Returns the URLs of the endpoints that neither the present nor the previous key opens; they stay as
    /// they are.
    pub async fn reseal(&self, tenant: TenantId) -> Result<Vec<String>> {
        let mut lost = Vec::new();
        for stored in store::delivery::webhooks::list(self.0.db(), tenant).await? {
            let url = stored.url.clone();
            let write = self.0.db().write((self.0.clone(), tenant, stored.id), |tx, (room, tenant, id)| {
                Box::pin(async move {
                    let Some(stored) = store::delivery::webhooks::for_update(tx, *tenant, *id).await? else {
                        return Ok(());
                    };
                    let endpoint = opened(room, stored)?;
                    Ok::<_, Error>(store::delivery::webhooks::update(tx, &sealed(room, &endpoint)?).await?)
                })
            });
            match write.await {
                Ok(()) => {}
                Err(Error::Store(error)) => return Err(error.into()),
                Err(_) => lost.push(url),
            }
        }
        Ok(lost)
    }

    fn new_endpoint(&self, tenant: TenantId, request: &WebhookRequest, channels: &[Channel]) -> Result<Endpoint> {
        for (field, is_there) in [(Field::Url, request.url.is_some()), (Field::EventTypes, request.types.is_some())] {
            if !is_there {
                return Err(Error::invalid(field, "is required"));
            }
        }
        let now = self.0.now();
        let bare = Endpoint {
            tenant,
            id: Id::new(now),
            url: String::new(),
            types: EventTypes::NONE,
            status: WebhookStatus::Enabled,
            channel_id: None,
            ordered: false,
            headers: Vec::new(),
            secret: Secret::random(),
            previous_secret: None,
            max_in_flight: None,
            max_per_second: None,
            reason: None,
            created_at: now.to_millis(),
            updated_at: now.to_millis(),
        };
        request.apply(bare, CheckContext { channels, guard: &self.0.webhook_policy().guard })
    }

    async fn store_new(&self, caller: &dyn ActsFor, endpoints: Vec<Endpoint>) -> Result<()> {
        self.0.identity().tenants().find(caller.tenant()).await?;
        let log_end = self.0.events().last_number(caller).await?;
        let alone = endpoints.len() == 1;
        let sealed = endpoints.iter().map(|one| sealed(self.0, one)).collect::<Result<Vec<_>>>()?;
        let (tenant, quotas) = (caller.tenant(), self.0.quotas());
        let write = self.0.db().write((caller.audit_actor(), sealed, log_end), move |tx, (actor, sealed, log_end)| {
            Box::pin(async move {
                let used = store::delivery::webhooks::count(tx, tenant).await?;
                quotas::check(&quotas, Quota::Webhooks, used, sealed.len() as u64)?;
                for (i, stored) in sealed.iter().enumerate() {
                    let inserted = insert(tx, actor, stored, *log_end).await;
                    inserted.map_err(|error| if alone { error } else { error.within(i) })?;
                }
                Ok::<_, Error>(())
            })
        });
        write.await?;
        self.0.endpoint_directory().changed();
        Ok(())
    }
}

/// Inserts an endpoint and adds an entry to the audit log. The endpoint gets events after the number `log_end`.
async fn insert(tx: &mut Tx<'_>, actor: &Actor, stored: &StoredWebhook, log_end: i64) -> Result<()> {
    if !store::delivery::webhooks::insert(tx, stored).await? {
        return Err(exists());
    }
    dispatch_state::insert(tx, stored.tenant, stored.id, log_end).await?;
    let (id, now) = (stored.id.to_string(), stored.created_at);
    Ok(actor.record(tx, stored.tenant, now, "webhook.create", &id, details(stored)).await?)
}

fn exists() -> Error {
    Error::conflict(Field::Url, "a webhook with this URL already exists")
}

/// The members of an endpoint that the audit log shows.
pub(super) fn details(stored: &StoredWebhook) -> Value {
    let types: Vec<&str> = stored.types.iter().map(EventType::name).collect();
    json!({"url": stored.url, "types": types, "status": stored.status, "channel_id": stored.channel_id, "ordered": stored.ordered})
}

pub(super) fn sealed(room: &EventDelivery, endpoint: &Endpoint) -> Result<StoredWebhook> {
    let key = room.keys().stored_secret.first().ok_or(Error::Fault(Fault::NoKey))?;
    endpoint.sealed(key).map_err(unusable)
}

pub(super) fn opened(room: &EventDelivery, stored: StoredWebhook) -> Result<Endpoint> {
    Endpoint::opened(&room.keys().stored_secret, stored).map_err(unusable)
}

fn unusable(error: NotSealed) -> Error {
    Error::conflict(Field::SecretKey, error)
}

/// A change of an endpoint; its transaction may run several times.
#[derive(Debug)]
struct EndpointUpdate {
    room: EventDelivery,
    actor: Actor,
    tenant: TenantId,
    id: WebhookId,
    request: WebhookRequest,
    channels: Vec<Channel>,
    log_end: i64,
}

impl EndpointUpdate {
    async fn write(&self, tx: &mut Tx<'_>) -> Result<()> {
        let (tenant, now) = (self.tenant, self.room.now().to_millis());
        let before = store::delivery::webhooks::for_update(tx, tenant, self.id).await?.ok_or(NO_WEBHOOK)?;
        let context = CheckContext { channels: &self.channels, guard: &self.room.webhook_policy().guard };
        let mut endpoint = self.request.apply(opened(&self.room, before.clone())?, context)?;
        let same_url = store::delivery::webhooks::by_url(tx, tenant, &endpoint.url).await?;
        if same_url.is_some_and(|other| other.id != self.id) {
            return Err(exists());
        }
        endpoint.updated_at = now;
        if endpoint.status != before.status {
            endpoint.reason = None;
            self.switch(tx, &endpoint).await?;
        }
        if before.ordered && !endpoint.ordered && endpoint.status == WebhookStatus::Enabled {
            deliveries::release_held(tx, tenant, self.id, now).await?;
        }
        let stored = sealed(&self.room, &endpoint)?;
        store::delivery::webhooks::update(tx, &stored).await?;
        self.actor.record(tx, tenant, now, "webhook.update", &self.id.to_string(), details(&stored)).await?;
        Ok(())
    }

    /// Switches deliveries on or off. Off: open deliveries are parked. On: the endpoint gets events from now on; parked
    /// deliveries stay parked until `recover`, but with ordered delivery those of conversations are given up, since all
    /// later events of those conversations would wait for them.
    async fn switch(&self, tx: &mut Tx<'_>, endpoint: &Endpoint) -> Result<()> {
        if endpoint.status == WebhookStatus::Enabled {
            dispatch_state::reset_to(tx, self.tenant, self.id, self.log_end).await?;
            if endpoint.ordered {
                deliveries::give_up_parked(tx, self.tenant, self.id).await?;
            }
        } else {
            deliveries::park(tx, self.tenant, self.id).await?;
        }
        Ok(())
    }
}
