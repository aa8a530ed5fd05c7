//! Leases of the installation: a row names the holder of a job and when the lease ends.
//!
//! A node takes a free or ended lease, or extends its own, in one statement. Nothing is locked between transactions: a
//! holder that dies is replaced when its lease ends. The lease number rises with every change of holder, so that a
//! former holder can be recognised (fencing). Names are texts such as `inbound/<tenant>/<channel>`; a prefix lists a
//! group.
//!
//! Logs, endpoints and imports have their lease in their own row (`delivery/events.rs`,
//! `delivery/webhooks/dispatch_state.rs`, `people/imports/mod.rs`).

use domain::{TenantId, Timestamp};

use crate::base::columns::{columns, select};
use crate::{Db, Result, Tx, params, read};

statements! {
    ACQUIRE = "INSERT INTO leases (tenant_id, name, holder, number, expires_at) VALUES ($1, $2, $3, 1, $5)
        ON CONFLICT (tenant_id, name) DO UPDATE
        SET holder = excluded.holder, expires_at = excluded.expires_at,
            number = leases.number + CASE WHEN leases.holder = excluded.holder THEN 0 ELSE 1 END
        WHERE leases.expires_at <= $4 OR leases.holder = excluded.holder
        RETURNING number";
    /// `ACQUIRE` and `NAMES` in one statement, for PostgreSQL; SQLite has one node. The union adds the acquired lease,
    /// because a statement does not see the rows that it writes.
    ACQUIRE_AND_LIST =
        "{sqlite SELECT name FROM leases WHERE tenant_id = $1 AND name <> $2 AND holder <> $3 AND expires_at > $4
             AND expires_at <> $5 AND substr(name, 1, length(CAST($6 AS TEXT))) = $6}
         {postgres WITH taken AS (
             INSERT INTO leases (tenant_id, name, holder, number, expires_at) VALUES ($1, $2, $3, 1, $5)
             ON CONFLICT (tenant_id, name) DO UPDATE SET expires_at = excluded.expires_at, holder = excluded.holder,
                 number = leases.number + CASE WHEN leases.holder = excluded.holder THEN 0 ELSE 1 END
             WHERE leases.expires_at <= $4 OR leases.holder = excluded.holder
             RETURNING name)
         SELECT name FROM taken UNION
         SELECT name FROM leases
         WHERE tenant_id = $1 AND substr(name, 1, length(CAST($6 AS TEXT))) = $6 AND expires_at > $4}";
    RELEASE = "UPDATE leases SET expires_at = 0 WHERE tenant_id = $1 AND name = $2 AND holder = $3";
    /// Compares the prefix itself: a range of texts would depend on the collation of the database.
    LIVE = "SELECT COUNT(*) FROM leases
        WHERE tenant_id = $1 AND substr(name, 1, length(CAST($2 AS TEXT))) = $2 AND expires_at > $3";
    NAMES = "SELECT name FROM leases
        WHERE tenant_id = $1 AND substr(name, 1, length(CAST($2 AS TEXT))) = $2 AND expires_at > $3";
    REMOVE = "DELETE FROM leases WHERE tenant_id = $1 AND substr(name, 1, length(CAST($2 AS TEXT))) = $2";
    CURRENT = select!(
        CurrentLease,
        " FROM leases
         WHERE tenant_id = $1 AND substr(name, 1, length(CAST($2 AS TEXT))) = $2 AND expires_at > $3 ORDER BY name"
    );
}

/// A lease with its holder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CurrentLease {
    pub name: String,
    pub holder: String,
    pub expires_at: Timestamp,
}

columns! { CurrentLease { name, holder, expires_at } }

/// Takes a free or ended lease, or extends that of the same holder, also after its end. Returns the lease number; none
/// while another holder has the lease.
pub async fn acquire(
    tx: &mut Tx<'_>,
    name: &str,
    holder: &str,
    now: Timestamp,
    until: Timestamp,
) -> Result<Option<i64>> {
    tx.row(&ACQUIRE, params![TenantId::INSTALLATION, name, holder, now, until], read).await
}

/// For PostgreSQL only: takes or extends the lease `name`, as `acquire` does, and returns the names of leases with this
/// prefix that are held now. Needs no transaction.
pub async fn acquire_and_list(
    db: &Db,
    name: &str,
    prefix: &str,
    holder: &str,
    now: Timestamp,
    until: Timestamp,
) -> Result<Vec<String>> {
    db.rows(&ACQUIRE_AND_LIST, params![TenantId::INSTALLATION, name, holder, now, until, prefix], read).await
}

/// Ends a lease at once, if this holder has it.
pub async fn release(tx: &mut Tx<'_>, name: &str, holder: &str) -> Result<()> {
    tx.execute(&RELEASE, params![TenantId::INSTALLATION, name, holder]).await.map(drop)
}

/// The number of leases with this prefix that are held now.
pub async fn live(db: &Db, prefix: &str, now: Timestamp) -> Result<i64> {
    let count = db.row(&LIVE, params![TenantId::INSTALLATION, prefix, now], read).await?;
    Ok(count.unwrap_or(0))
}

/// The leases with this prefix that are held now, sorted by name.
pub async fn current(db: &Db, prefix: &str, now: Timestamp) -> Result<Vec<CurrentLease>> {
    db.rows(&CURRENT, params![TenantId::INSTALLATION, prefix, now], read).await
}

/// The names of leases with this prefix that are held now.
pub async fn names(db: &Db, prefix: &str, now: Timestamp) -> Result<Vec<String>> {
    db.rows(&NAMES, params![TenantId::INSTALLATION, prefix, now], read).await
}

/// Deletes the leases with this prefix, held or not: their work is gone.
pub async fn remove(tx: &mut Tx<'_>, prefix: &str) -> Result<u64> {
    tx.execute(&REMOVE, params![TenantId::INSTALLATION, prefix]).await
}
