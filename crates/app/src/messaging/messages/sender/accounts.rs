//! Finds the accounts that have a message to send, and wakes the sender.

use std::time::Duration;

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
        let mut accounts: Vec<SendingAccount> = Vec::new();
        for one in store::messaging::outbox::channels_with_due(self.db(), self.now().plus(within)).await? {
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
        Ok(accounts)
    }

    /// A value that changes whenever this process has accepted a message that is due now.
    pub fn sender_wakeups(&self) -> watch::Receiver<u64> {
        self.sender_state().wakeups.subscribe()
    }

    pub(crate) fn wake_sender(&self) {
        self.sender_state().wakeups.send_modify(|count| *count = count.wrapping_add(1));
    }
}
