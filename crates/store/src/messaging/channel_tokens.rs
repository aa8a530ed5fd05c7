//! The latest check of each channel's access token: what the network said about the token, and when.

use domain::messaging::channels::TokenCheck;
use domain::{ChannelId, TenantId, Timestamp};

use crate::base::columns::{columns, select};
use crate::{Db, Params, Result, Tx, params, read};

statements! {
    /// Enabled channels whose token was not checked since `$1`, or that have changed since the check, as by new
    /// secrets.
    DUE tenantless "reads across tenants: the worker finds channels whose token is to be checked" =
        "SELECT c.tenant_id, c.id FROM channels c
         LEFT JOIN channel_tokens t ON t.tenant_id = c.tenant_id AND t.channel_id = c.id
         WHERE c.enabled AND (t.checked_at IS NULL OR t.checked_at < $1 OR t.checked_at < c.updated_at)
         ORDER BY c.tenant_id, c.id LIMIT $2";
    SAVE = "INSERT INTO channel_tokens (tenant_id, channel_id, is_valid, expires_at, checked_at)
        VALUES ($1, $2, $3, $4, $5)
        ON CONFLICT (tenant_id, channel_id) DO UPDATE
        SET is_valid = excluded.is_valid, expires_at = excluded.expires_at, checked_at = excluded.checked_at";
    OF_TENANT = select!(OfChannel, " FROM channel_tokens WHERE tenant_id = $1 ORDER BY channel_id");
    REMOVE = "DELETE FROM channel_tokens WHERE tenant_id = $1 AND channel_id = $2";
}

columns! { TokenCheck { is_valid, expires_at, checked_at } }

struct OfChannel {
    channel_id: ChannelId,
    check: TokenCheck,
}

columns! { OfChannel { channel_id, check: TokenCheck } }

pub async fn due(db: &Db, before: Timestamp, limit: i64) -> Result<Vec<(TenantId, ChannelId)>> {
    db.rows(&DUE, params![before, limit], read).await
}

pub async fn save(tx: &mut Tx<'_>, tenant: TenantId, channel: ChannelId, check: &TokenCheck) -> Result<()> {
    let TokenCheck { is_valid, expires_at, checked_at } = *check;
    let values = Params::for_tenant(tenant).with(channel).with(is_valid).with(expires_at).with(checked_at);
    tx.execute(&SAVE, &values).await.map(drop)
}

/// The latest check of each channel of a tenant.
pub async fn of_tenant(db: &Db, tenant: TenantId) -> Result<Vec<(ChannelId, TokenCheck)>> {
    let all: Vec<OfChannel> = db.rows(&OF_TENANT, params![tenant], read).await?;
    Ok(all.into_iter().map(|one| (one.channel_id, one.check)).collect())
}

pub async fn remove(tx: &mut Tx<'_>, tenant: TenantId, channel: ChannelId) -> Result<()> {
    tx.execute(&REMOVE, params![tenant, channel]).await.map(drop)
}
