//! What the gate remembers of tokens, and how it knows that it may still believe it.
//!
//! Every change of a credential counts an epoch up in its own transaction. On SQLite the epoch is read on each
//! request, which costs a few microseconds; on PostgreSQL a watcher reads it ten times a second, and when the watcher
//! is late the request reads it itself. So a change takes effect at once on SQLite and within a second on every node.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{Duration, Instant};

use domain::{Id, TenantId};
use moka::sync::Cache;
use store::Engine;
use store::tokens::GateToken;

use crate::App;
use crate::principal::Principal;

const REMEMBERED: u64 = 10_000;
/// How old a watched epoch may be. The promise is one second, reading included.
const TRUSTED: Duration = Duration::from_millis(700);

#[derive(Debug)]
pub(crate) struct Remembered {
    pub epoch: i64,
    pub token: GateToken,
    pub principal: Arc<Principal>,
}

#[derive(Debug)]
pub(crate) struct Memory {
    tokens: Cache<(TenantId, Id), Arc<Remembered>>,
    started: Instant,
    watched_epoch: AtomicI64,
    /// Microseconds after `started` at which the watched epoch was asked for; negative while nobody watches.
    watched_at: AtomicI64,
}

impl Default for Memory {
    fn default() -> Self {
        Self {
            tokens: Cache::new(REMEMBERED),
            started: Instant::now(),
            watched_epoch: AtomicI64::new(0),
            watched_at: AtomicI64::new(-1),
        }
    }
}

impl Memory {
    pub fn get(&self, key: (TenantId, Id), epoch: i64) -> Option<Arc<Remembered>> {
        self.tokens.get(&key).filter(|known| known.epoch == epoch)
    }

    pub fn put(&self, key: (TenantId, Id), known: Arc<Remembered>) {
        self.tokens.insert(key, known);
    }

    pub async fn epoch(&self, app: &App) -> store::Result<i64> {
        if app.db().engine() == Engine::Postgres
            && let Some(epoch) = self.fresh_watched()
        {
            return Ok(epoch);
        }
        store::epochs::credentials(app.db()).await
    }

    fn fresh_watched(&self) -> Option<i64> {
        let at = u64::try_from(self.watched_at.load(Ordering::Acquire)).ok()?;
        let age = self.started.elapsed().saturating_sub(Duration::from_micros(at));
        (age <= TRUSTED).then(|| self.watched_epoch.load(Ordering::Acquire))
    }

    /// One look of the watcher. The time counts from before the question: an answer can only be older than it looks.
    pub async fn watch(&self, app: &App) -> store::Result<()> {
        let asked = i64::try_from(self.started.elapsed().as_micros()).unwrap_or(-1);
        let epoch = store::epochs::credentials(app.db()).await?;
        self.watched_epoch.store(epoch, Ordering::Release);
        self.watched_at.store(asked, Ordering::Release);
        Ok(())
    }
}

impl App {
    /// For the watcher; only PostgreSQL needs one.
    pub async fn watch_credentials(&self) -> store::Result<()> {
        self.memory().watch(self).await
    }
}
