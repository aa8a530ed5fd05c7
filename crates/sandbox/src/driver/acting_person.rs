//! The person who acts, the channel over which they act, and the messages that they have.

use app::{Command, Error, Result, Thing};
use domain::messaging::channels::{Channel, SANDBOX};
use domain::{Field, TenantId};
use store::platform::sandbox::messages::{self, Message};
use store::platform::sandbox::people::Person;

use crate::notices::WebhookContact;
use crate::{NumberMetadata, Sandbox};

/// A person, and the channel over which the person acts.
#[derive(Debug, Clone)]
pub(crate) struct ActingPerson {
    pub tenant: TenantId,
    pub channel: Channel,
    pub person: Person,
}

impl ActingPerson {
    pub fn number(&self) -> NumberMetadata {
        NumberMetadata::from(&self.channel)
    }

    pub fn webhook_contact(&self) -> WebhookContact {
        WebhookContact::from(&self.person)
    }
}

impl Sandbox {
    /// The tenant's channels to the sandbox, its default first.
    pub(crate) async fn sandbox_channels(&self, tenant: TenantId) -> Result<Vec<Channel>> {
        let mut channels = self.app().messaging().channels().list(&Command(tenant)).await?;
        channels.retain(|channel| channel.network == SANDBOX);
        channels.sort_by_key(|channel| !channel.is_default);
        Ok(channels)
    }

    /// The sandbox channel with the id, name or number `called`. Without `called`: the tenant's default, or any if the
    /// default is of another network.
    pub(crate) async fn sandbox_channel(&self, tenant: TenantId, called: Option<&str>) -> Result<Channel> {
        let channels = self.sandbox_channels(tenant).await?;
        let Some(called) = called.map(str::trim).filter(|called| !called.is_empty()) else {
            return channels.into_iter().next().ok_or(Error::NotFound(Thing::SandboxChannel));
        };
        let found = channels.into_iter().find(|one| one.matches(called));
        found.ok_or_else(|| Error::missing(Field::Channel, Thing::SandboxChannel))
    }

    pub(crate) async fn actor(&self, tenant: TenantId, person: &str, channel: Option<&str>) -> Result<ActingPerson> {
        let person = self.find_online(tenant, person).await?;
        Ok(ActingPerson { tenant, channel: self.sandbox_channel(tenant, channel).await?, person })
    }

    /// A message with this id that the person has received by now or has sent, and its channel. The error is
    /// about `field`.
    pub(crate) async fn message(
        &self,
        tenant: TenantId,
        person: &Person,
        field: Field,
        id: &str,
    ) -> Result<(Channel, Message)> {
        for channel in self.sandbox_channels(tenant).await? {
            let read = messages::by_id(self.db(), tenant, channel.id, id).await?;
            let there = |message: &Message| {
                message.person == person.position && message.received_at.is_some_and(|at| at <= self.now())
            };
            if let Some(message) = read.filter(there) {
                return Ok((channel, message));
            }
        }
        Err(Error::missing(field, Thing::Message))
    }
}
