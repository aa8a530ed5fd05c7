//! The sandbox channel of a new tenant, so that it can try the API without an account at a network.

use domain::channels::{Channel, NewChannel, SANDBOX};
use domain::{Id, TenantId, Timestamp};
use store::Tx;

use super::Secrets;
use crate::{App, Result};

/// A valid number that is never assigned: 555-0100 to 555-0199 are reserved for fiction.
const NUMBER: &str = "14155550100";
const NAME: &str = "Sandbox";

/// A sandbox channel, ready to be stored with its tenant.
#[derive(Debug, Clone)]
pub(crate) struct SandboxChannel {
    channel: Channel,
    sealed: store::channels::SealedSecrets,
}

impl App {
    /// Builds the sandbox channel of a tenant. `None` when the sandbox is switched off.
    pub(crate) fn sandbox_channel(&self, tenant: TenantId, now: Timestamp) -> Result<Option<SandboxChannel>> {
        if !self.networks().has_sandbox() {
            return Ok(None);
        }
        let network_id = || rand::random_range(100_000_000_000_000_u64..1_000_000_000_000_000).to_string();
        let new = NewChannel {
            name: NAME.to_owned(),
            phone_number: NUMBER.to_owned(),
            phone_number_id: network_id(),
            account_id: network_id(),
            network: SANDBOX.to_owned(),
        };
        let channel = new.checked(Id::new(now), true, now).map_err(|error| crate::Error::of_member(&error))?;
        let sealed = self.channels().sealed(tenant, channel.id, &Secrets::random())?;
        Ok(Some(SandboxChannel { channel, sealed }))
    }
}

impl SandboxChannel {
    pub(crate) async fn insert(&self, tx: &mut Tx<'_>, tenant: TenantId) -> Result<()> {
        store::channels::insert(tx, tenant, &self.channel, &self.sealed).await?;
        Ok(())
    }
}
