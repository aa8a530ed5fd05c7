//! The pieces of an uploaded file.

use domain::{ImportId, TenantId};

use crate::{Db, Result, Statement, Tx, params, read};

static ADD: Statement = Statement::new(
    "import_pieces.add",
    "INSERT INTO import_pieces (tenant_id, import_id, place, bytes) VALUES ($1, $2, $3, $4)",
);
static PIECE: Statement = Statement::new(
    "import_pieces.piece",
    "SELECT bytes FROM import_pieces WHERE tenant_id = $1 AND import_id = $2 AND place = $3",
);
static DROP: Statement =
    Statement::new("import_pieces.drop", "DELETE FROM import_pieces WHERE tenant_id = $1 AND import_id = $2");

pub(super) static STATEMENTS: &[&Statement] = &[&ADD, &PIECE, &DROP];

pub async fn add_piece(tx: &mut Tx<'_>, tenant: TenantId, import: ImportId, place: i64, bytes: &[u8]) -> Result<()> {
    tx.execute(&ADD, params![tenant, import, place, bytes]).await.map(drop)
}

pub async fn piece(db: &Db, tenant: TenantId, import: ImportId, place: i64) -> Result<Option<Vec<u8>>> {
    db.row(&PIECE, params![tenant, import, place], read).await
}

pub async fn drop_pieces(tx: &mut Tx<'_>, tenant: TenantId, import: ImportId) -> Result<()> {
    tx.execute(&DROP, params![tenant, import]).await.map(drop)
}
