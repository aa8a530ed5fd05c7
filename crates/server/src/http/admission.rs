//! Which connections are open, and which may be opened.
//!
//! Two caps: one for each client address (the addresses of an IPv6 /64 count as one) and one for all connections. A
//! connection beyond the cap of its address replaces the longest idle one of that address; if none is idle, it is
//! closed. A connection beyond the cap of all replaces the longest idle one of the address that has the most
//! connections; if none of those is idle, it waits. So a client that opens many idle connections keeps no other client
//! out.

use std::collections::HashMap;
use std::future::Future;
use std::net::IpAddr;

use domain::identity::networks::network_of;
use tokio::task::{AbortHandle, Id, JoinSet};

use super::activity::Activity;

#[derive(Debug, Default)]
pub(super) struct Connections {
    tasks: JoinSet<()>,
    open: HashMap<Id, OpenConnection>,
    of_address: HashMap<IpAddr, usize>,
}

#[derive(Debug)]
struct OpenConnection {
    address: Option<IpAddr>,
    activity: Activity,
    task: AbortHandle,
}

impl Connections {
    pub fn len(&self) -> usize {
        self.tasks.len()
    }

    /// Whether the address has room for one more connection. At the cap, closes its longest idle one to make room.
    pub fn make_room_for(&mut self, address: IpAddr, cap: usize) -> bool {
        let held = self.of_address.get(&network_of(address)).copied().unwrap_or(0);
        held < cap || self.close_idle(network_of(address))
    }

    /// Whether there is room for one more connection. At the cap, closes the longest idle one of the address that has
    /// the most connections to make room.
    pub fn make_room(&mut self, cap: usize) -> bool {
        if self.open.len() < cap {
            return true;
        }
        let most = self.of_address.iter().max_by_key(|(_, count)| **count).map(|(address, _)| *address);
        most.is_some_and(|address| self.close_idle(address))
    }

    fn close_idle(&mut self, address: IpAddr) -> bool {
        let of_address = self.open.iter().filter(|(_, open)| open.address == Some(address));
        let idle = of_address.filter_map(|(id, open)| Some((*id, open.activity.idle_since()?)));
        let Some((id, _)) = idle.min_by_key(|(_, since)| *since) else { return false };
        if let Some(open) = self.forget(id) {
            open.task.abort();
        }
        true
    }

    pub fn spawn(
        &mut self,
        address: Option<IpAddr>,
        activity: Activity,
        connection: impl Future<Output = ()> + Send + 'static,
    ) {
        let address = address.map(network_of);
        if let Some(address) = address {
            *self.of_address.entry(address).or_default() += 1;
        }
        let task = self.tasks.spawn(connection);
        self.open.insert(task.id(), OpenConnection { address, activity, task });
    }

    /// Waits until a connection has ended; `None` at once when no connection is open.
    pub async fn join_next(&mut self) -> Option<()> {
        let ended = self.tasks.join_next_with_id().await?;
        let id = match ended {
            Ok((id, ())) => id,
            Err(error) => error.id(),
        };
        self.forget(id);
        Some(())
    }

    fn forget(&mut self, id: Id) -> Option<OpenConnection> {
        let open = self.open.remove(&id)?;
        if let Some(address) = open.address
            && let Some(count) = self.of_address.get_mut(&address)
        {
            *count -= 1;
            if *count == 0 {
                self.of_address.remove(&address);
            }
        }
        Some(open)
    }

    pub async fn shutdown(&mut self) {
        self.tasks.shutdown().await;
    }
}
