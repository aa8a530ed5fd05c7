//! The pieces of an uploaded file.

use domain::{ImportId, TenantId};

use crate::{Db, Result, Tx, params, read};

statements! {
    ADD = "INSERT INTO import_pieces (tenant_id, import_id, place, bytes) VALUES ($1, $2, $3, $4)";
    PIECE = "SELECT bytes FROM import_pieces WHERE tenant_id = $1 AND import_id = $2 AND place = $3";
    DROP_SOME = "DELETE FROM import_pieces WHERE tenant_id = $1 AND import_id = $2 AND place IN (
            SELECT p.place FROM import_pieces p WHERE p.tenant_id = $1 AND p.import_id = $2 ORDER BY p.place LIMIT $3)";
}

pub async fn add_piece(tx: &mut Tx<'_>, tenant: TenantId, import: ImportId, place: i64, bytes: &[u8]) -> Result<()> {
    tx.execute(&ADD, params![tenant, import, place, bytes]).await.map(drop)
}

pub async fn piece(db: &Db, tenant: TenantId, import: ImportId, place: i64) -> Result<Option<Vec<u8>>> {
    db.row(&PIECE, params![tenant, import, place], read).await
}

/// Deletes the first pieces, at most `limit`, and returns how many.
pub async fn drop_some_pieces(tx: &mut Tx<'_>, tenant: TenantId, import: ImportId, limit: i64) -> Result<u64> {
    tx.execute(&DROP_SOME, params![tenant, import, limit]).await
}
