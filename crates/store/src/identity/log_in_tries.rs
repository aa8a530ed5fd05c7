//! Counts of log-in tries of the installation. Keys are keyed hashes: the table names no address and no person.

use domain::identity::log_in_tries::TryCount;
use domain::{TenantId, Timestamp};

use crate::base::columns::{columns, select};
use crate::{Db, Params, Result, Tx, params, read};

pub type TryKey = [u8; 32];

statements! {
    FIND = select!(StoredTries, " FROM log_in_tries WHERE tenant_id = $1 AND key IN ($2, $3, $4)");
    /// Creates the row of a key that has none, so that two transactions that count its first try lock the same row.
    INSERT = "INSERT INTO log_in_tries (tenant_id, key, tries, last_at, next_at) VALUES ($1, $2, 0, $3, $3)
        ON CONFLICT (tenant_id, key) DO NOTHING";
    LOCK =
        select!(StoredTries, " FROM log_in_tries
            WHERE tenant_id = $1 AND key IN ($2, $3, $4) ORDER BY key {for_update}");
    SAVE = "UPDATE log_in_tries SET tries = $3, last_at = $4, next_at = $5, known_until = $6
        WHERE tenant_id = $1 AND key = $2";
    SWEEP = "DELETE FROM log_in_tries
        WHERE tenant_id = $1 AND last_at < $2 AND next_at < $3 AND (known_until IS NULL OR known_until < $3)";
}

#[derive(Debug, Clone)]
pub struct StoredTries {
    pub key: TryKey,
    pub tries: i64,
    pub last_at: Timestamp,
    pub next_at: Timestamp,
    /// In the count of one e-mail address from one network: until when the network counts as known for the address.
    pub known_until: Option<Timestamp>,
}

columns! { StoredTries { key, tries, last_at, next_at, known_until } }

impl StoredTries {
    pub const fn count(&self) -> TryCount {
        TryCount { tries: self.tries, last_at: self.last_at, next_at: self.next_at }
    }
}

pub async fn find(db: &Db, [one, two, three]: &[TryKey; 3]) -> Result<Vec<StoredTries>> {
    db.rows(&FIND, params![TenantId::INSTALLATION, one, two, three], read).await
}

/// Locks the three counts until the transaction ends; those that are missing begin at zero.
pub async fn lock(tx: &mut Tx<'_>, keys: &[TryKey; 3], now: Timestamp) -> Result<Vec<StoredTries>> {
    let mut sorted = *keys;
    sorted.sort_unstable();
    let rows = sorted.iter().map(|key| Params::for_tenant(TenantId::INSTALLATION).with(key).with(now));
    tx.execute_many(&INSERT, rows).await?;
    let [one, two, three] = keys;
    tx.rows(&LOCK, params![TenantId::INSTALLATION, one, two, three], read).await
}

pub async fn save(tx: &mut Tx<'_>, counts: &[StoredTries]) -> Result<()> {
    let rows = counts.iter().map(|it| {
        let key = Params::for_tenant(TenantId::INSTALLATION).with(&it.key).with(it.tries);
        key.with(it.last_at).with(it.next_at).with(it.known_until)
    });
    tx.execute_many(&SAVE, rows).await.map(drop)
}

/// Deletes counts whose last try is before `idle_since` and that have neither a pause nor a known network left to keep.
pub async fn sweep(tx: &mut Tx<'_>, idle_since: Timestamp, now: Timestamp) -> Result<u64> {
    tx.execute(&SWEEP, params![TenantId::INSTALLATION, idle_since, now]).await
}
