//! Keeps the work of a log-in independent of its e-mail address.

use std::sync::atomic::{AtomicU64, Ordering};

use domain::Timestamp;
use parking_lot::Mutex;
use store::Db;

use crate::Result;

/// Seconds for which the number of hashes that each log-in verifies is cached.
const COUNT_KEPT_SECONDS: i64 = 60;
/// Each log-in verifies at most this many hashes, unless its own account has more passwords.
const MAX_EQUAL_HASHES: usize = 4;

/// How many hashes each log-in verifies: as many as the account with the most passwords has, its own and those of
/// memberships with one of their own, within `MAX_EQUAL_HASHES`. Cached for a minute.
#[derive(Debug, Default)]
pub(crate) struct EqualWork {
    kept: Mutex<Option<(Timestamp, usize)>>,
    verified: AtomicU64,
}

impl EqualWork {
    pub async fn hashes(&self, db: &Db, now: Timestamp) -> Result<usize> {
        let kept = *self.kept.lock();
        if let Some((at, hashes)) = kept
            && (0..COUNT_KEPT_SECONDS).contains(&now.seconds_since(at))
        {
            return Ok(hashes);
        }
        let most = store::identity::memberships::most_own(db).await?.saturating_add(1);
        let hashes = usize::try_from(most).unwrap_or_default().clamp(1, MAX_EQUAL_HASHES);
        *self.kept.lock() = Some((now, hashes));
        Ok(hashes)
    }

    /// Counts hashes that a log-in verifies.
    pub fn count(&self, hashes: usize) {
        self.verified.fetch_add(u64::try_from(hashes).unwrap_or_default(), Ordering::Relaxed);
    }

    /// How many hashes log-ins have verified since the start.
    pub fn verified(&self) -> u64 {
        self.verified.load(Ordering::Relaxed)
    }
}
