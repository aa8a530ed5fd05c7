//! The last use of each token and session: collected in memory and written by a background task every few seconds and
//! at a clean stop. A crash loses the uses since the last write; a failed write is tried again. A write does not
//! replace a later use that is stored already.

use std::collections::HashMap;
use std::net::IpAddr;

use domain::{SessionId, TenantId, Timestamp, TokenId};
use parking_lot::Mutex;
use store::identity::sessions::SessionUse;
use store::identity::tokens::Use;

type TokenUses = HashMap<(TenantId, TokenId), (Timestamp, IpAddr)>;
type SessionUses = HashMap<(TenantId, SessionId), Timestamp>;

#[derive(Debug, Default)]
pub(crate) struct Uses(Mutex<Noted>);

/// Uses that are not written yet.
#[derive(Debug, Default)]
pub(super) struct Noted {
    tokens: TokenUses,
    sessions: SessionUses,
}

impl Uses {
    pub fn note(&self, tenant: TenantId, id: TokenId, at: Timestamp, from: IpAddr) {
        self.0.lock().tokens.insert((tenant, id), (at, from));
    }

    pub fn note_session(&self, tenant: TenantId, id: SessionId, at: Timestamp) {
        self.0.lock().sessions.insert((tenant, id), at);
    }

    pub(super) fn take(&self) -> Noted {
        std::mem::take(&mut *self.0.lock())
    }

    /// Puts uses that could not be written back for the next write, unless the token or session was used since.
    pub(super) fn put_back(&self, noted: Noted) {
        let mut present = self.0.lock();
        for (token, seen) in noted.tokens {
            present.tokens.entry(token).or_insert(seen);
        }
        for (session, at) in noted.sessions {
            present.sessions.entry(session).or_insert(at);
        }
    }
}

impl Noted {
    pub fn count(&self) -> usize {
        self.tokens.len() + self.sessions.len()
    }

    pub fn token_rows(&self) -> Vec<Use> {
        let row = |(&(tenant, id), &(at, from)): (&(TenantId, TokenId), &(Timestamp, IpAddr))| Use {
            tenant,
            id,
            at: at.to_millis(),
            address: from.to_canonical().to_string(),
        };
        self.tokens.iter().map(row).collect()
    }

    pub fn session_rows(&self) -> Vec<SessionUse> {
        self.sessions.iter().map(|(&(tenant, id), &at)| SessionUse { tenant, id, at: at.to_millis() }).collect()
    }
}
