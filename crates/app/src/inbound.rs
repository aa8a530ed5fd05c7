//! What the network posts: checked, written down, and only then answered; worked off behind the answer.

mod effects;
mod work_off;

use channels::signature;
use domain::{Id, TenantId};
use store::inbound::{Entry, Parked};
use subtle::ConstantTimeEq as _;
use tokio::sync::Notify;

use crate::{Actor, ActsFor, App, Error};

#[derive(Debug)]
pub struct Inbound<'a>(&'a App);

impl App {
    pub fn inbound(&self) -> Inbound<'_> {
        Inbound(self)
    }
}

/// This node's part in working off.
#[derive(Debug)]
pub(crate) struct Desk {
    arrived: Notify,
    /// Names this node in leases.
    holder: String,
}

impl Desk {
    pub fn new(engine: store::Engine) -> Self {
        let holder = match engine {
            // One server at a time has the file: a start takes over at once from whoever was killed.
            store::Engine::Sqlite => "embedded".to_owned(),
            store::Engine::Postgres => format!("{:016x}", rand::random::<u64>()),
        };
        Self { arrived: Notify::new(), holder }
    }
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

impl Inbound<'_> {
    /// Does whoever asks know this channel's verify token?
    pub async fn handshake(&self, channel: Id, token: &str) -> Result<bool, Refused> {
        let opened = self.0.channels().by_hook(channel).await.map_err(refused)?;
        Ok(opened.secrets.verify_token.as_bytes().ct_eq(token.as_bytes()).into())
    }

    /// Writes a body down as it came. When this returns, it survives whatever happens next.
    pub async fn accept(&self, channel: Id, signed: Option<&str>, body: Vec<u8>) -> Result<(), Refused> {
        let opened = self.0.channels().by_hook(channel).await.map_err(refused)?;
        let signed = signed.ok_or(Refused::Unsigned)?;
        if !signature::verifies(opened.secrets.app_secret.as_bytes(), &body, signed) {
            return Err(Refused::Forged);
        }
        let now = self.0.now();
        let entry = Entry { received_at: now, id: Id::new(now), body };
        self.0.append(opened.tenant, channel, entry).await.map_err(|error| Refused::Failed(error.into()))
    }

    /// Newest first: what arrived and had no effect.
    pub async fn parked(&self, caller: &impl ActsFor, limit: i64) -> crate::Result<Vec<Parked>> {
        let newest = Id::from_bytes([0xff; 12]);
        Ok(store::inbound::parked(self.0.db(), caller.tenant(), newest, limit).await?)
    }

    /// Puts one back to be worked off again: for what a newer version may understand.
    pub async fn retry(&self, actor: &Actor, tenant: TenantId, id: Id) -> crate::Result<()> {
        let input = (actor.clone(), tenant, id, self.0.now());
        let write = self.0.db().write(input, |tx, (actor, tenant, id, now)| {
            Box::pin(async move {
                let found = store::inbound::unpark(tx, *tenant, *id).await?;
                let (channel, body) = found.ok_or(Error::NotFound("parked record"))?;
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

fn refused(error: Error) -> Refused {
    match error {
        Error::NotFound(_) => Refused::NoChannel,
        other => Refused::Failed(other),
    }
}

impl App {
    async fn append(&self, tenant: TenantId, channel: Id, entry: Entry) -> store::Result<()> {
        let write = self.db().write((tenant, channel, entry), |tx, (tenant, channel, entry)| {
            Box::pin(store::inbound::append(tx, *tenant, *channel, entry))
        });
        write.await?;
        self.desk().arrived.notify_one();
        Ok(())
    }

    /// Returns when something was posted to this node.
    pub async fn inbound_arrived(&self) {
        self.desk().arrived.notified().await;
    }
}
