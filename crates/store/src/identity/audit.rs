//! The audit log: who created, changed and revoked what. Append-only, and chained by hash for each tenant.
//!
//! `append` collects the entries of a transaction; `write_chained` writes them when its body has succeeded, as the last
//! statements before the commit. It locks the tenant's head there, so that the entries of concurrent transactions get
//! their numbers one after the other, and nothing else waits for the lock. A transaction without entries does nothing.

use domain::identity::audit::{AuditEntry, ChainHash, ChainPosition, ChainedEntry};
use domain::{AuditEntryId, TenantId, Timestamp};

use crate::base::columns::{columns, insert, record, select};
use crate::{Db, Params, Result, Tx, params, read};

statements! {
    APPEND = insert!("audit": AuditEntry, "seq, hash");
    LATEST = select!(AuditEntry, " FROM audit WHERE tenant_id = $1 ORDER BY at DESC, id DESC LIMIT $2");
    /// Index `audit_at`.
    PAGE = select!(
        AuditEntry,
        " FROM audit WHERE tenant_id = $1 AND at >= $2 AND (at, id) < ($3, $4) ORDER BY at DESC, id DESC LIMIT $5"
    );
    /// The times are those of the index `audit_at`.
    SUBJECTS = "SELECT subject FROM audit WHERE tenant_id = $1 AND at >= $2 AND action = $3";
    /// Creates the tenant's head, or locks it if it exists. Returns it in both cases.
    LOCK_HEAD = "INSERT INTO audit_heads (tenant_id, seq, hash, base_seq, base_hash) VALUES ($1, 0, $2, 0, $2)
        ON CONFLICT (tenant_id) DO UPDATE SET seq = audit_heads.seq RETURNING seq, hash";
    SAVE_HEAD = "UPDATE audit_heads SET seq = $2, hash = $3 WHERE tenant_id = $1";
    HEAD = select!(StoredHead, " FROM audit_heads WHERE tenant_id = $1");
    UNCHAINED = select!(AuditEntry, " FROM audit WHERE tenant_id = $1 AND seq IS NULL ORDER BY at, id");
    COUNT_UNCHAINED = "SELECT COUNT(*) FROM audit WHERE tenant_id = $1 AND seq IS NULL";
    CHAIN = "UPDATE audit SET seq = $3, hash = $4 WHERE tenant_id = $1 AND id = $2";
    CHAINED = select!(StoredLink, " FROM audit WHERE tenant_id = $1 AND seq > $2 AND seq <= $3 ORDER BY seq LIMIT $4");
}

record! { AuditEntry { id, at, actor, action, subject, details, address, request_id } }

struct StoredLink {
    entry: AuditEntry,
    seq: i64,
    hash: [u8; 32],
}

columns! { StoredLink { entry: AuditEntry, seq, hash } }

impl From<StoredLink> for ChainedEntry {
    fn from(StoredLink { entry, seq, hash }: StoredLink) -> Self {
        Self { position: ChainPosition { number: seq, hash: ChainHash(hash) }, entry }
    }
}

struct StoredHead {
    seq: i64,
    hash: [u8; 32],
    base_seq: i64,
    base_hash: [u8; 32],
}

columns! { StoredHead { seq, hash, base_seq, base_hash } }

/// The ends of a tenant's chain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChainEnds {
    /// The last entry that was deleted because of its age, or the start.
    pub base: ChainPosition,
    pub head: ChainPosition,
}

/// Collects an entry. The transaction writes it when its body has succeeded.
pub async fn append(tx: &mut Tx<'_>, tenant: TenantId, entry: &AuditEntry) -> Result<()> {
    tx.queue_audit(tenant, entry.clone());
    tx.before_commit(|tx| Box::pin(write_chained(tx)));
    std::future::ready(Ok(())).await
}

/// Writes the entries that the transaction's body has collected.
async fn write_chained(tx: &mut Tx<'_>) -> Result<()> {
    let mut noted = tx.take_audit();
    // Locks the heads in the order of their tenants, so that two transactions cannot deadlock.
    noted.sort_by_key(|(tenant, _)| *tenant);
    for of_one in noted.chunk_by(|one, other| one.0 == other.0) {
        if let Some((tenant, _)) = of_one.first() {
            write_of_tenant(tx, *tenant, of_one).await?;
        }
    }
    Ok(())
}

async fn write_of_tenant(tx: &mut Tx<'_>, tenant: TenantId, entries: &[(TenantId, AuditEntry)]) -> Result<()> {
    let head: Option<(i64, [u8; 32])> = tx.row(&LOCK_HEAD, params![tenant, &ChainHash::START.0], read).await?;
    let (number, hash) = head.ok_or(crate::Error::Column(0))?;
    let mut at = ChainPosition { number, hash: ChainHash(hash) };
    if at == ChainPosition::START {
        at = chain_earlier(tx, tenant).await?;
    }
    let mut links = Vec::with_capacity(entries.len());
    for (_, entry) in entries {
        at = at.next(tenant, entry);
        links.push((entry, at));
    }
    let rows = links.iter().map(|(entry, at)| Params::for_tenant(tenant).and(*entry).with(at.number).with(&at.hash.0));
    tx.execute_many(&APPEND, rows).await?;
    tx.execute(&SAVE_HEAD, params![tenant, at.number, &at.hash.0]).await.map(drop)
}

/// Begins the tenant's chain with the entries that versions without chains have written.
async fn chain_earlier(tx: &mut Tx<'_>, tenant: TenantId) -> Result<ChainPosition> {
    let earlier: Vec<AuditEntry> = tx.rows(&UNCHAINED, params![tenant], read).await?;
    let mut at = ChainPosition::START;
    let mut links = Vec::with_capacity(earlier.len());
    for entry in &earlier {
        at = at.next(tenant, entry);
        links.push((entry.id, at));
    }
    let rows = links.iter().map(|(id, at)| Params::for_tenant(tenant).with(*id).with(at.number).with(&at.hash.0));
    tx.execute_many(&CHAIN, rows).await?;
    Ok(at)
}

pub async fn latest(db: &Db, tenant: TenantId, limit: i64) -> Result<Vec<AuditEntry>> {
    db.rows(&LATEST, params![tenant, limit], read).await
}

/// Up to `limit` entries that are not older than `from` and older than the position `before`, newest first.
pub async fn page(
    db: &Db,
    tenant: TenantId,
    from: Timestamp,
    before: (Timestamp, AuditEntryId),
    limit: i64,
) -> Result<Vec<AuditEntry>> {
    db.rows(&PAGE, params![tenant, from, before.0, before.1, limit], read).await
}

/// The subjects of all entries with this action since a time.
pub async fn subjects(db: &Db, tenant: TenantId, action: &str, since: Timestamp) -> Result<Vec<String>> {
    db.rows(&SUBJECTS, params![tenant, since, action], read).await
}

/// None until the tenant's chain begins, which is with the first entry that a version with chains writes.
pub async fn ends(db: &Db, tenant: TenantId) -> Result<Option<ChainEnds>> {
    let stored: Option<StoredHead> = db.row(&HEAD, params![tenant], read).await?;
    Ok(stored.map(|StoredHead { seq, hash, base_seq, base_hash }| ChainEnds {
        base: ChainPosition { number: base_seq, hash: ChainHash(base_hash) },
        head: ChainPosition { number: seq, hash: ChainHash(hash) },
    }))
}

/// The entries with numbers above `after`, up to and including `through`, in the order of their numbers, at most
/// `limit`.
pub async fn chained(db: &Db, tenant: TenantId, after: i64, through: i64, limit: i64) -> Result<Vec<ChainedEntry>> {
    let stored: Vec<StoredLink> = db.rows(&CHAINED, params![tenant, after, through, limit], read).await?;
    Ok(stored.into_iter().map(ChainedEntry::from).collect())
}

/// Counts the entries that are not in the chain: all of them before the tenant's chain begins, none later.
pub async fn count_unchained(db: &Db, tenant: TenantId) -> Result<i64> {
    Ok(db.row(&COUNT_UNCHAINED, params![tenant], read).await?.unwrap_or_default())
}
