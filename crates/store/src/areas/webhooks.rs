//! Webhooks: the endpoints, how far each is told, and what was delivered. What is secret is sealed by the use case.

pub mod deliveries;
pub mod lanes;

use const_format::concatcp;
use domain::events::Types;
use domain::webhooks::Status;
use domain::{ChannelId, TenantId, Timestamp, WebhookId};

use crate::columns::{insert_whole, part, record, select, update};
use crate::{Db, Params, Result, Statement, Tx, epochs, params, read};

static INSERT: Statement =
    Statement::new("webhooks.insert", concatcp!(insert_whole!("webhooks": Stored), " ON CONFLICT DO NOTHING"));
static UPDATE: Statement =
    Statement::new("webhooks.update", concatcp!(update!("webhooks": Changing), " AND deleted_at IS NULL"));
static DELETE: Statement = Statement::new(
    "webhooks.delete",
    "UPDATE webhooks SET deleted_at = $3 WHERE tenant_id = $1 AND id = $2 AND deleted_at IS NULL",
);
static FORGET: Statement = Statement::new("webhooks.forget", "DELETE FROM webhooks WHERE tenant_id = $1 AND id = $2");
static BY_ID: Statement = Statement::new(
    "webhooks.by_id",
    select!(Stored, " FROM webhooks WHERE tenant_id = $1 AND id = $2 AND deleted_at IS NULL"),
);
static FOR_UPDATE: Statement = Statement::new(
    "webhooks.for_update",
    select!(Stored, " FROM webhooks WHERE tenant_id = $1 AND id = $2 AND deleted_at IS NULL {for_update}"),
);
static BY_URL: Statement = Statement::new(
    "webhooks.by_url",
    select!(Stored, " FROM webhooks WHERE tenant_id = $1 AND url = $2 AND deleted_at IS NULL"),
);
static LIST: Statement = Statement::new(
    "webhooks.list",
    select!(Stored, " FROM webhooks WHERE tenant_id = $1 AND deleted_at IS NULL ORDER BY id"),
);
static ENABLED: Statement = Statement::tenantless(
    "webhooks.enabled",
    "nodes know all endpoints that are told something",
    select!(Stored, " FROM webhooks WHERE status = 'Enabled' AND deleted_at IS NULL"),
);
static ALL_IDS: Statement = Statement::tenantless(
    "webhooks.all_ids",
    "old deliveries are swept whosever they are",
    "SELECT tenant_id, id, deleted_at IS NOT NULL FROM webhooks",
);

pub(crate) static STATEMENTS: &[&Statement] =
    &[&INSERT, &UPDATE, &DELETE, &FORGET, &BY_ID, &FOR_UPDATE, &BY_URL, &LIST, &ENABLED, &ALL_IDS];

pub(crate) fn statements() -> impl Iterator<Item = &'static Statement> {
    STATEMENTS.iter().chain(lanes::STATEMENTS).chain(deliveries::STATEMENTS).copied()
}

/// Counts changes of endpoints: a node whose number is old reads them again.
const EPOCH: &str = "webhooks";

/// An endpoint, as it lies in the database.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stored {
    pub tenant: TenantId,
    pub id: WebhookId,
    pub url: String,
    pub types: Types,
    pub status: Status,
    /// Only events of this channel; of all when there is none.
    pub channel_id: Option<ChannelId>,
    /// In order for each conversation.
    pub ordered: bool,
    /// Sealed.
    pub headers: Option<Vec<u8>>,
    pub secret: Vec<u8>,
    /// Signs too until then.
    pub previous_secret: Option<Vec<u8>>,
    pub previous_until: Option<Timestamp>,
    pub max_in_flight: Option<i64>,
    pub max_per_second: Option<i64>,
    /// Why it is not enabled, where nobody of the tenant decided it.
    pub reason: Option<String>,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

record! {
    Stored {
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
    /// All but when it was made.
    Changing of Stored {
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

/// False when the URL is there already.
pub async fn insert(tx: &mut Tx<'_>, one: &Stored) -> Result<bool> {
    epochs::bump(tx, EPOCH).await?;
    Ok(tx.execute(&INSERT, &Params::default().and(one)).await? == 1)
}

pub async fn update(tx: &mut Tx<'_>, one: &Stored) -> Result<()> {
    epochs::bump(tx, EPOCH).await?;
    tx.execute(&UPDATE, &Params::of(one.tenant).and(&Changing(one))).await.map(drop)
}

/// Its deliveries stay until they are swept. False when it is not there.
pub async fn delete(tx: &mut Tx<'_>, tenant: TenantId, id: WebhookId, now: Timestamp) -> Result<bool> {
    epochs::bump(tx, EPOCH).await?;
    Ok(tx.execute(&DELETE, params![tenant, id, now]).await? == 1)
}

/// Nothing is left of one that was deleted.
pub async fn forget(tx: &mut Tx<'_>, tenant: TenantId, id: WebhookId) -> Result<()> {
    tx.execute(&FORGET, params![tenant, id]).await?;
    lanes::forget(tx, tenant, id).await
}

pub async fn by_id(db: &Db, tenant: TenantId, id: WebhookId) -> Result<Option<Stored>> {
    db.row(&BY_ID, params![tenant, id], read).await
}

pub async fn for_update(tx: &mut Tx<'_>, tenant: TenantId, id: WebhookId) -> Result<Option<Stored>> {
    tx.row(&FOR_UPDATE, params![tenant, id], read).await
}

pub async fn by_url(tx: &mut Tx<'_>, tenant: TenantId, url: &str) -> Result<Option<Stored>> {
    tx.row(&BY_URL, params![tenant, url], read).await
}

/// The oldest first.
pub async fn list(db: &Db, tenant: TenantId) -> Result<Vec<Stored>> {
    db.rows(&LIST, params![tenant], read).await
}

pub async fn enabled(db: &Db) -> Result<Vec<Stored>> {
    db.rows(&ENABLED, &[], read).await
}

/// Every endpoint of every tenant, and whether it was deleted.
pub async fn all_ids(db: &Db) -> Result<Vec<(TenantId, WebhookId, bool)>> {
    db.rows(&ALL_IDS, &[], read).await
}

/// Moves with every change of an endpoint.
pub async fn epoch(db: &Db) -> Result<i64> {
    epochs::value(db, EPOCH).await
}
