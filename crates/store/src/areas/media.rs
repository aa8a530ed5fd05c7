//! Stored files: metadata, bytes in pieces, and the ids under which the network has them.

use domain::{ChannelId, MediaId, TenantId, Timestamp};

use crate::columns::{columns, insert, record, select};
use crate::{Db, Params, Result, Statement, Tx, params, read};

static INSERT: Statement = Statement::new("media.insert", insert!("media": MediaRow));
static COMPLETE: Statement = Statement::new(
    "media.complete",
    "UPDATE media SET size = $3, complete = TRUE WHERE tenant_id = $1 AND id = $2 AND NOT complete",
);
static BY_ID: Statement =
    Statement::new("media.by_id", select!(MediaRow, " FROM media WHERE tenant_id = $1 AND id = $2"));
static BY_FILE_NAME: Statement =
    Statement::new("media.by_file_name", select!(MediaRow, " FROM media WHERE tenant_id = $1 AND file_name = $2"));
static REMOVE: Statement = Statement::new("media.remove", "DELETE FROM media WHERE tenant_id = $1 AND id = $2");
/// The files behind an id, and whether a message has them.
static LIST_AFTER: Statement = Statement::new(
    "media.from",
    select!(FileUse, " FROM media m WHERE m.tenant_id = $1 AND m.id > $2 ORDER BY m.id LIMIT $3"),
);
static REMOVE_UNUSED: Statement = Statement::new(
    "media.remove_unused",
    "DELETE FROM media WHERE tenant_id = $1 AND id = $2
     AND NOT EXISTS (SELECT 1 FROM messages g WHERE g.tenant_id = $1 AND g.media_id = $2)",
);

static ADD_PIECE: Statement = Statement::new(
    "media_pieces.add",
    "INSERT INTO media_pieces (tenant_id, media_id, place, bytes) VALUES ($1, $2, $3, $4)",
);
static PIECE: Statement = Statement::new(
    "media_pieces.piece",
    "SELECT bytes FROM media_pieces WHERE tenant_id = $1 AND media_id = $2 AND place = $3",
);
static DROP_PIECES: Statement =
    Statement::new("media_pieces.drop", "DELETE FROM media_pieces WHERE tenant_id = $1 AND media_id = $2");

static SAVE_UPLOAD: Statement = Statement::new(
    "media_uploads.uploaded",
    "INSERT INTO media_uploads (tenant_id, media_id, channel_id, network_id, until) VALUES ($1, $2, $3, $4, $5)
     ON CONFLICT (tenant_id, media_id, channel_id) DO UPDATE SET network_id = excluded.network_id, until = excluded.until",
);
static FIND_UPLOAD: Statement = Statement::new(
    "media_uploads.upload",
    "SELECT network_id FROM media_uploads WHERE tenant_id = $1 AND media_id = $2 AND channel_id = $3 AND until > $4",
);
static DROP_UPLOADS: Statement =
    Statement::new("media_uploads.drop", "DELETE FROM media_uploads WHERE tenant_id = $1 AND media_id = $2");

pub(crate) static STATEMENTS: &[&Statement] = &[
    &INSERT,
    &COMPLETE,
    &BY_ID,
    &BY_FILE_NAME,
    &REMOVE,
    &LIST_AFTER,
    &REMOVE_UNUSED,
    &ADD_PIECE,
    &PIECE,
    &DROP_PIECES,
    &SAVE_UPLOAD,
    &FIND_UPLOAD,
    &DROP_UPLOADS,
];

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MediaRow {
    pub id: MediaId,
    /// Made by the server, unique in its tenant.
    pub file_name: String,
    /// The name that people see.
    pub shown_name: String,
    pub mime: String,
    pub size: i64,
    /// Whether all pieces are stored.
    pub complete: bool,
    pub created_at: Timestamp,
}

/// What the sweep needs to know of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileUse {
    pub id: MediaId,
    pub created_at: Timestamp,
    /// A message has it.
    pub used: bool,
}

columns! {
    FileUse {
        id: "m.id",
        created_at: "m.created_at",
        used: "EXISTS (SELECT 1 FROM messages g WHERE g.tenant_id = $1 AND g.media_id = m.id)",
    }
}

record! { MediaRow { id, file_name, shown_name, mime, size, complete, created_at } }

pub async fn insert(tx: &mut Tx<'_>, tenant: TenantId, new: &MediaRow) -> Result<()> {
    tx.execute(&INSERT, &Params::of(tenant).and(new)).await.map(drop)
}

/// Marks a file as complete. False when it is gone or was complete before.
pub async fn complete(tx: &mut Tx<'_>, tenant: TenantId, id: MediaId, size: i64) -> Result<bool> {
    Ok(tx.execute(&COMPLETE, params![tenant, id, size]).await? == 1)
}

pub async fn find(db: &Db, tenant: TenantId, id: MediaId) -> Result<Option<MediaRow>> {
    db.row(&BY_ID, params![tenant, id], read).await
}

pub async fn by_file_name(db: &Db, tenant: TenantId, name: &str) -> Result<Option<MediaRow>> {
    db.row(&BY_FILE_NAME, params![tenant, name], read).await
}

/// Removes a file with its pieces and uploads.
pub async fn remove(tx: &mut Tx<'_>, tenant: TenantId, id: MediaId) -> Result<()> {
    tx.execute(&REMOVE, params![tenant, id]).await?;
    drop_rest(tx, tenant, id).await
}

/// Removes a file unless a message has it. False when it stays, or was removed before.
pub async fn remove_unused(tx: &mut Tx<'_>, tenant: TenantId, id: MediaId) -> Result<bool> {
    let removed = tx.execute(&REMOVE_UNUSED, params![tenant, id]).await? == 1;
    if removed {
        drop_rest(tx, tenant, id).await?;
    }
    Ok(removed)
}

async fn drop_rest(tx: &mut Tx<'_>, tenant: TenantId, id: MediaId) -> Result<()> {
    tx.execute(&DROP_PIECES, params![tenant, id]).await?;
    tx.execute(&DROP_UPLOADS, params![tenant, id]).await.map(drop)
}

/// Complete and incomplete files, the oldest first.
pub async fn list_after(db: &Db, tenant: TenantId, after: MediaId, limit: i64) -> Result<Vec<FileUse>> {
    db.rows(&LIST_AFTER, params![tenant, after, limit], read).await
}

pub async fn add_piece(tx: &mut Tx<'_>, tenant: TenantId, id: MediaId, place: i64, bytes: &[u8]) -> Result<()> {
    tx.execute(&ADD_PIECE, params![tenant, id, place, bytes]).await.map(drop)
}

pub async fn piece(db: &Db, tenant: TenantId, id: MediaId, place: i64) -> Result<Option<Vec<u8>>> {
    db.row(&PIECE, params![tenant, id, place], read).await
}

/// The network's id of the file for this channel, while the network keeps it.
pub async fn find_upload(
    db: &Db,
    tenant: TenantId,
    id: MediaId,
    channel: ChannelId,
    now: Timestamp,
) -> Result<Option<String>> {
    db.row(&FIND_UPLOAD, params![tenant, id, channel, now], read).await
}

pub async fn save_upload(
    tx: &mut Tx<'_>,
    tenant: TenantId,
    id: MediaId,
    channel: ChannelId,
    network_id: &str,
    until: Timestamp,
) -> Result<()> {
    tx.execute(&SAVE_UPLOAD, params![tenant, id, channel, network_id, until]).await.map(drop)
}
