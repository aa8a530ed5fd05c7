//! The operators whose consoles are open on this node.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use domain::{AccountId, TenantId};
use parking_lot::Mutex;

/// How many consoles each operator has open.
#[derive(Debug, Clone, Default)]
pub(crate) struct Connections(Arc<Mutex<HashMap<(TenantId, AccountId), usize>>>);

/// An open console, until it is dropped.
#[derive(Debug)]
pub(super) struct Connection {
    connections: Connections,
    operator: (TenantId, AccountId),
}

impl Connections {
    pub(super) fn open(&self, tenant: TenantId, account: AccountId) -> Connection {
        let operator = (tenant, account);
        *self.0.lock().entry(operator).or_default() += 1;
        Connection { connections: self.clone(), operator }
    }

    pub fn operators(&self) -> HashSet<(TenantId, AccountId)> {
        self.0.lock().keys().copied().collect()
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        let mut open = self.connections.0.lock();
        if let Some(count) = open.get_mut(&self.operator) {
            *count -= 1;
            if *count == 0 {
                open.remove(&self.operator);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::Timestamp;

    #[test]
    fn an_operator_is_connected_until_the_last_console_is_closed() {
        let (connections, tenant) = (Connections::default(), TenantId::from_number(100_001));
        let ada = AccountId::new(Timestamp::from_seconds(1_776_000_000));
        let (first, second) = (connections.open(tenant, ada), connections.open(tenant, ada));
        drop(first);
        assert_eq!(connections.operators(), HashSet::from([(tenant, ada)]));
        drop(second);
        assert!(connections.operators().is_empty());
    }
}
