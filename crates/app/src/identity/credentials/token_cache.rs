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
use store::identity::tokens::GateToken;
use store::{Db, Engine};

use crate::base::cache::Cache;
use crate::identity::principal::Principal;

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

    pub fn insert(&self, key: (TenantId, TokenId), known: Arc<CachedToken>) {
        self.tokens.insert(key, known);
    }

    pub async fn epoch(&self, db: &Db) -> store::Result<i64> {
        let reading = {
            let mut reading = self.reading();
            reading.used = Some(Instant::now());
            *reading
        };
        match reading.asked {
            Some(asked) if asked.elapsed() <= max_epoch_age(db.engine()) => Ok(reading.epoch),
            _ => self.refresh(db).await,
        }
    }

    /// Reads the epoch from the database.
    pub async fn refresh(&self, db: &Db) -> store::Result<i64> {
        let (asked, changes) = (Instant::now(), self.reading().changes);
        let epoch = store::base::epochs::credentials(db).await?;
        let mut reading = self.reading();
        if reading.changes == changes {
            *reading = EpochReading { epoch, asked: Some(asked), changes, ..*reading };
        }
        Ok(epoch)
    }

    /// Reads the epoch if requests used it lately. Otherwise drops the last reading, so that the next request reads the
    /// epoch itself.
    pub async fn watch(&self, db: &Db) -> store::Result<()> {
        let is_used = {
            let mut reading = self.reading();
            let is_used = reading.used.is_some_and(|used| used.elapsed() <= max_epoch_age(db.engine()));
            reading.asked = reading.asked.filter(|_| is_used);
            is_used
        };
        if is_used {
            self.refresh(db).await?;
        }
        Ok(())
    }

    /// Drops the last reading after a change through this process: the next check reads the epoch.
    pub fn invalidate(&self) {
        let mut reading = self.reading();
        reading.changes += 1;
        reading.asked = None;
    }

    fn reading(&self) -> MutexGuard<'_, EpochReading> {
        self.reading.lock()
    }
}
