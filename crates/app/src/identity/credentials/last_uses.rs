//! The last use of each token and session: collected in memory and written by a background task every few seconds and
//! at a clean stop. A crash loses the uses since the last write; a failed write is tried again. A write does not
//! replace a later use that is stored already.

use std::collections::HashMap;
use std::net::IpAddr;

use domain::{SessionId, TenantId, Timestamp, TokenId};
use parking_lot::Mutex;
use store::identity::sessions::SessionUse;
use store::identity::tokens::TokenUse;

type TokenUses = HashMap<(TenantId, TokenId), (Timestamp, IpAddr)>;
type SessionUses = HashMap<(TenantId, SessionId), Timestamp>;

#[derive(Debug, Default)]
pub(crate) struct LastUses(Mutex<UnwrittenUses>);

/// Uses that are not written yet.
#[derive(Debug, Default)]
pub(super) struct UnwrittenUses {
    tokens: TokenUses,
    sessions: SessionUses,
}

impl LastUses {
    pub fn record_token(&self, tenant: TenantId, id: TokenId, at: Timestamp, from: IpAddr) {
        self.0.lock().tokens.insert((tenant, id), (at, from));
    }

    pub fn record_session(&self, tenant: TenantId, id: SessionId, at: Timestamp) {
        self.0.lock().sessions.insert((tenant, id), at);
    }

    pub(super) fn take(&self) -> UnwrittenUses {
        std::mem::take(&mut *self.0.lock())
    }

    /// Puts uses that could not be written back for the next write, unless the token or session was used since.
    pub(super) fn put_back(&self, unwritten: UnwrittenUses) {
        let mut present = self.0.lock();
        for (token, seen) in unwritten.tokens {
            present.tokens.entry(token).or_insert(seen);
        }
        for (session, at) in unwritten.sessions {
            present.sessions.entry(session).or_insert(at);
        }
    }
}

impl UnwrittenUses {
    pub fn count(&self) -> usize {
        self.tokens.len() + self.sessions.len()
    }

    pub fn token_rows(&self) -> Vec<TokenUse> {
        let row = |(&(tenant, id), &(at, from)): (&(TenantId, TokenId), &(Timestamp, IpAddr))| TokenUse {
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
