//! Endpoints are made, changed and deleted. Every change is audited, never with a secret.

use domain::channels::Channel;
use domain::events::{EventType, Types};
use domain::keys::NotSealed;
use domain::webhooks::{Secret, Status};
use domain::{DeliveryId, Id, TenantId, WebhookId};
use serde_json::{Value, json};
use store::Tx;
use store::webhooks::{Stored, deliveries, lanes};

use super::shown::NO_WEBHOOK;
use super::wanted::Known;
use super::{Endpoint, Shown, Wanted, Webhooks};
use crate::{Actor, ActsFor, App, Error, Fault, Result};

/// Endpoints that one request may make.
const MOST_AT_ONCE: usize = 100;
/// After every id there is.
const LAST: DeliveryId = Id::from_bytes([0xff; 12]);

impl Webhooks<'_> {
    /// The secret is in the answer, and nowhere else ever again.
    pub async fn create(&self, actor: &Actor, caller: &impl ActsFor, wanted: &Wanted) -> Result<(Shown, Secret)> {
        let channels = self.0.channels().list(caller).await?;
        let endpoint = self.fresh(caller.tenant(), wanted, &channels)?;
        self.store_new(actor, caller, vec![endpoint.clone()]).await?;
        Ok((self.find(caller, endpoint.id).await?, endpoint.secret))
    }

    /// All of them or none. What is wrong is named with its place in the list.
    pub async fn create_all(&self, actor: &Actor, caller: &impl ActsFor, wanted: &[Wanted]) -> Result<Vec<Shown>> {
        if wanted.is_empty() || wanted.len() > MOST_AT_ONCE {
            return Err(Error::invalid("body", format!("expected 1 to {MOST_AT_ONCE} endpoints")));
        }
        let channels = self.0.channels().list(caller).await?;
        let fresh = wanted.iter().enumerate();
        let fresh = fresh.map(|(i, one)| self.fresh(caller.tenant(), one, &channels).map_err(|error| at(i, error)));
        let endpoints: Vec<Endpoint> = fresh.collect::<Result<_>>()?;
        let ids: Vec<WebhookId> = endpoints.iter().map(|one| one.id).collect();
        self.store_new(actor, caller, endpoints).await?;
        let mut all = self.list(caller).await?;
        all.retain(|one| ids.contains(&one.id));
        Ok(all)
    }

    pub async fn update(&self, actor: &Actor, caller: &impl ActsFor, id: WebhookId, wanted: Wanted) -> Result<Shown> {
        let channels = self.0.channels().list(caller).await?;
        let tenant = caller.tenant();
        let head = self.0.events().head(caller).await?;
        let change = Changing { app: self.0.clone(), actor: actor.clone(), tenant, id, wanted, channels, head };
        self.0.db().write(change, |tx, change| Box::pin(change.write(tx))).await?;
        self.0.post_office().changed();
        self.find(caller, id).await
    }

    /// Its deliveries can be seen no more, and nothing is delivered.
    pub async fn delete(&self, actor: &Actor, caller: &impl ActsFor, id: WebhookId) -> Result<()> {
        let input = (actor.clone(), caller.tenant(), id, self.0.now());
        let write = self.0.db().write(input, |tx, (actor, tenant, id, now)| {
            Box::pin(async move {
                let stored = store::webhooks::for_update(tx, *tenant, *id).await?.ok_or(NO_WEBHOOK)?;
                store::webhooks::delete(tx, *tenant, *id, *now).await?;
                deliveries::park(tx, *tenant, *id).await?;
                let details = json!({"url": stored.url});
                actor.note(tx, *tenant, *now, "webhook.delete", &id.to_string(), details).await?;
                Ok::<_, Error>(())
            })
        });
        write.await?;
        self.0.post_office().changed();
        Ok(())
    }

    /// After a change of the installation's key: what the previous one sealed is sealed with the present one. Answers
    /// the URLs of those that neither key opens; they are left as they are.
    pub async fn reseal(&self, tenant: TenantId) -> Result<Vec<String>> {
        let mut lost = Vec::new();
        for stored in store::webhooks::list(self.0.db(), tenant).await? {
            let url = stored.url.clone();
            let write = self.0.db().write((self.0.clone(), tenant, stored.id), |tx, (app, tenant, id)| {
                Box::pin(async move {
                    let Some(stored) = store::webhooks::for_update(tx, *tenant, *id).await? else { return Ok(()) };
                    let endpoint = opened(app, stored)?;
                    Ok::<_, Error>(store::webhooks::update(tx, &sealed(app, &endpoint)?).await?)
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

    fn fresh(&self, tenant: TenantId, wanted: &Wanted, channels: &[Channel]) -> Result<Endpoint> {
        for (member, is_there) in [("url", wanted.url.is_some()), ("eventTypes", wanted.types.is_some())] {
            if !is_there {
                return Err(Error::invalid(member, "is required"));
            }
        }
        let now = self.0.now();
        let bare = Endpoint {
            tenant,
            id: Id::new(now),
            url: String::new(),
            types: Types::NONE,
            status: Status::Enabled,
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
        wanted.apply(bare, Known { channels, guard: &self.0.webhook_policy().guard })
    }

    async fn store_new(&self, actor: &Actor, caller: &impl ActsFor, endpoints: Vec<Endpoint>) -> Result<()> {
        self.0.tenants().find(caller.tenant()).await?;
        let head = self.0.events().head(caller).await?;
        let alone = endpoints.len() == 1;
        let sealed = endpoints.iter().map(|one| sealed(self.0, one)).collect::<Result<Vec<_>>>()?;
        let write = self.0.db().write((actor.clone(), sealed, head), move |tx, (actor, sealed, head)| {
            Box::pin(async move {
                for (i, stored) in sealed.iter().enumerate() {
                    let inserted = insert(tx, actor, stored, *head).await;
                    inserted.map_err(|error| if alone { error } else { at(i, error) })?;
                }
                Ok::<_, Error>(())
            })
        });
        write.await?;
        self.0.post_office().changed();
        Ok(())
    }
}

/// What an endpoint is told begins after `head`.
async fn insert(tx: &mut Tx<'_>, actor: &Actor, stored: &Stored, head: i64) -> Result<()> {
    if !store::webhooks::insert(tx, stored).await? {
        return Err(exists());
    }
    lanes::insert(tx, stored.tenant, stored.id, head).await?;
    let (id, now) = (stored.id.to_string(), stored.created_at);
    Ok(actor.note(tx, stored.tenant, now, "webhook.create", &id, details(stored)).await?)
}

fn exists() -> Error {
    Error::conflict("url", "there is a webhook with this URL already")
}

/// In a list, what is wrong is wrong in one of them.
fn at(place: usize, error: Error) -> Error {
    let member = |parameter: String| format!("[{place}].{parameter}");
    match error {
        Error::Invalid { parameter, message } => Error::Invalid { parameter: member(parameter), message },
        Error::Conflict { parameter, message } => Error::Conflict { parameter: member(parameter), message },
        Error::NoChannel { parameter, name } => Error::NoChannel { parameter: member(parameter), name },
        other => other,
    }
}

/// For the audit log.
pub(super) fn details(stored: &Stored) -> Value {
    let types: Vec<&str> = stored.types.iter().map(EventType::name).collect();
    json!({"url": stored.url, "types": types, "status": stored.status, "channel_id": stored.channel_id, "ordered": stored.ordered})
}

pub(super) fn sealed(app: &App, endpoint: &Endpoint) -> Result<Stored> {
    let key = app.keys().stored_secret.first().ok_or(Error::Fault(Fault::NoKey))?;
    endpoint.sealed(key).map_err(unusable)
}

pub(super) fn opened(app: &App, stored: Stored) -> Result<Endpoint> {
    Endpoint::opened(&app.keys().stored_secret, stored).map_err(unusable)
}

fn unusable(error: NotSealed) -> Error {
    Error::conflict("secret_key", error)
}

/// A change under way; its transaction may run again.
#[derive(Debug)]
struct Changing {
    app: App,
    actor: Actor,
    tenant: TenantId,
    id: WebhookId,
    wanted: Wanted,
    channels: Vec<Channel>,
    head: i64,
}

impl Changing {
    async fn write(&self, tx: &mut Tx<'_>) -> Result<()> {
        let (tenant, now) = (self.tenant, self.app.now().to_millis());
        let before = store::webhooks::for_update(tx, tenant, self.id).await?.ok_or(NO_WEBHOOK)?;
        let known = Known { channels: &self.channels, guard: &self.app.webhook_policy().guard };
        let mut endpoint = self.wanted.apply(opened(&self.app, before.clone())?, known)?;
        let taken = store::webhooks::by_url(tx, tenant, &endpoint.url).await?;
        if taken.is_some_and(|other| other.id != self.id) {
            return Err(exists());
        }
        endpoint.updated_at = now;
        if endpoint.status != before.status {
            endpoint.reason = None;
            self.turn(tx, &endpoint).await?;
        }
        if before.ordered && !endpoint.ordered && endpoint.status == Status::Enabled {
            deliveries::let_go_held(tx, tenant, self.id, now).await?;
        }
        let stored = sealed(&self.app, &endpoint)?;
        store::webhooks::update(tx, &stored).await?;
        self.actor.note(tx, tenant, now, "webhook.update", &self.id.to_string(), details(&stored)).await?;
        Ok(())
    }

    /// On and off: one that is switched on again is told what happens from then on. What was parked meanwhile is for
    /// `recover`; where order counts it is given up, since everything behind it would wait for it.
    async fn turn(&self, tx: &mut Tx<'_>, endpoint: &Endpoint) -> Result<()> {
        if endpoint.status == Status::Enabled {
            lanes::place(tx, self.tenant, self.id, self.head).await?;
            if endpoint.ordered {
                deliveries::give_up_parked(tx, self.tenant, self.id, LAST).await?;
            }
        } else {
            deliveries::park(tx, self.tenant, self.id).await?;
        }
        Ok(())
    }
}
