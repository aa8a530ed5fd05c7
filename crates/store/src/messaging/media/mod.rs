//! Stored files: metadata, bytes in pieces, and the ids under which the network has them.
//!
//! Bytes outside the database (`store`) are not part of a transaction. Their row is inserted before them, and outlives
//! them: a file that is removed is marked first (`removed_at`), and the sweep deletes the bytes, then the row.

pub mod fetches;
pub mod usage;

use domain::messaging::messages::FileStore;
use domain::{ChannelId, MediaId, MessageId, TenantId, Timestamp};

use crate::base::columns::{columns, insert, record, select};
use crate::{Db, Params, Result, Tx, params, read};

statements! {
    with fetches::statements(), usage::statements();

    INSERT = insert!("media": MediaRow);
    COMPLETE = "UPDATE media SET size = $3, complete = TRUE, mime = $4, sha256 = $5
        WHERE tenant_id = $1 AND id = $2 AND NOT complete AND removed_at IS NULL";
    BY_ID = select!(MediaRow, " FROM media WHERE tenant_id = $1 AND id = $2");
    BY_IDS = select!(MediaRow as "f",
        " FROM {sqlite json_each($2) listed CROSS JOIN media f ON f.tenant_id = $1 AND f.id = unhex(listed.value)}
         {postgres json_array_elements_text(CAST(CAST($2 AS TEXT) AS JSON)) AS listed(value)
             JOIN media f ON f.tenant_id = $1 AND f.id = decode(listed.value, 'hex')}"
    );
    BY_FILE_NAME = select!(MediaRow, " FROM media WHERE tenant_id = $1 AND file_name = $2");
    REMOVE = "DELETE FROM media WHERE tenant_id = $1 AND id = $2";
    /// Files with ids above `$2`, each with whether a message or a canned reply has it.
    LIST_AFTER = select!(FileUse, " FROM media m WHERE m.tenant_id = $1 AND m.id > $2 ORDER BY m.id LIMIT $3");
    REMOVE_UNUSED = "DELETE FROM media WHERE tenant_id = $1 AND id = $2 AND store IS NULL
        AND NOT EXISTS (SELECT 1 FROM messages g WHERE g.tenant_id = $1 AND g.media_id = $2)
        AND NOT EXISTS (SELECT 1 FROM canned_reply_files f WHERE f.tenant_id = $1 AND f.media_id = $2)
        RETURNING size, complete, message_id";
    MARK_UNUSED =
        "UPDATE media SET removed_at = $3 WHERE tenant_id = $1 AND id = $2 AND store IS NOT NULL AND removed_at IS NULL
         AND NOT EXISTS (SELECT 1 FROM messages g WHERE g.tenant_id = $1 AND g.media_id = $2)
         AND NOT EXISTS (SELECT 1 FROM canned_reply_files f WHERE f.tenant_id = $1 AND f.media_id = $2)
         RETURNING size, complete, message_id";
    /// Attaches a received file to its message, unless the message has a file or was erased.
    ATTACH = "UPDATE messages SET media_id = $3
        WHERE tenant_id = $1 AND id = $2 AND media_id IS NULL AND content IS NOT NULL";
    DETACH = "UPDATE messages SET media_id = NULL WHERE tenant_id = $1 AND id = $2 AND media_id = $3";
    ADD_PIECE = "INSERT INTO media_pieces (tenant_id, media_id, place, bytes) VALUES ($1, $2, $3, $4)";
    PIECE = "SELECT bytes FROM media_pieces WHERE tenant_id = $1 AND media_id = $2 AND place = $3";
    DROP_PIECES = "DELETE FROM media_pieces WHERE tenant_id = $1 AND media_id = $2";
    SAVE_UPLOAD =
        "INSERT INTO media_uploads (tenant_id, media_id, channel_id, network_id, until) VALUES ($1, $2, $3, $4, $5)
         ON CONFLICT (tenant_id, media_id, channel_id)
             DO UPDATE SET network_id = excluded.network_id, until = excluded.until";
    FIND_UPLOAD = "SELECT network_id FROM media_uploads
        WHERE tenant_id = $1 AND media_id = $2 AND channel_id = $3 AND until > $4";
    DROP_UPLOADS = "DELETE FROM media_uploads WHERE tenant_id = $1 AND media_id = $2";
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MediaRow {
    pub id: MediaId,
    /// Made by the server, unique in its tenant.
    pub file_name: String,
    /// The name that people see.
    pub shown_name: String,
    pub mime: String,
    pub size: i64,
    /// Whether all bytes are stored.
    pub complete: bool,
    pub created_at: Timestamp,
    /// Where the bytes are. None: in the database.
    pub store: Option<FileStore>,
    pub sha256: Option<[u8; 32]>,
    /// The received message whose file it is. None: a client's file.
    pub message_id: Option<MessageId>,
    /// When the file was removed. The sweep deletes its bytes, then its row.
    pub removed_at: Option<Timestamp>,
}

impl MediaRow {
    /// Whether the file can be read.
    pub const fn is_readable(&self) -> bool {
        self.complete && self.removed_at.is_none()
    }

    pub fn place(&self) -> FileStore {
        self.store.unwrap_or(FileStore::Database)
    }
}

/// What the sweep reads of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileUse {
    pub id: MediaId,
    pub created_at: Timestamp,
    /// A message or a canned reply has it.
    pub used: bool,
    pub store: Option<FileStore>,
    pub message_id: Option<MessageId>,
    pub removed_at: Option<Timestamp>,
}

columns! {
    FileUse {
        id: "m.id",
        created_at: "m.created_at",
        used: "(EXISTS (SELECT 1 FROM messages g WHERE g.tenant_id = $1 AND g.media_id = m.id)
             OR EXISTS (SELECT 1 FROM canned_reply_files f WHERE f.tenant_id = $1 AND f.media_id = m.id))",
        store: "m.store",
        message_id: "m.message_id",
        removed_at: "m.removed_at",
    }
}

record! {
    MediaRow {
        id,
        file_name,
        shown_name,
        mime,
        size,
        complete,
        created_at,
        store,
        sha256,
        message_id,
        removed_at,
    }
}

pub async fn insert(tx: &mut Tx<'_>, tenant: TenantId, new: &MediaRow) -> Result<()> {
    tx.execute(&INSERT, &Params::for_tenant(tenant).and(new)).await.map(drop)
}

/// Marks a file as complete, with its size, type and hash. False when it is gone or was complete before.
pub async fn complete(tx: &mut Tx<'_>, tenant: TenantId, done: &MediaRow) -> Result<bool> {
    let hash = done.sha256.as_ref().map(<[u8; 32]>::as_slice);
    Ok(tx.execute(&COMPLETE, params![tenant, done.id, done.size, &done.mime, hash]).await? == 1)
}

/// Makes a received file that of its message. False when the message has one, or was erased.
pub async fn attach(tx: &mut Tx<'_>, tenant: TenantId, message: MessageId, id: MediaId) -> Result<bool> {
    Ok(tx.execute(&ATTACH, params![tenant, message, id]).await? == 1)
}

/// Ends the link from a message to a file. False when the message does not have this file.
pub async fn detach(tx: &mut Tx<'_>, tenant: TenantId, message: MessageId, id: MediaId) -> Result<bool> {
    Ok(tx.execute(&DETACH, params![tenant, message, id]).await? == 1)
}

pub async fn find(db: &Db, tenant: TenantId, id: MediaId) -> Result<Option<MediaRow>> {
    db.row(&BY_ID, params![tenant, id], read).await
}

/// The files among these that exist.
pub async fn find_many(db: &Db, tenant: TenantId, ids: &[MediaId]) -> Result<Vec<MediaRow>> {
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    db.rows(&BY_IDS, params![tenant, &crate::base::columns::listed(ids)], read).await
}

pub async fn by_file_name(db: &Db, tenant: TenantId, name: &str) -> Result<Option<MediaRow>> {
    db.row(&BY_FILE_NAME, params![tenant, name], read).await
}

/// Deletes the row of a file, its pieces and its uploads to the network.
pub async fn remove(tx: &mut Tx<'_>, tenant: TenantId, id: MediaId) -> Result<()> {
    tx.execute(&REMOVE, params![tenant, id]).await?;
    drop_rest(tx, tenant, id).await
}

/// Removes a file unless a message or a canned reply has it. A file in the database is deleted; one outside is marked
/// for the sweep. A received file no longer counts in the tenant's usage. False when the file stays, or was removed
/// before.
pub async fn remove_unused(tx: &mut Tx<'_>, tenant: TenantId, id: MediaId, now: Timestamp) -> Result<bool> {
    type Removed = (i64, bool, Option<MessageId>);
    let mut removed: Option<Removed> = tx.row(&REMOVE_UNUSED, params![tenant, id], read).await?;
    if removed.is_none() {
        removed = tx.row(&MARK_UNUSED, params![tenant, id, now], read).await?;
    }
    let Some((size, complete, message)) = removed else { return Ok(false) };
    drop_rest(tx, tenant, id).await?;
    if complete && message.is_some() {
        usage::subtract(tx, tenant, size).await?;
    }
    Ok(true)
}

async fn drop_rest(tx: &mut Tx<'_>, tenant: TenantId, id: MediaId) -> Result<()> {
    tx.execute(&DROP_PIECES, params![tenant, id]).await?;
    tx.execute(&DROP_UPLOADS, params![tenant, id]).await.map(drop)
}

/// Up to `limit` files with ids above `after`, complete or not, oldest first.
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
