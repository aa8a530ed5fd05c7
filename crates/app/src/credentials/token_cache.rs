//! The gate's cache of tokens, and the epoch that decides whether its entries are valid.
//!
//! The transaction that changes a credential also increments the credentials epoch. A cached token is used only while
//! the epoch equals that of its entry. The gate uses an epoch that it read at most `max_epoch_age` ago: 10 ms on
//! SQLite, where a read takes microseconds; 0.7 s on PostgreSQL, where a background watcher reads it ten times a second
//! while requests use it.
//!
//! So a change through this process holds at once, and a change by a command normally before the command returns (it
//! waits `noticed_within`). Any other change holds within a second, also if the watcher is late or stopped: the gate
//! then reads the epoch itself. Nothing is stored, so a crash loses only the cache.

use std::sync::Arc;
use std::time::{Duration, Instant};

use domain::{TenantId, TokenId};
use parking_lot::{Mutex, MutexGuard};
use store::Engine;
use store::tokens::GateToken;

use crate::App;
use crate::cache::Cache;
use crate::principal::Principal;

const MAX_TOKENS: usize = 10_000;

/// An epoch older than this is read again.
const fn max_epoch_age(engine: Engine) -> Duration {
    match engine {
        Engine::Sqlite => Duration::from_millis(10),
        Engine::Postgres => Duration::from_millis(700),
    }
}

/// How long a command waits after it has changed a credential. A running server has read the new epoch by then: always
/// on SQLite, and on PostgreSQL unless the server's watcher is late.
pub const fn noticed_within(engine: Engine) -> Duration {
    match engine {
        Engine::Sqlite => Duration::from_millis(20),
        Engine::Postgres => Duration::from_millis(150),
    }
}

#[derive(Debug)]
pub(crate) struct CachedToken {
    pub epoch: i64,
    pub token: GateToken,
    pub principal: Arc<Principal>,
}

#[derive(Debug)]
pub(crate) struct TokenCache {
    tokens: Cache<(TenantId, TokenId), Arc<CachedToken>>,
    reading: Mutex<EpochReading>,
}

/// The last read of the epoch.
#[derive(Debug, Default, Clone, Copy)]
struct EpochReading {
    epoch: i64,
    /// When the read began: the value may have changed since then.
    asked: Option<Instant>,
    /// When a request last used the epoch.
    used: Option<Instant>,
    /// Number of changes through this process. If it rises while the epoch is read, the value that was read is not
    /// kept.
    changes: u64,
}

impl Default for TokenCache {
    fn default() -> Self {
        Self { tokens: Cache::new(MAX_TOKENS), reading: Mutex::default() }
    }
}

impl TokenCache {
    pub fn get(&self, key: (TenantId, TokenId), epoch: i64) -> Option<Arc<CachedToken>> {
        self.tokens.get(&key).filter(|known| known.epoch == epoch)
    }

    pub fn put(&self, key: (TenantId, TokenId), known: Arc<CachedToken>) {
        self.tokens.insert(key, known);
    }

    pub async fn epoch(&self, app: &App) -> store::Result<i64> {
        let reading = {
            let mut reading = self.reading();
            reading.used = Some(Instant::now());
            *reading
        };
        match reading.asked {
            Some(asked) if asked.elapsed() <= max_epoch_age(app.db().engine()) => Ok(reading.epoch),
            _ => self.refresh(app).await,
        }
    }

    /// Reads the epoch from the database.
    pub async fn refresh(&self, app: &App) -> store::Result<i64> {
        let (asked, changes) = (Instant::now(), self.reading().changes);
        let epoch = store::epochs::credentials(app.db()).await?;
        let mut reading = self.reading();
        if reading.changes == changes {
            *reading = EpochReading { epoch, asked: Some(asked), changes, ..*reading };
        }
        Ok(epoch)
    }

    /// Reads the epoch if requests used it lately. Otherwise drops the last reading, so that the next request reads the
    /// epoch itself.
    async fn watch(&self, app: &App) -> store::Result<()> {
        let is_used = {
            let mut reading = self.reading();
            let is_used = reading.used.is_some_and(|used| used.elapsed() <= max_epoch_age(app.db().engine()));
            reading.asked = reading.asked.filter(|_| is_used);
            is_used
        };
        if is_used {
            self.refresh(app).await?;
        }
        Ok(())
    }

    /// Drops the last reading after a change through this process: the next check reads the epoch.
    fn invalidate(&self) {
        let mut reading = self.reading();
        reading.changes += 1;
        reading.asked = None;
    }

    fn reading(&self) -> MutexGuard<'_, EpochReading> {
        self.reading.lock()
    }
}

#[boxed::futures]
impl App {
    /// Runs a transaction that changes credentials. From its commit on, the gate of this process reads the epoch again.
    pub(crate) async fn change<I, T, E>(&self, input: I, body: impl store::Body<I, T, E>) -> Result<T, E>
    where
        I: Send + Sync + 'static,
        T: Send + 'static,
        E: store::Failure,
    {
        let outcome = self.db().write(input, body).await;
        self.token_cache().invalidate();
        outcome
    }

    /// One round of the background watcher, which only PostgreSQL needs.
    pub async fn watch_credentials(&self) -> crate::Result<()> {
        Ok(self.token_cache().watch(self).await?)
    }
}
