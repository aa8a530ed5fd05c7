//! The last use of each token: collected in memory and written by a background task every few seconds and at a clean
//! stop. A crash loses the uses since the last write; a failed write is tried again. A stored later use stays.

use std::collections::HashMap;
use std::net::IpAddr;

use domain::{TenantId, Timestamp, TokenId};
use parking_lot::Mutex;
use store::tokens::Use;

use crate::App;

type Noted = HashMap<(TenantId, TokenId), (Timestamp, IpAddr)>;

#[derive(Debug, Default)]
pub(crate) struct Uses(Mutex<Noted>);

impl Uses {
    pub fn note(&self, tenant: TenantId, id: TokenId, at: Timestamp, from: IpAddr) {
        self.0.lock().insert((tenant, id), (at, from));
    }

    fn take(&self) -> Noted {
        std::mem::take(&mut *self.0.lock())
    }

    /// Keeps uses that could not be written for the next write, unless the token was used since.
    fn put_back(&self, noted: Noted) {
        let mut present = self.0.lock();
        for (token, seen) in noted {
            present.entry(token).or_insert(seen);
        }
    }
}

fn rows(noted: &Noted) -> Vec<Use> {
    let row = |(&(tenant, id), &(at, from)): (&(TenantId, TokenId), &(Timestamp, IpAddr))| Use {
        tenant,
        id,
        at: at.to_millis(),
        address: from.to_canonical().to_string(),
    };
    noted.iter().map(row).collect()
}

impl App {
    /// Writes the uses since the last call and returns the number of tokens.
    pub async fn save_token_uses(&self) -> crate::Result<usize> {
        let noted = self.uses().take();
        let count = noted.len();
        if count > 0 {
            let written = self.db().write(rows(&noted), |tx, uses| Box::pin(store::tokens::touch(tx, uses))).await;
            if let Err(error) = written {
                self.uses().put_back(noted);
                return Err(error.into());
            }
        }
        Ok(count)
    }
}
