//! Canned replies of tenants, and the files that they use.

use const_format::concatcp;
use domain::inbox::canned_replies::CannedReply;
use domain::{CannedReplyId, MediaId, TenantId};

use crate::base::columns::{insert, record, select, update};
use crate::{Db, Param, Params, Result, Tx, params, read};

statements! {
    INSERT = concatcp!(insert!("canned_replies": CannedReply, "key"), " ON CONFLICT (tenant_id, key) DO NOTHING");
    UPDATE = update!("canned_replies": CannedReply, "key");
    BY_ID = select!(CannedReply, " FROM canned_replies WHERE tenant_id = $1 AND id = $2");
    BY_KEY = select!(CannedReply, " FROM canned_replies WHERE tenant_id = $1 AND key = $2");
    LIST = select!(CannedReply, " FROM canned_replies WHERE tenant_id = $1 ORDER BY key");
    COUNT = "SELECT COUNT(*) FROM canned_replies WHERE tenant_id = $1";
    REMOVE = "DELETE FROM canned_replies WHERE tenant_id = $1 AND id = $2";
    LINK_FILE =
        "INSERT INTO canned_reply_files (tenant_id, media_id, reply_id) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING";
    UNLINK_FILE = "DELETE FROM canned_reply_files WHERE tenant_id = $1 AND media_id = $2 AND reply_id = $3";
}

record! { CannedReply { id, shortcut, text, files, created_at, updated_at } }

/// False if there is a reply with this shortcut in any letter case (`key` is its folded form).
pub async fn insert(tx: &mut Tx<'_>, tenant: TenantId, key: &str, new: &CannedReply) -> Result<bool> {
    Ok(tx.execute(&INSERT, &Params::for_tenant(tenant).and(new).with(key)).await? == 1)
}

/// The caller has checked that no other reply has this shortcut.
pub async fn update(tx: &mut Tx<'_>, tenant: TenantId, key: &str, changed: &CannedReply) -> Result<()> {
    tx.execute(&UPDATE, &Params::for_tenant(tenant).and(changed).with(key)).await.map(drop)
}

pub async fn find(db: &Db, tenant: TenantId, id: CannedReplyId) -> Result<Option<CannedReply>> {
    db.row(&BY_ID, params![tenant, id], read).await
}

pub async fn find_in(tx: &mut Tx<'_>, tenant: TenantId, id: CannedReplyId) -> Result<Option<CannedReply>> {
    tx.row(&BY_ID, params![tenant, id], read).await
}

pub async fn by_key_in(tx: &mut Tx<'_>, tenant: TenantId, key: &str) -> Result<Option<CannedReply>> {
    tx.row(&BY_KEY, params![tenant, key], read).await
}

/// All replies of a tenant, by shortcut.
pub async fn list(db: &Db, tenant: TenantId) -> Result<Vec<CannedReply>> {
    db.rows(&LIST, params![tenant], read).await
}

pub async fn count_in(tx: &mut Tx<'_>, tenant: TenantId) -> Result<i64> {
    Ok(tx.row(&COUNT, params![tenant], read).await?.unwrap_or(0))
}

pub async fn remove(tx: &mut Tx<'_>, tenant: TenantId, id: CannedReplyId) -> Result<bool> {
    Ok(tx.execute(&REMOVE, params![tenant, id]).await? == 1)
}

/// Marks these files as used by the reply, so that the sweep of unused files keeps them.
pub async fn link_files(tx: &mut Tx<'_>, tenant: TenantId, id: CannedReplyId, files: &[MediaId]) -> Result<()> {
    let rows = files.iter().map(|file| [Param::from(tenant), (*file).into(), id.into()]);
    tx.execute_many(&LINK_FILE, rows).await.map(drop)
}

/// Marks these files as no longer used by the reply: the sweep may remove them, unless a message or another reply
/// has them.
pub async fn unlink_files(tx: &mut Tx<'_>, tenant: TenantId, id: CannedReplyId, files: &[MediaId]) -> Result<()> {
    let rows = files.iter().map(|file| [Param::from(tenant), (*file).into(), id.into()]);
    tx.execute_many(&UNLINK_FILE, rows).await.map(drop)
}
