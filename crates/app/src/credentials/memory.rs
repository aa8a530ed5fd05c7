//! What the gate remembers of tokens, and how it knows that it may still believe it.
//!
//! Every change of a credential counts an epoch up in its own transaction. The gate believes the epoch that it read a
//! moment ago: 10 ms on SQLite, where reading it again costs the request some microseconds; 0.7 s on PostgreSQL, where
//! a watcher reads it ten times a second. A change through this process is believed at once, one by a command before
//! the command returns (it waits for that moment), and one on another node within a second.

use std::sync::Arc;
use std::time::{Duration, Instant};

use domain::{TenantId, TokenId};
use moka::sync::Cache;
use parking_lot::{Mutex, MutexGuard};
use store::Engine;
use store::tokens::GateToken;

use crate::App;
use crate::principal::Principal;

const REMEMBERED: u64 = 10_000;

/// How old an epoch may be that is still believed.
const fn believed(engine: Engine) -> Duration {
    match engine {
        Engine::Sqlite => Duration::from_millis(10),
        Engine::Postgres => Duration::from_millis(700),
    }
}

/// After so long a server that runs beside a command has noticed what the command changed: always on SQLite, and on
/// PostgreSQL unless its watcher is late.
pub const fn noticed_within(engine: Engine) -> Duration {
    match engine {
        Engine::Sqlite => Duration::from_millis(20),
        Engine::Postgres => Duration::from_millis(150),
    }
}

#[derive(Debug)]
pub(crate) struct Remembered {
    pub epoch: i64,
    pub token: GateToken,
    pub principal: Arc<Principal>,
}

#[derive(Debug)]
pub(crate) struct Memory {
    tokens: Cache<(TenantId, TokenId), Arc<Remembered>>,
    seen: Mutex<Seen>,
}

/// The epoch as it was read last.
#[derive(Debug, Default, Clone, Copy)]
struct Seen {
    epoch: i64,
    /// When it was asked for: an answer can only be older than it looks.
    asked: Option<Instant>,
    /// Counts changes through this process: what was asked for before one is not believed after it.
    changes: u64,
}

impl Default for Memory {
    fn default() -> Self {
        Self { tokens: Cache::new(REMEMBERED), seen: Mutex::default() }
    }
}

impl Memory {
    pub fn get(&self, key: (TenantId, TokenId), epoch: i64) -> Option<Arc<Remembered>> {
        self.tokens.get(&key).filter(|known| known.epoch == epoch)
    }

    pub fn put(&self, key: (TenantId, TokenId), known: Arc<Remembered>) {
        self.tokens.insert(key, known);
    }

    pub async fn epoch(&self, app: &App) -> store::Result<i64> {
        let seen = *self.seen();
        match seen.asked {
            Some(asked) if asked.elapsed() <= believed(app.db().engine()) => Ok(seen.epoch),
            _ => self.look(app).await,
        }
    }

    /// Reads the epoch anew.
    pub async fn look(&self, app: &App) -> store::Result<i64> {
        let (asked, changes) = (Instant::now(), self.seen().changes);
        let epoch = store::epochs::credentials(app.db()).await?;
        let mut seen = self.seen();
        if seen.changes == changes {
            *seen = Seen { epoch, asked: Some(asked), changes };
        }
        Ok(epoch)
    }

    /// Something was changed through this process.
    fn changed(&self) {
        let mut seen = self.seen();
        seen.changes += 1;
        seen.asked = None;
    }

    fn seen(&self) -> MutexGuard<'_, Seen> {
        self.seen.lock()
    }
}

impl App {
    /// A transaction that changes credentials: the gate of this process obeys it from here on.
    pub(crate) async fn change<I, T, E>(&self, input: I, body: impl store::Body<I, T, E>) -> Result<T, E>
    where
        I: Send + Sync + 'static,
        T: Send + 'static,
        E: store::Failure,
    {
        let outcome = self.db().write(input, body).await;
        self.memory().changed();
        outcome
    }

    /// For the watcher; only PostgreSQL needs one.
    pub async fn watch_credentials(&self) -> crate::Result<()> {
        self.memory().look(self).await?;
        Ok(())
    }
}
