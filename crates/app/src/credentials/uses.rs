//! When and from where tokens were last used: noted in memory, written behind the requests.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};

use domain::{Id, TenantId, Timestamp};
use store::tokens::Use;

use crate::App;

#[derive(Debug, Default)]
pub(crate) struct Uses(Mutex<HashMap<(TenantId, Id), (Timestamp, IpAddr)>>);

impl Uses {
    pub fn note(&self, tenant: TenantId, id: Id, at: Timestamp, from: IpAddr) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert((tenant, id), (at, from));
    }

    fn take(&self) -> Vec<Use> {
        let noted = std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner));
        let seen = noted.into_iter().map(|((tenant, id), (at, from))| Use {
            tenant,
            id,
            at: at.to_millis(),
            address: from.to_canonical().to_string(),
        });
        seen.collect()
    }
}

impl App {
    /// Writes down the uses since the last time; answers how many tokens were used.
    pub async fn write_down_uses(&self) -> store::Result<usize> {
        let uses = self.uses().take();
        let count = uses.len();
        if count > 0 {
            self.db().write(uses, |tx, uses| Box::pin(store::tokens::touch(tx, uses))).await?;
        }
        Ok(count)
    }
}
