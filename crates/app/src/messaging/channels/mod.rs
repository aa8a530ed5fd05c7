//! Channels of a tenant: added, listed, made the default, checked with the network, and opened with their secrets.

mod breakers;
mod check;
mod client;
mod networks;
mod profile;
mod sandbox;
mod secrets;
mod tokens;

pub(crate) use breakers::{AppIds, Breakers, ChannelTenants};
pub use check::Finding;
pub use networks::NetworkDirectory;
pub use profile::NumberProfile;
pub(crate) use sandbox::SandboxChannel;
pub(crate) use secrets::ChannelSecret;
pub use secrets::Secrets;

use domain::base::keys::NotSealed;
use domain::messaging::channels::{Channel, NewChannel};
use domain::{ChannelId, Field, Id, TenantId};
use store::messaging::channels::{SealedSecrets, StoredChannel};
use zeroize::Zeroizing;

use crate::messaging::Messaging;
use crate::{ActsFor, Error, Fault, Result, Thing};

#[derive(Debug)]
pub struct Channels<'a>(&'a Messaging);

/// A channel with its secrets in clear text.
#[derive(Debug, Clone)]
pub struct OpenedChannel {
    pub tenant: TenantId,
    pub channel: Channel,
    pub secrets: Secrets,
}

impl Messaging {
    pub fn channels(&self) -> Channels<'_> {
        Channels(self)
    }
}

/// Most channels of one read.
const PAGE: i64 = 500;

const NO_CHANNEL: Error = Error::NotFound(Thing::Channel);

#[boxed::futures]
impl Channels<'_> {
    /// Adds a channel. It becomes the default if the tenant has no default channel.
    pub async fn add(&self, caller: &dyn ActsFor, new: NewChannel, secrets: &Secrets) -> Result<Channel> {
        let networks = self.0.networks();
        if !networks.knows(&new.network) {
            let known = networks.names().join(", ");
            return Err(Error::invalid(
                Field::Network,
                format!("unknown network {:?}; expected one of {known}", new.network),
            ));
        }
        secrets.check()?;
        self.0.identity().tenants().find(caller.tenant()).await?;
        let now = self.0.now();
        let channel = new.checked(Id::new(now), now).map_err(|error| Error::of_field(&error))?;
        let sealed = self.sealed(caller.tenant(), channel.id, secrets)?;
        let input = (caller.audit_actor(), caller.tenant(), channel, sealed);
        self.0.db().write(input, |tx, (actor, tenant, channel, sealed)| {
            Box::pin(async move {
                let mut channel = channel.clone();
                channel.is_default = !store::messaging::channels::list_in(tx, *tenant).await?.iter().any(|one| one.channel.is_default);
                if !store::messaging::channels::insert(tx, *tenant, &channel, sealed).await? {
                    return Err(Error::conflict(Field::Name, "a channel with this name or phone number already exists"));
                }
                let details = serde_json::json!({"name": channel.name, "network": channel.network, "phone_number": channel.phone_number});
                actor.record(tx, *tenant, channel.created_at, "channel.add", &channel.id.to_string(), details).await?;
                Ok(channel)
            })
        }).await
    }

    /// Lists the channels, the oldest first.
    pub async fn list(&self, caller: &dyn ActsFor) -> Result<Vec<Channel>> {
        let stored = store::messaging::channels::list(self.0.db(), caller.tenant()).await?;
        Ok(stored.into_iter().map(|stored| stored.channel).collect())
    }

    /// Finds a channel by id, name or phone number.
    pub async fn find(&self, caller: &dyn ActsFor, name: &str) -> Result<Channel> {
        let channels = self.list(caller).await?;
        channels.into_iter().find(|one| one.matches(name)).ok_or(NO_CHANNEL)
    }

    pub async fn set_default(&self, caller: &dyn ActsFor, name: &str) -> Result<Channel> {
        let mut channel = self.find(caller, name).await?;
        let input = (caller.audit_actor(), caller.tenant(), channel.id, self.0.now().to_millis());
        let write = self.0.db().write(input, |tx, (actor, tenant, id, now)| {
            Box::pin(async move {
                store::messaging::channels::set_default(tx, *tenant, *id, *now).await?;
                actor.record(tx, *tenant, *now, "channel.set_default", &id.to_string(), serde_json::json!({})).await
            })
        });
        write.await?;
        channel.is_default = true;
        Ok(channel)
    }

    /// Removes a channel. Refused while messages wait in the channel's outbox, and for the default channel while there
    /// are others. Journal entries of the channel are parked by the inbound worker; its calls and messages stay.
    pub async fn remove(&self, caller: &dyn ActsFor, name: &str) -> Result<Channel> {
        let channel = self.find(caller, name).await?;
        let input = (caller.audit_actor(), caller.tenant(), channel.clone(), self.0.now().to_millis());
        let write = self.0.db().write(input, |tx, (actor, tenant, channel, now)| {
            Box::pin(async move {
                let others = store::messaging::channels::list_in(tx, *tenant).await?;
                if channel.is_default && others.len() > 1 {
                    return Err(Error::conflict(
                        Field::Channel,
                        "this is the default channel; make another one the default first",
                    ));
                }
                if store::messaging::outbox::any_of_channel(tx, *tenant, channel.id).await? {
                    let message =
                        "messages are waiting to be sent through it; stop their broadcasts, or let them finish first";
                    return Err(Error::conflict(Field::Channel, message));
                }
                if !store::messaging::channels::remove(tx, *tenant, channel.id).await? {
                    return Err(NO_CHANNEL);
                }
                store::messaging::channel_tokens::remove(tx, *tenant, channel.id).await?;
                let details = serde_json::json!({"name": channel.name, "phone_number": channel.phone_number});
                actor.record(tx, *tenant, *now, "channel.remove", &channel.id.to_string(), details).await?;
                Ok(())
            })
        });
        write.await?;
        Ok(channel)
    }

    /// Replaces all three secrets and clears the channel's problem.
    pub async fn set_secrets(&self, caller: &dyn ActsFor, name: &str, secrets: &Secrets) -> Result<Channel> {
        secrets.check()?;
        let channel = self.find(caller, name).await?;
        let sealed = self.sealed(caller.tenant(), channel.id, secrets)?;
        let input = (caller.audit_actor(), caller.tenant(), channel.id, sealed, self.0.now().to_millis());
        let write = self.0.db().write(input, |tx, (actor, tenant, id, sealed, now)| {
            Box::pin(async move {
                store::messaging::channels::set_secrets(tx, *tenant, *id, sealed, *now).await?;
                // The new token has not been refused yet.
                store::messaging::channels::clear_problem(tx, *tenant, *id).await?;
                actor.record(tx, *tenant, *now, "channel.set_secrets", &id.to_string(), serde_json::json!({})).await
            })
        });
        write.await?;
        Ok(channel)
    }

    pub async fn open(&self, tenant: TenantId, id: ChannelId) -> Result<OpenedChannel> {
        let stored = store::messaging::channels::find(self.0.db(), tenant, id).await?.ok_or(NO_CHANNEL)?;
        self.open_stored(stored)
    }

    /// Finds the tenant of a channel and opens one of its secrets. For the hook, whose URL names only the channel.
    pub(crate) async fn hook_secret(
        &self,
        id: ChannelId,
        part: ChannelSecret,
    ) -> Result<(TenantId, Zeroizing<String>)> {
        let StoredChannel { tenant, sealed, .. } = self.of_hook(id).await?;
        let secret = part.opened(&self.0.keys().stored_secret, tenant, id, &sealed).map_err(unusable)?;
        Ok((tenant, secret))
    }

    /// A look-up across tenants asks all workers of a distributed database, so a node looks up each channel that way only
    /// once.
    async fn of_hook(&self, id: ChannelId) -> Result<StoredChannel> {
        let (db, tenants) = (self.0.db(), self.0.channel_tenants());
        if let Some(tenant) = tenants.get(&id)
            && let Some(found) = store::messaging::channels::find(db, tenant, id).await?
        {
            return Ok(found);
        }
        let found = store::messaging::channels::by_id(db, id).await?.ok_or(NO_CHANNEL)?;
        tenants.insert(id, found.tenant);
        Ok(found)
    }

    /// For the sandbox: the channels of all tenants with this network id of a number or an account.
    pub async fn of_network(&self, network: &str, network_id: &str) -> Result<Vec<OpenedChannel>> {
        let stored = store::messaging::channels::by_network_id(self.0.db(), network, network_id).await?;
        // A channel whose secrets were sealed with another key must not hide the others.
        Ok(stored.into_iter().filter_map(|stored| self.open_stored(stored).ok()).collect())
    }

    /// For the sandbox: finds the first channel of a network, of any tenant, that `fits`.
    pub async fn find_opened(
        &self,
        network: &str,
        fits: &(dyn Fn(&OpenedChannel) -> bool + Sync),
    ) -> Result<Option<OpenedChannel>> {
        let mut after = (TenantId::from_number(0), Id::from_bytes([0; 12]));
        loop {
            let page = store::messaging::channels::page_of_network(self.0.db(), network, after, PAGE).await?;
            let Some(last) = page.last() else { return Ok(None) };
            after = (last.tenant, last.channel.id);
            let mut opened = page.into_iter().filter_map(|stored| self.open_stored(stored).ok());
            if let Some(found) = opened.find(&fits) {
                return Ok(Some(found));
            }
        }
    }

    /// After a change of the installation's key: seals the secrets with the present key. Returns the channels that
    /// neither key opens; they stay unchanged.
    pub async fn reseal(&self, tenant: TenantId) -> Result<Vec<Channel>> {
        let mut lost = Vec::new();
        for stored in store::messaging::channels::list(self.0.db(), tenant).await? {
            let before = stored.sealed.clone();
            let channel = stored.channel.clone();
            let Ok(opened) = self.open_stored(stored) else {
                lost.push(channel);
                continue;
            };
            let sealed = self.sealed(tenant, channel.id, &opened.secrets)?;
            let input = (tenant, channel, before, sealed);
            let write = self.0.db().write(input, |tx, (tenant, channel, before, sealed)| {
                Box::pin(async move {
                    // New secrets that were set meanwhile are sealed with the present key already.
                    let now = store::messaging::channels::list_in(tx, *tenant).await?;
                    if now.iter().any(|one| one.channel.id == channel.id && one.sealed == *before) {
                        store::messaging::channels::set_secrets(tx, *tenant, channel.id, sealed, channel.updated_at)
                            .await?;
                    }
                    Ok::<_, store::Error>(())
                })
            });
            write.await?;
        }
        Ok(lost)
    }

    fn open_stored(&self, stored: StoredChannel) -> Result<OpenedChannel> {
        let StoredChannel { tenant, channel, sealed } = stored;
        let secrets = Secrets::opened(&self.0.keys().stored_secret, tenant, channel.id, &sealed).map_err(unusable)?;
        Ok(OpenedChannel { tenant, channel, secrets })
    }

    fn sealed(&self, tenant: TenantId, channel: ChannelId, secrets: &Secrets) -> Result<SealedSecrets> {
        let key = self.0.keys().stored_secret.first().ok_or(Error::Fault(Fault::NoKey))?;
        secrets.sealed(key, tenant, channel).map_err(unusable)
    }
}

fn unusable(error: NotSealed) -> Error {
    Error::conflict(Field::SecretKey, error)
}
