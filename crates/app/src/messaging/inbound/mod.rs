//! What the network posts to the hook of a channel.
//!
//! A post is checked (channel, then signature over the raw bytes), stored in the journal exactly as it came, and only
//! then answered with 200. It is parsed afterwards, by the worker that processes the journal.
//!
//! - `signed_post` runs before the body is read, so a client without a well-formed signature cannot make the server
//!   hold its bytes; `SignedPost::accept` verifies the signature and stores the body durably.
//! - `process.rs` applies the effects of each journal entry and deletes the entry in one transaction, in the order of
//!   arrival for each channel. `effects/mod.rs` has the effects, except those of calls and payments, whose areas handle
//!   them (`handlers.rs`).
//! - Crash before the commit of `accept`: the network gets no 200 and posts again. Crash after it: the entry is in the
//!   journal, and the next round of any node processes it.
//! - A record that cannot be applied is parked with the reason, and a body that cannot be parsed is parked whole;
//!   `retry` puts either back into the journal.

pub(crate) mod arrival;
mod bulk;
pub(crate) mod effects;
mod handlers;
mod process;

pub(crate) use handlers::{RecordHandler, RecordHandlers};

use channels::signature;
use domain::{ChannelId, Id, JournalEntryId, TenantId};
use store::messaging::inbound::{JournalEntry, ParkedRecord};
use subtle::ConstantTimeEq as _;
use zeroize::Zeroizing;

use crate::messaging::Messaging;
use crate::messaging::channels::ChannelSecret;
use crate::{ActsFor, Error, Thing};

/// In bytes. The signature of a larger body is checked on the threads for computing: it takes milliseconds, which a
/// client without a credential must not take from the threads that answer requests.
const LARGE_BODY: usize = 256 << 10;

#[derive(Debug)]
pub struct Inbound<'a>(&'a Messaging);

impl Messaging {
    pub fn inbound(&self) -> Inbound<'_> {
        Inbound(self)
    }
}

/// Why a post is refused.
#[derive(Debug, thiserror::Error)]
pub enum Refused {
    #[error("there is no such channel")]
    NoChannel,
    #[error("the signature is missing")]
    Unsigned,
    #[error("the signature does not match the body")]
    Forged,
    #[error(transparent)]
    Failed(Error),
}

/// A post whose channel exists and whose signature is well formed. `accept` checks whether the signature fits the body.
#[derive(Debug)]
pub struct SignedPost<'a> {
    messaging: &'a Messaging,
    tenant: TenantId,
    channel: ChannelId,
    app_secret: Zeroizing<String>,
    signature: String,
}

#[boxed::futures]
impl<'a> Inbound<'a> {
    /// Whether `token` is the verify token of the channel.
    pub async fn verify_token_matches(&self, channel: ChannelId, token: &str) -> Result<bool, Refused> {
        let (_, verify_token) =
            self.0.channels().hook_secret(channel, ChannelSecret::VerifyToken).await.map_err(refused)?;
        Ok(verify_token.as_bytes().ct_eq(token.as_bytes()).into())
    }

    /// The first check of a post, before its body is read: the channel must exist and the signature must be well
    /// formed.
    pub async fn signed_post(&self, channel: ChannelId, signature: Option<&str>) -> Result<SignedPost<'a>, Refused> {
        let (tenant, app_secret) =
            self.0.channels().hook_secret(channel, ChannelSecret::AppSecret).await.map_err(refused)?;
        let signature = signature.ok_or(Refused::Unsigned)?;
        if !signature::is_well_formed(signature) {
            return Err(Refused::Forged);
        }
        Ok(SignedPost { messaging: self.0, tenant, channel, app_secret, signature: signature.to_owned() })
    }

    /// Parked records, the newest first, at most `limit`.
    pub async fn parked(&self, caller: &dyn ActsFor, limit: i64) -> crate::Result<Vec<ParkedRecord>> {
        let newest = Id::from_bytes([0xff; 12]);
        Ok(store::messaging::inbound::parked(self.0.db(), caller.tenant(), newest, limit).await?)
    }

    /// Puts a parked record back into the journal as an entry that arrives now, so that it is processed again, for
    /// example after an upgrade.
    pub async fn retry(&self, caller: &dyn ActsFor, id: JournalEntryId) -> crate::Result<()> {
        let input = (caller.audit_actor(), caller.tenant(), id, self.0.now());
        let write = self.0.db().write(input, |tx, (actor, tenant, id, now)| {
            Box::pin(async move {
                let found = store::messaging::inbound::unpark(tx, *tenant, *id).await?;
                let (channel, body) = found.ok_or(Error::NotFound(Thing::ParkedRecord))?;
                let entry = JournalEntry { received_at: *now, id: *id, body };
                store::messaging::inbound::append(tx, *tenant, channel, &entry).await?;
                actor.record(tx, *tenant, *now, "inbound.retry", &id.to_string(), serde_json::json!({})).await?;
                Ok::<_, Error>(())
            })
        });
        write.await?;
        self.0.inbound_wakeup().wake();
        Ok(())
    }
}

#[boxed::futures]
impl SignedPost<'_> {
    /// Checks the signature and stores the body as it came. When this returns `Ok`, the body survives a crash.
    pub async fn accept(self, body: Vec<u8>) -> Result<(), Refused> {
        let Self { messaging, tenant, channel, app_secret, signature } = self;
        let is_large = body.len() > LARGE_BODY;
        let verify = move || signature::verifies(app_secret.as_bytes(), &body, &signature).then_some(body);
        let verified = if is_large {
            let verified = store::for_tenant(tenant, messaging.db().computing().run(verify)).await;
            verified.map_err(|error| Refused::Failed(error.into()))?
        } else {
            verify()
        };
        let body = verified.ok_or(Refused::Forged)?;
        let now = messaging.now();
        let entry = JournalEntry { received_at: now, id: Id::new(now), body };
        let write = messaging.db().write((tenant, channel, entry), |tx, (tenant, channel, entry)| {
            Box::pin(store::messaging::inbound::append(tx, *tenant, *channel, entry))
        });
        let written = store::for_tenant(tenant, write).await;
        written.map_err(|error: store::Error| Refused::Failed(error.into()))?;
        messaging.inbound_wakeup().wake();
        Ok(())
    }
}

fn refused(error: Error) -> Refused {
    match error {
        Error::NotFound(_) => Refused::NoChannel,
        other => Refused::Failed(other),
    }
}

#[boxed::futures]
impl Messaging {
    /// Waits until this process has stored a post.
    pub async fn inbound_arrived(&self) {
        self.inbound_wakeup().woken().await;
    }
}
