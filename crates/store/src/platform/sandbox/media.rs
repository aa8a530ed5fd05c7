//! Pieces of the sandbox's media files. The metadata of a file is in a record.

use domain::TenantId;

use crate::{Db, Result, Tx, params, read};

statements! {
    ADD = "INSERT INTO sandbox_media_pieces (tenant_id, media_id, place, bytes) VALUES ($1, $2, $3, $4)";
    PIECE = "SELECT bytes FROM sandbox_media_pieces WHERE tenant_id = $1 AND media_id = $2 AND place = $3";
    DROP = "DELETE FROM sandbox_media_pieces WHERE tenant_id = $1 AND media_id = $2";
}

pub async fn add_piece(tx: &mut Tx<'_>, tenant: TenantId, media: &str, place: i64, bytes: &[u8]) -> Result<()> {
    tx.execute(&ADD, params![tenant, media, place, bytes]).await.map(drop)
}

/// None after the last piece.
pub async fn piece(db: &Db, tenant: TenantId, media: &str, place: i64) -> Result<Option<Vec<u8>>> {
    db.row(&PIECE, params![tenant, media, place], read).await
}

pub async fn drop_pieces(tx: &mut Tx<'_>, tenant: TenantId, media: &str) -> Result<()> {
    tx.execute(&DROP, params![tenant, media]).await.map(drop)
}
