//! Finds the accounts that have a message to send, and wakes the sender.

use std::time::Duration;

use domain::TenantId;
use store::messaging::outbox::DueChannel;
use tokio::sync::watch;

use super::state::SendingAccount;
use crate::messaging::Messaging;

#[boxed::futures]
impl Messaging {
    /// Accounts with a message that is due now, on an enabled channel.
    pub async fn sending_accounts(&self) -> crate::Result<Vec<SendingAccount>> {
        self.accounts_sending_within(Duration::ZERO).await
    }

    /// Accounts with a message that is due within this time, on an enabled channel. Claimed messages count too, so that
    /// claims of a dead process are resolved.
    pub async fn accounts_sending_within(&self, within: Duration) -> crate::Result<Vec<SendingAccount>> {
        self.sender_state().woken.lock().clear();
        let channels = store::messaging::outbox::channels_with_due(self.db(), self.now().plus(within)).await?;
        Ok(grouped(channels))
    }

    /// The same for the tenants whose messages this process has accepted since the last look at any accounts. Asks for
    /// one tenant after the other, so on a distributed database it asks only the workers of these tenants. A tenant
    /// whose worker is away is left out.
    pub async fn woken_accounts_sending_within(&self, within: Duration) -> Vec<SendingAccount> {
        let (woken, due_by) = (std::mem::take(&mut *self.sender_state().woken.lock()), self.now().plus(within));
        let mut accounts = Vec::new();
        for tenant in woken {
            match store::messaging::outbox::channels_of_tenant_with_due(self.db(), tenant, due_by).await {
                Ok(channels) => accounts.extend(grouped(channels)),
                Err(error) => {
                    tracing::warn!(%tenant, %error, "messages of a tenant are not sent at once; a poll finds them");
                }
            }
        }
        accounts
    }

    /// A value that changes whenever this process has accepted a message that is due now.
    pub fn sender_wakeups(&self) -> watch::Receiver<u64> {
        self.sender_state().wakeups.subscribe()
    }

    pub(crate) fn wake_sender(&self, tenant: TenantId) {
        self.sender_state().woken.lock().insert(tenant);
        self.sender_state().wakeups.send_modify(|count| *count = count.wrapping_add(1));
    }
}

fn grouped(channels: Vec<DueChannel>) -> Vec<SendingAccount> {
    let mut accounts: Vec<SendingAccount> = Vec::new();
    for one in channels {
        match accounts.last_mut() {
            Some(last) if last.tenant == one.tenant && last.account_id == one.account_id => {
                last.channels.push(one.channel_id);
            }
            _ => accounts.push(SendingAccount {
                tenant: one.tenant,
                account_id: one.account_id,
                channels: vec![one.channel_id],
            }),
        }
    }
    accounts
}
