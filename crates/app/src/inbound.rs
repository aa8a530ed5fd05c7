//! What the network posts: checked, written down, and only then answered; worked off behind the answer.

mod effects;
mod work_off;

use channels::signature;
use domain::{ChannelId, Id, JournalEntryId, TenantId};
use store::inbound::{Entry, Parked};
use subtle::ConstantTimeEq as _;
use tokio::sync::Notify;
use zeroize::Zeroizing;

use crate::channels::Part;
use crate::{Actor, ActsFor, App, Error, Thing};

#[derive(Debug)]
pub struct Inbound<'a>(&'a App);

impl App {
    pub fn inbound(&self) -> Inbound<'_> {
        Inbound(self)
    }
}

/// This node's part in working off.
#[derive(Debug, Default)]
pub(crate) struct Desk {
    arrived: Notify,
}

/// Why something that was posted is not taken.
#[derive(Debug, thiserror::Error)]
pub enum Refused {
    #[error("there is no such channel")]
    NoChannel,
    #[error("the signature is missing")]
    Unsigned,
    #[error("the signature is not that of these bytes")]
    Forged,
    #[error(transparent)]
    Failed(Error),
}

/// A hook that may be posted to with this signature, if the bytes turn out to be those that were signed.
#[derive(Debug)]
pub struct Door<'a> {
    app: &'a App,
    tenant: TenantId,
    channel: ChannelId,
    app_secret: Zeroizing<String>,
    signed: String,
}

impl<'a> Inbound<'a> {
    /// Does whoever asks know this channel's verify token?
    pub async fn handshake(&self, channel: ChannelId, token: &str) -> Result<bool, Refused> {
        let (_, verify_token) = self.0.channels().hook_secret(channel, Part::VerifyToken).await.map_err(refused)?;
        Ok(verify_token.as_bytes().ct_eq(token.as_bytes()).into())
    }

    /// Before a byte of the body is read: nobody makes us hold what they could not have signed.
    pub async fn door(&self, channel: ChannelId, signed: Option<&str>) -> Result<Door<'a>, Refused> {
        let (tenant, app_secret) = self.0.channels().hook_secret(channel, Part::AppSecret).await.map_err(refused)?;
        let signed = signed.ok_or(Refused::Unsigned)?;
        if !signature::is_one(signed) {
            return Err(Refused::Forged);
        }
        Ok(Door { app: self.0, tenant, channel, app_secret, signed: signed.to_owned() })
    }

    /// Newest first: what arrived and had no effect.
    pub async fn parked(&self, caller: &impl ActsFor, limit: i64) -> crate::Result<Vec<Parked>> {
        let newest = Id::from_bytes([0xff; 12]);
        Ok(store::inbound::parked(self.0.db(), caller.tenant(), newest, limit).await?)
    }

    /// Puts one back to be worked off again: for what a newer version may understand.
    pub async fn retry(&self, actor: &Actor, tenant: TenantId, id: JournalEntryId) -> crate::Result<()> {
        let input = (actor.clone(), tenant, id, self.0.now());
        let write = self.0.db().write(input, |tx, (actor, tenant, id, now)| {
            Box::pin(async move {
                let found = store::inbound::unpark(tx, *tenant, *id).await?;
                let (channel, body) = found.ok_or(Error::NotFound(Thing::ParkedRecord))?;
                let entry = Entry { received_at: *now, id: *id, body };
                store::inbound::append(tx, *tenant, channel, &entry).await?;
                actor.note(tx, *tenant, *now, "inbound.retry", &id.to_string(), serde_json::json!({})).await?;
                Ok::<_, Error>(())
            })
        });
        write.await?;
        self.0.desk().arrived.notify_one();
        Ok(())
    }
}

impl Door<'_> {
    /// Writes a body down as it came. When this returns, it survives whatever happens next.
    pub async fn accept(self, body: Vec<u8>) -> Result<(), Refused> {
        if !signature::verifies(self.app_secret.as_bytes(), &body, &self.signed) {
            return Err(Refused::Forged);
        }
        let now = self.app.now();
        let entry = Entry { received_at: now, id: Id::new(now), body };
        let write = self.app.db().write((self.tenant, self.channel, entry), |tx, (tenant, channel, entry)| {
            Box::pin(store::inbound::append(tx, *tenant, *channel, entry))
        });
        write.await.map_err(|error: store::Error| Refused::Failed(error.into()))?;
        self.app.desk().arrived.notify_one();
        Ok(())
    }
}

fn refused(error: Error) -> Refused {
    match error {
        Error::NotFound(_) => Refused::NoChannel,
        other => Refused::Failed(other),
    }
}

impl App {
    /// Returns when something was posted to this node.
    pub async fn inbound_arrived(&self) {
        self.desk().arrived.notified().await;
    }
}
