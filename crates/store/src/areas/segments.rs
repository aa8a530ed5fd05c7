//! Segments of contacts.

use domain::contacts::segments::Segment;
use domain::{SegmentId, TenantId};

use crate::{Db, Error, Result, Row, Statement, Tx, params};

static INSERT: Statement = Statement::new(
    "segments.insert",
    "INSERT INTO segments (tenant_id, id, key, name, members, created_at) VALUES ($1, $2, $3, $4, $5, $6)
     ON CONFLICT (tenant_id, key) DO NOTHING",
);
static LIST: Statement = Statement::new(
    "segments.list",
    "SELECT id, name, members, created_at FROM segments WHERE tenant_id = $1 ORDER BY id",
);
static REMOVE: Statement = Statement::new("segments.remove", "DELETE FROM segments WHERE tenant_id = $1 AND id = $2");

pub(crate) static STATEMENTS: &[&Statement] = &[&INSERT, &LIST, &REMOVE];

fn segment(row: &Row<'_>) -> Result<Segment> {
    Ok(Segment {
        id: row.id(0)?,
        name: row.string(1)?,
        members: serde_json::from_str(row.text(2)?).map_err(|_| Error::Column(2))?,
        created_at: row.time(3)?,
    })
}

/// False when there is one with this name in any letter case (`key` is its folded form).
pub async fn insert(tx: &mut Tx<'_>, tenant: TenantId, key: &str, new: &Segment) -> Result<bool> {
    let members = serde_json::to_string(&new.members).unwrap_or_default();
    let row = params![tenant, new.id, key, &new.name, &members, new.created_at];
    Ok(tx.execute(&INSERT, row).await? == 1)
}

/// All of a tenant: there are few.
pub async fn list(db: &Db, tenant: TenantId) -> Result<Vec<Segment>> {
    db.rows(&LIST, params![tenant], segment).await
}

pub async fn list_in(tx: &mut Tx<'_>, tenant: TenantId) -> Result<Vec<Segment>> {
    tx.rows(&LIST, params![tenant], segment).await
}

pub async fn remove(tx: &mut Tx<'_>, tenant: TenantId, id: SegmentId) -> Result<bool> {
    Ok(tx.execute(&REMOVE, params![tenant, id]).await? == 1)
}
