//! The nodes of the installation: each writes its row every few seconds, for the lists that administrators see. Which
//! node does what is decided by leases, not by these rows.

use domain::{TenantId, Timestamp};

use crate::base::columns::{columns, select};
use crate::{Db, Result, Tx, params, read};

statements! {
    ANNOUNCE = "INSERT INTO nodes (tenant_id, name, address, version, started_at, seen_at)
        VALUES ($1, $2, $3, $4, $5, $6)
        ON CONFLICT (tenant_id, name) DO UPDATE SET address = excluded.address, version = excluded.version,
            started_at = excluded.started_at, seen_at = excluded.seen_at
        RETURNING name";
    LIST = select!(NodeRow, " FROM nodes WHERE tenant_id = $1");
    REMOVE = "DELETE FROM nodes WHERE tenant_id = $1 AND name = $2";
    SWEEP = "DELETE FROM nodes WHERE tenant_id = $1 AND seen_at < $2";
    /// A node has a new name at each start, so its lease is never taken again.
    SWEEP_LEASES = "DELETE FROM leases
        WHERE tenant_id = $1 AND substr(name, 1, length(CAST($2 AS TEXT))) = $2 AND expires_at < $3";
}

/// A server process on the database.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NodeRow {
    pub name: String,
    pub address: String,
    pub version: String,
    pub started_at: Timestamp,
    pub seen_at: Timestamp,
}

columns! { NodeRow { name, address, version, started_at, seen_at } }

/// Writes the row of a node. For PostgreSQL only; needs no transaction.
pub async fn announce(db: &Db, node: &NodeRow) -> Result<()> {
    let NodeRow { name, address, version, started_at, seen_at } = node;
    let row = params![TenantId::INSTALLATION, name, address, version, *started_at, *seen_at];
    let _names: Vec<String> = db.rows(&ANNOUNCE, row, read).await?;
    Ok(())
}

/// In the order of their starts, those included that ended without a word.
pub async fn list(db: &Db) -> Result<Vec<NodeRow>> {
    let mut nodes: Vec<NodeRow> = db.rows(&LIST, params![TenantId::INSTALLATION], read).await?;
    nodes.sort_by(|one, other| (one.started_at, &one.name).cmp(&(other.started_at, &other.name)));
    Ok(nodes)
}

/// At a clean stop.
pub async fn remove(tx: &mut Tx<'_>, name: &str) -> Result<()> {
    tx.execute(&REMOVE, params![TenantId::INSTALLATION, name]).await.map(drop)
}

/// Removes nodes that were last seen before a time, and leases of nodes, with this prefix, that ended before it.
pub async fn sweep(tx: &mut Tx<'_>, lease_prefix: &str, before: Timestamp) -> Result<u64> {
    let leases = tx.execute(&SWEEP_LEASES, params![TenantId::INSTALLATION, lease_prefix, before]).await?;
    Ok(leases + tx.execute(&SWEEP, params![TenantId::INSTALLATION, before]).await?)
}
