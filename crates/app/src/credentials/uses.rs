//! The last use of each token and session: collected in memory and written by a background task every few seconds and
//! at a clean stop. A crash loses the uses since the last write; a failed write is tried again. A write does not
//! replace a later use that is stored already.

use std::collections::HashMap;
use std::net::IpAddr;

use domain::{SessionId, TenantId, Timestamp, TokenId};
use parking_lot::Mutex;
use store::sessions::SessionUse;
use store::tokens::Use;

use crate::App;

type TokenUses = HashMap<(TenantId, TokenId), (Timestamp, IpAddr)>;
type SessionUses = HashMap<(TenantId, SessionId), Timestamp>;

#[derive(Debug, Default)]
pub(crate) struct Uses(Mutex<Noted>);

#[derive(Debug, Default)]
struct Noted {
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

    fn take(&self) -> Noted {
        std::mem::take(&mut *self.0.lock())
    }

    /// Puts uses that could not be written back for the next write, unless the token or session was used since.
    fn put_back(&self, noted: Noted) {
        let mut present = self.0.lock();
        for (token, seen) in noted.tokens {
            present.tokens.entry(token).or_insert(seen);
        }
        for (session, at) in noted.sessions {
            present.sessions.entry(session).or_insert(at);
        }
    }
}

fn token_rows(noted: &TokenUses) -> Vec<Use> {
    let row = |(&(tenant, id), &(at, from)): (&(TenantId, TokenId), &(Timestamp, IpAddr))| Use {
        tenant,
        id,
        at: at.to_millis(),
        address: from.to_canonical().to_string(),
    };
    noted.iter().map(row).collect()
}

fn session_rows(noted: &SessionUses) -> Vec<SessionUse> {
    noted.iter().map(|(&(tenant, id), &at)| SessionUse { tenant, id, at: at.to_millis() }).collect()
}

#[boxed::futures]
impl App {
    /// Writes the uses since the last call and returns how many tokens and sessions were used.
    pub async fn save_uses(&self) -> crate::Result<usize> {
        let noted = self.uses().take();
        let count = noted.tokens.len() + noted.sessions.len();
        if count > 0 {
            let rows = (token_rows(&noted.tokens), session_rows(&noted.sessions));
            let written = self.db().write(rows, |tx, (tokens, sessions)| {
                Box::pin(async move {
                    store::tokens::touch(tx, tokens).await?;
                    store::sessions::touch(tx, sessions).await
                })
            });
            if let Err(error) = written.await {
                self.uses().put_back(noted);
                return Err(error.into());
            }
        }
        Ok(count)
    }
}
