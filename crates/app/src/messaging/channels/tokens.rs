//! Asks the network about the access tokens of channels: whether they are valid, and when they expire.
//!
//! One node at a time does it, under a lease. A channel is asked about once a day, and after a change of its secrets.
//! If the network does not answer, the next round asks again; an answer without a time of expiry counts as an answer.

use channels::graph::Class;
use domain::messaging::channels::TokenCheck;
use domain::{ChannelId, TenantId};

use super::Channels;
use crate::messaging::Messaging;
use crate::{ActsFor, Error, Result};

const LEASE: &str = "tokens";
const LEASE_SECONDS: i64 = 600;
const EVERY_SECONDS: i64 = 86_400;
/// Most channels that one round asks about.
const AT_ONCE: i64 = 100;

#[boxed::futures]
impl Channels<'_> {
    /// What the network last said about the tokens of a tenant's channels.
    pub async fn token_checks(&self, caller: &dyn ActsFor) -> Result<Vec<(ChannelId, TokenCheck)>> {
        Ok(store::messaging::channel_tokens::of_tenant(self.0.db(), caller.tenant()).await?)
    }
}

#[boxed::futures]
impl Messaging {
    /// Asks the network about the tokens that are due. Does nothing while another node holds the lease.
    pub async fn check_tokens(&self) -> Result<()> {
        let now = self.now();
        let before = now.plus_seconds(-EVERY_SECONDS);
        if store::messaging::channel_tokens::due(self.db(), before, 1).await?.is_empty() {
            return Ok(());
        }
        let input = (self.node_name().to_owned(), now);
        let lease = self.db().write(input, |tx, (holder, now)| {
            Box::pin(store::base::leases::acquire(tx, LEASE, holder, *now, now.plus_seconds(LEASE_SECONDS)))
        });
        if lease.await?.is_none() {
            return Ok(());
        }
        for (tenant, channel) in store::messaging::channel_tokens::due(self.db(), before, AT_ONCE).await? {
            match self.check_token(tenant, channel).await {
                Err(Error::Store(error)) => return Err(error.into()),
                Err(error) => tracing::debug!(%tenant, %channel, %error, "the token of a channel cannot be checked"),
                Ok(()) => {}
            }
        }
        Ok(())
    }

    async fn check_token(&self, tenant: TenantId, channel: ChannelId) -> Result<()> {
        let opened = self.channels().open(tenant, channel).await?;
        let checked_at = self.now().to_millis();
        let check = match self.channels().graph(&opened)?.token_info().await {
            Ok(info) => TokenCheck { is_valid: info.is_valid, expires_at: info.expires_at, checked_at },
            Err(error) if error.code == Some(TOKEN_REFUSED) => {
                TokenCheck { is_valid: false, expires_at: None, checked_at }
            }
            Err(error) if error.class == Class::Refuse => TokenCheck { is_valid: true, expires_at: None, checked_at },
            // The network does not answer: the next round asks again.
            Err(_) => return Ok(()),
        };
        let input = (tenant, channel, check);
        let saved = self.db().write(input, |tx, (tenant, channel, check)| {
            Box::pin(store::messaging::channel_tokens::save(tx, *tenant, *channel, check))
        });
        Ok(saved.await?)
    }
}

/// The network's code for a token that has expired or was withdrawn.
const TOKEN_REFUSED: i32 = 190;
