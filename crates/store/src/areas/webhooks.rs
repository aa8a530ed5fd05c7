//! Webhooks: the endpoints, how far each is told, and what was delivered. What is secret is sealed by the use case.

pub mod deliveries;
pub mod lanes;

use domain::events::{EventType, Types};
use domain::webhooks::Status;
use domain::{ChannelId, TenantId, Timestamp, WebhookId};

use crate::{Db, Error, Param, Result, Row, Statement, Tx, epochs, params};

macro_rules! select {
    ($which:literal) => {
        concat!(
            "SELECT tenant_id, id, url, types, status, channel_id, ordered, headers, secret, previous_secret, previous_until,
                 max_in_flight, max_per_second, reason, created_at, updated_at
             FROM webhooks ",
            $which
        )
    };
}

static INSERT: Statement = Statement::new(
    "webhooks.insert",
    "INSERT INTO webhooks (tenant_id, id, url, types, status, channel_id, ordered, headers, secret, previous_secret,
         previous_until, max_in_flight, max_per_second, reason, created_at, updated_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16) ON CONFLICT DO NOTHING",
);
static UPDATE: Statement = Statement::new(
    "webhooks.update",
    "UPDATE webhooks SET url = $3, types = $4, status = $5, channel_id = $6, ordered = $7, headers = $8, secret = $9,
         previous_secret = $10, previous_until = $11, max_in_flight = $12, max_per_second = $13, reason = $14,
         updated_at = $15
     WHERE tenant_id = $1 AND id = $2 AND deleted_at IS NULL",
);
static DELETE: Statement = Statement::new(
    "webhooks.delete",
    "UPDATE webhooks SET deleted_at = $3 WHERE tenant_id = $1 AND id = $2 AND deleted_at IS NULL",
);
static FORGET: Statement = Statement::new("webhooks.forget", "DELETE FROM webhooks WHERE tenant_id = $1 AND id = $2");
static BY_ID: Statement =
    Statement::new("webhooks.by_id", select!("WHERE tenant_id = $1 AND id = $2 AND deleted_at IS NULL"));
static FOR_UPDATE: Statement = Statement::new(
    "webhooks.for_update",
    select!("WHERE tenant_id = $1 AND id = $2 AND deleted_at IS NULL {for_update}"),
);
static BY_URL: Statement =
    Statement::new("webhooks.by_url", select!("WHERE tenant_id = $1 AND url = $2 AND deleted_at IS NULL"));
static LIST: Statement =
    Statement::new("webhooks.list", select!("WHERE tenant_id = $1 AND deleted_at IS NULL ORDER BY id"));
static ENABLED: Statement = Statement::tenantless(
    "webhooks.enabled",
    "nodes know all endpoints that are told something",
    select!("WHERE status = 'Enabled' AND deleted_at IS NULL"),
);
static ALL_IDS: Statement = Statement::tenantless(
    "webhooks.all_ids",
    "old deliveries are swept whosever they are",
    "SELECT tenant_id, id, deleted_at FROM webhooks",
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

/// False when the URL is there already.
pub async fn insert(tx: &mut Tx<'_>, one: &Stored) -> Result<bool> {
    let types = written(one.types);
    let params: &[Param<'_>] = &[
        one.tenant.into(),
        one.id.into(),
        one.url.as_str().into(),
        types.as_str().into(),
        one.status.name().into(),
        one.channel_id.into(),
        one.ordered.into(),
        one.headers.as_deref().into(),
        one.secret.as_slice().into(),
        one.previous_secret.as_deref().into(),
        one.previous_until.into(),
        one.max_in_flight.into(),
        one.max_per_second.into(),
        one.reason.as_deref().into(),
        one.created_at.into(),
        one.updated_at.into(),
    ];
    epochs::bump(tx, EPOCH).await?;
    Ok(tx.execute(&INSERT, params).await? == 1)
}

pub async fn update(tx: &mut Tx<'_>, one: &Stored) -> Result<()> {
    let types = written(one.types);
    let params: &[Param<'_>] = &[
        one.tenant.into(),
        one.id.into(),
        one.url.as_str().into(),
        types.as_str().into(),
        one.status.name().into(),
        one.channel_id.into(),
        one.ordered.into(),
        one.headers.as_deref().into(),
        one.secret.as_slice().into(),
        one.previous_secret.as_deref().into(),
        one.previous_until.into(),
        one.max_in_flight.into(),
        one.max_per_second.into(),
        one.reason.as_deref().into(),
        one.updated_at.into(),
    ];
    epochs::bump(tx, EPOCH).await?;
    tx.execute(&UPDATE, params).await.map(drop)
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
    db.row(&BY_ID, params![tenant, id], stored).await
}

pub async fn for_update(tx: &mut Tx<'_>, tenant: TenantId, id: WebhookId) -> Result<Option<Stored>> {
    tx.row(&FOR_UPDATE, params![tenant, id], stored).await
}

pub async fn by_url(tx: &mut Tx<'_>, tenant: TenantId, url: &str) -> Result<Option<Stored>> {
    tx.row(&BY_URL, params![tenant, url], stored).await
}

/// The oldest first.
pub async fn list(db: &Db, tenant: TenantId) -> Result<Vec<Stored>> {
    db.rows(&LIST, params![tenant], stored).await
}

pub async fn enabled(db: &Db) -> Result<Vec<Stored>> {
    db.rows(&ENABLED, &[], stored).await
}

/// Every endpoint of every tenant, and whether it was deleted.
pub async fn all_ids(db: &Db) -> Result<Vec<(TenantId, WebhookId, bool)>> {
    db.rows(&ALL_IDS, &[], |row| Ok((row.tenant(0)?, row.id(1)?, row.opt_time(2)?.is_some()))).await
}

/// Moves with every change of an endpoint.
pub async fn epoch(db: &Db) -> Result<i64> {
    epochs::read(db, EPOCH).await
}

fn written(types: Types) -> String {
    types.iter().map(EventType::name).collect::<Vec<_>>().join(" ")
}

fn stored(row: &Row<'_>) -> Result<Stored> {
    Ok(Stored {
        tenant: row.tenant(0)?,
        id: row.id(1)?,
        url: row.string(2)?,
        // A name that only a later version knows is nothing that we could tell.
        types: row.text(3)?.split_whitespace().filter_map(|name| name.parse().ok()).collect(),
        status: row.text(4)?.parse().map_err(|()| Error::Column(4))?,
        channel_id: row.opt_id(5)?,
        ordered: row.bool(6)?,
        headers: row.opt_bytes(7)?.map(<[u8]>::to_vec),
        secret: row.bytes(8)?.to_vec(),
        previous_secret: row.opt_bytes(9)?.map(<[u8]>::to_vec),
        previous_until: row.opt_time(10)?,
        max_in_flight: row.opt_int(11)?,
        max_per_second: row.opt_int(12)?,
        reason: row.opt_string(13)?,
        created_at: row.time(14)?,
        updated_at: row.time(15)?,
    })
}
