//! Webhooks: endpoints, the dispatch state of each (`dispatch_state.rs`) and deliveries (`deliveries.rs`). Secrets
//! arrive sealed; every change of an endpoint raises an epoch, so that nodes read the endpoints again.

pub mod deliveries;
pub mod dispatch_state;

use const_format::concatcp;
use domain::delivery::events::EventTypes;
use domain::delivery::webhooks::WebhookStatus;
use domain::{ChannelId, TenantId, Timestamp, WebhookId};

use crate::base::columns::{insert_whole, part, record, select, update};
use crate::base::epochs;
use crate::{Db, Params, Result, Tx, params, read};

statements! {
    with deliveries::statements(), dispatch_state::statements();

    INSERT = concatcp!(insert_whole!("webhooks": StoredWebhook), " ON CONFLICT DO NOTHING");
    UPDATE = concatcp!(update!("webhooks": ChangedColumns), " AND deleted_at IS NULL");
    DELETE = "UPDATE webhooks SET deleted_at = $3 WHERE tenant_id = $1 AND id = $2 AND deleted_at IS NULL";
    PURGE = "DELETE FROM webhooks WHERE tenant_id = $1 AND id = $2";
    BY_ID = select!(StoredWebhook, " FROM webhooks WHERE tenant_id = $1 AND id = $2 AND deleted_at IS NULL");
    FOR_UPDATE =
        select!(StoredWebhook, " FROM webhooks WHERE tenant_id = $1 AND id = $2 AND deleted_at IS NULL {for_update}");
    BY_URL = select!(StoredWebhook, " FROM webhooks WHERE tenant_id = $1 AND url = $2 AND deleted_at IS NULL");
    LIST = select!(StoredWebhook, " FROM webhooks WHERE tenant_id = $1 AND deleted_at IS NULL ORDER BY id");
    IDS = "SELECT id FROM webhooks WHERE tenant_id = $1";
    COUNT = "SELECT COUNT(*) FROM webhooks WHERE tenant_id = $1";
    ENABLED tenantless "reads across tenants: a node keeps all enabled endpoints in memory" = select!(
        StoredWebhook,
        " FROM webhooks w WHERE status = 'Enabled' AND deleted_at IS NULL AND NOT EXISTS (
             SELECT 1 FROM tenants n WHERE n.tenant_id = w.tenant_id AND n.suspended_at IS NOT NULL)"
    );
    ALL_IDS tenantless "reads across tenants: the sweep deletes old deliveries of every endpoint" =
        "SELECT tenant_id, id, deleted_at IS NOT NULL FROM webhooks";
}

/// Name of an epoch that rises with every change of an endpoint: a node with an older value reads the endpoints again.
const EPOCH: &str = "webhooks";

/// An endpoint as it is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredWebhook {
    pub tenant: TenantId,
    pub id: WebhookId,
    pub url: String,
    pub types: EventTypes,
    pub status: WebhookStatus,
    /// Only events of this channel; none: of all channels.
    pub channel_id: Option<ChannelId>,
    /// Whether the events of a conversation are delivered in order.
    pub ordered: bool,
    /// Custom headers, sealed like the two secrets.
    pub headers: Option<Vec<u8>>,
    pub secret: Vec<u8>,
    /// The secret before the last change. It also signs deliveries until `previous_until`.
    pub previous_secret: Option<Vec<u8>>,
    pub previous_until: Option<Timestamp>,
    pub max_in_flight: Option<i64>,
    pub max_per_second: Option<i64>,
    /// Why the recorder took the endpoint out of service; none while it is enabled.
    pub reason: Option<String>,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

record! {
    StoredWebhook {
        tenant: "tenant_id",
        id,
        url,
        types,
        status,
        channel_id,
        ordered,
        headers,
        secret,
        previous_secret,
        previous_until,
        max_in_flight,
        max_per_second,
        reason,
        created_at,
        updated_at,
    }
}

part! {
    /// The columns that an update changes.
    ChangedColumns of StoredWebhook {
        id,
        url,
        types,
        status,
        channel_id,
        ordered,
        headers,
        secret,
        previous_secret,
        previous_until,
        max_in_flight,
        max_per_second,
        reason,
        updated_at,
    }
}

/// The ids of all endpoints, those included that were deleted and are not purged yet.
pub async fn ids(db: &Db, tenant: TenantId) -> Result<Vec<WebhookId>> {
    db.rows(&IDS, params![tenant], read).await
}

/// Makes every node read all endpoints again. Must run in the transaction that changes an endpoint, or the tenant whose
/// endpoints are in use.
pub async fn endpoints_changed(tx: &mut Tx<'_>) -> Result<()> {
    epochs::bump(tx, EPOCH).await
}

/// False, and inserts nothing, when the tenant has an endpoint with this URL.
pub async fn insert(tx: &mut Tx<'_>, one: &StoredWebhook) -> Result<bool> {
    epochs::bump(tx, EPOCH).await?;
    Ok(tx.execute(&INSERT, &Params::default().and(one)).await? == 1)
}

pub async fn update(tx: &mut Tx<'_>, one: &StoredWebhook) -> Result<()> {
    epochs::bump(tx, EPOCH).await?;
    tx.execute(&UPDATE, &Params::for_tenant(one.tenant).and(&ChangedColumns(one))).await.map(drop)
}

/// Marks the endpoint as deleted; the sweep deletes its deliveries and then the row. False when there is none.
pub async fn delete(tx: &mut Tx<'_>, tenant: TenantId, id: WebhookId, now: Timestamp) -> Result<bool> {
    epochs::bump(tx, EPOCH).await?;
    Ok(tx.execute(&DELETE, params![tenant, id, now]).await? == 1)
}

/// Deletes the row and the dispatch state of an endpoint that was marked as deleted.
pub async fn purge(tx: &mut Tx<'_>, tenant: TenantId, id: WebhookId) -> Result<()> {
    tx.execute(&PURGE, params![tenant, id]).await?;
    dispatch_state::remove(tx, tenant, id).await
}

pub async fn by_id(db: &Db, tenant: TenantId, id: WebhookId) -> Result<Option<StoredWebhook>> {
    db.row(&BY_ID, params![tenant, id], read).await
}

pub async fn for_update(tx: &mut Tx<'_>, tenant: TenantId, id: WebhookId) -> Result<Option<StoredWebhook>> {
    tx.row(&FOR_UPDATE, params![tenant, id], read).await
}

pub async fn by_url(tx: &mut Tx<'_>, tenant: TenantId, url: &str) -> Result<Option<StoredWebhook>> {
    tx.row(&BY_URL, params![tenant, url], read).await
}

/// The endpoints of a tenant that are not deleted, oldest first.
pub async fn list(db: &Db, tenant: TenantId) -> Result<Vec<StoredWebhook>> {
    db.rows(&LIST, params![tenant], read).await
}

/// How many endpoints the tenant has. A deleted one counts until the sweep purges it.
pub async fn count(tx: &mut Tx<'_>, tenant: TenantId) -> Result<i64> {
    Ok(tx.row(&COUNT, params![tenant], read).await?.unwrap_or(0))
}

pub async fn enabled(db: &Db) -> Result<Vec<StoredWebhook>> {
    db.rows(&ENABLED, &[], read).await
}

/// Every endpoint of every tenant, and whether it is marked as deleted.
pub async fn all_ids(db: &Db) -> Result<Vec<(TenantId, WebhookId, bool)>> {
    db.rows(&ALL_IDS, &[], read).await
}

/// The present epoch, which rises with every change of an endpoint.
pub async fn epoch(db: &Db) -> Result<i64> {
    epochs::value(db, EPOCH).await
}
