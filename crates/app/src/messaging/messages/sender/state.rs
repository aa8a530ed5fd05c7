//! Network accounts that this installation sends for, and what this process knows of their limits.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use domain::messaging::pacing::Pacer;
use domain::{ChannelId, TenantId};
use parking_lot::{Mutex, MutexGuard};
use tokio::sync::watch;

use crate::base::tenant_lease::TenantJob;

/// A network account with those of its enabled channels that have a due message, claimed or not. The channels of an
/// account share its limit of new people.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct SendingAccount {
    pub tenant: TenantId,
    pub account_id: String,
    pub channels: Vec<ChannelId>,
}

impl SendingAccount {
    pub(super) fn lease_name(&self) -> String {
        TenantJob::Sender.lease(self.tenant, &self.account_id)
    }
}

/// What this process knows of every account that it has sent for, and the wake-up of the sender.
#[derive(Debug, Default)]
pub struct SenderState {
    accounts: Mutex<HashMap<(TenantId, String), Arc<AccountState>>>,
    pub(super) wakeups: watch::Sender<u64>,
    /// Tenants with messages that this process has accepted since the last look.
    pub(super) woken: Mutex<BTreeSet<TenantId>>,
}

#[derive(Debug, Default)]
pub(super) struct AccountState {
    /// Locked while a task of this process sends for the account.
    pub running: tokio::sync::Mutex<()>,
    pacer: Mutex<Pacer>,
    /// The lease number under which the pacer was filled; none if another node may have sent for the account since.
    filled_under: Mutex<Option<i64>>,
}

impl AccountState {
    pub fn pacer(&self) -> MutexGuard<'_, Pacer> {
        self.pacer.lock()
    }

    /// Whether the pacer must load the people who count towards the account's limit of new people.
    pub fn needs_filling(&self) -> bool {
        self.filled_under.lock().is_none()
    }

    pub fn is_filled_under(&self, lease: i64) -> bool {
        *self.filled_under.lock() == Some(lease)
    }

    pub fn set_filled_under(&self, lease: i64) {
        *self.filled_under.lock() = Some(lease);
    }

    pub fn lease_lost(&self) {
        *self.filled_under.lock() = None;
    }
}

impl SenderState {
    pub(super) fn account(&self, account: &SendingAccount) -> Arc<AccountState> {
        let mut accounts = self.accounts.lock();
        accounts.entry((account.tenant, account.account_id.clone())).or_default().clone()
    }
}
