//! The sandbox channel of a new tenant, so that it can try the API without an account at a network.

use domain::messaging::channels::{Channel, SANDBOX};
use domain::{Id, TenantId, Timestamp};
use store::Tx;

use super::Secrets;
use crate::Result;
use crate::messaging::Messaging;

/// A valid number that is never assigned: 555-0100 to 555-0199 are reserved for fiction.
const NUMBER: &str = "14155550100";
const NAME: &str = "Sandbox";

/// A sandbox channel, ready to be stored with its tenant.
#[derive(Debug, Clone)]
pub(crate) struct SandboxChannel {
    channel: Channel,
    sealed: store::messaging::channels::SealedSecrets,
}

impl Messaging {
    /// Builds the sandbox channel of a tenant. `None` when the sandbox is switched off.
    pub(crate) fn sandbox_channel(&self, tenant: TenantId, now: Timestamp) -> Result<Option<SandboxChannel>> {
        if !self.networks().has_sandbox() {
            return Ok(None);
        }
        let channel = new_channel(now);
        let sealed = self.channels().sealed(tenant, channel.id, &Secrets::random())?;
        Ok(Some(SandboxChannel { channel, sealed }))
    }
}

/// Built without the check of `NewChannel`, whose first use loads the numbering plans: the first start would wait for
/// them.
fn new_channel(now: Timestamp) -> Channel {
    let network_id = || rand::random_range(100_000_000_000_000_u64..1_000_000_000_000_000).to_string();
    Channel {
        id: Id::new(now),
        name: NAME.to_owned(),
        phone_number: NUMBER.to_owned(),
        phone_number_id: network_id(),
        account_id: network_id(),
        network: SANDBOX.to_owned(),
        is_default: true,
        enabled: true,
        quality: None,
        problem: None,
        created_at: now.to_millis(),
        updated_at: now.to_millis(),
    }
}

impl SandboxChannel {
    pub(crate) async fn insert(&self, tx: &mut Tx<'_>, tenant: TenantId) -> Result<()> {
        store::messaging::channels::insert(tx, tenant, &self.channel, &self.sealed).await?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use domain::messaging::channels::NewChannel;

    use super::*;

    #[test]
    fn the_channel_is_one_that_the_check_accepts() {
        let now = Timestamp::from_seconds(1_700_000_000);
        let channel = new_channel(now);
        let new = NewChannel {
            name: channel.name.clone(),
            phone_number: channel.phone_number.clone(),
            phone_number_id: channel.phone_number_id.clone(),
            account_id: channel.account_id.clone(),
            network: channel.network.clone(),
        };
        assert_eq!(new.checked(channel.id, now), Ok(Channel { is_default: false, ..channel }));
    }
}
