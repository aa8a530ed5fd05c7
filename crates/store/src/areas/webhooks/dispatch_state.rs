//! How far each endpoint is told, by whom, and how it has been lately. A lane is leased: whoever has it delivers.

use const_format::concatcp;
use domain::webhooks::Health;
use domain::{TenantId, Timestamp, WebhookId};

use crate::columns::{Columns, columns, select};
use crate::{Db, Result, Statement, Tx, params, read};

static INSERT: Statement = Statement::new(
    "webhook_lanes.insert",
    "INSERT INTO webhook_lanes (tenant_id, webhook_id, position, reached, holder, until, failed_in_a_row)
     VALUES ($1, $2, $3, $3, '', 0, 0) ON CONFLICT DO NOTHING",
);
static TAKE: Statement = Statement::new(
    "webhook_lanes.take",
    concatcp!(
        "UPDATE webhook_lanes SET holder = $3, until = $5
         WHERE tenant_id = $1 AND webhook_id = $2 AND (holder = $3 OR until <= $4)
         RETURNING ",
        Lane::COLUMNS
    ),
);
static RENEW: Statement = Statement::new(
    "webhook_lanes.renew",
    "UPDATE webhook_lanes SET until = $4 WHERE tenant_id = $1 AND webhook_id = $2 AND holder = $3 RETURNING until",
);
static RELEASE: Statement = Statement::new(
    "webhook_lanes.release",
    "UPDATE webhook_lanes SET until = 0, position = CASE WHEN position < $4 THEN $4 ELSE position END,
         reached = CASE WHEN reached < $4 THEN $4 ELSE reached END
     WHERE tenant_id = $1 AND webhook_id = $2 AND holder = $3",
);
/// Whoever lost the lane meanwhile moves nothing.
static MOVE_ON: Statement = Statement::new(
    "webhook_lanes.move_on",
    "UPDATE webhook_lanes SET position = $4, reached = CASE WHEN reached < $5 THEN $5 ELSE reached END, until = $6,
         failed_in_a_row = $7, failing_since = $8, delivered_at = $9, rests_until = $10
     WHERE tenant_id = $1 AND webhook_id = $2 AND holder = $3 AND position <= $4",
);
static PLACE: Statement = Statement::new(
    "webhook_lanes.place",
    "UPDATE webhook_lanes SET position = $3, reached = CASE WHEN reached < $3 THEN $3 ELSE reached END, holder = '',
         until = 0, failed_in_a_row = 0, failing_since = NULL,
         rests_until = NULL
     WHERE tenant_id = $1 AND webhook_id = $2",
);
static STATE: Statement = Statement::new(
    "webhook_lanes.state",
    select!(Lane, " FROM webhook_lanes WHERE tenant_id = $1 AND webhook_id = $2"),
);
static OF_TENANT: Statement = Statement::new(
    "webhook_lanes.of_tenant",
    concatcp!("SELECT webhook_id, ", Lane::COLUMNS, " FROM webhook_lanes WHERE tenant_id = $1"),
);
static BEHIND: Statement = Statement::tenantless(
    "webhook_lanes.behind",
    "nodes look for lanes that nobody runs, whosever they are",
    "SELECT l.tenant_id, l.webhook_id FROM webhook_lanes l
     JOIN event_logs e ON e.tenant_id = l.tenant_id WHERE l.position < e.last AND l.until <= $1",
);
static FORGET: Statement =
    Statement::new("webhook_lanes.forget", "DELETE FROM webhook_lanes WHERE tenant_id = $1 AND webhook_id = $2");

pub(crate) static STATEMENTS: &[&Statement] =
    &[&INSERT, &TAKE, &RENEW, &RELEASE, &MOVE_ON, &PLACE, &STATE, &OF_TENANT, &BEHIND, &FORGET];

/// Where an endpoint is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lane {
    /// Everything up to here has a delivery, or was not for it.
    pub position: i64,
    /// Some between `position` and here have one.
    pub reached: i64,
    pub health: Health,
}

columns! { Health { failed_in_a_row, failing_since, delivered_at, rests_until } }

columns! { Lane { position, reached, health: Health } }

/// How far a lane has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    pub tenant: TenantId,
    pub webhook: WebhookId,
    pub lane: Lane,
}

/// A new endpoint is told what happens from now on.
pub async fn insert(tx: &mut Tx<'_>, tenant: TenantId, webhook: WebhookId, position: i64) -> Result<()> {
    tx.execute(&INSERT, params![tenant, webhook, position]).await.map(drop)
}

/// The lane, unless somebody else has it.
pub async fn take(
    tx: &mut Tx<'_>,
    tenant: TenantId,
    webhook: WebhookId,
    holder: &str,
    now: Timestamp,
    until: Timestamp,
) -> Result<Option<Lane>> {
    tx.row(&TAKE, params![tenant, webhook, holder, now, until], read).await
}

/// False when it is somebody else's by now.
pub async fn renew(
    tx: &mut Tx<'_>,
    tenant: TenantId,
    webhook: WebhookId,
    holder: &str,
    until: Timestamp,
) -> Result<bool> {
    let kept = tx.row(&RENEW, params![tenant, webhook, holder, until], |_| Ok(())).await?;
    Ok(kept.is_some())
}

/// Gives a lane back that has nothing under way; everything up to `read` is done with.
pub async fn release(tx: &mut Tx<'_>, tenant: TenantId, webhook: WebhookId, holder: &str, read: i64) -> Result<()> {
    tx.execute(&RELEASE, params![tenant, webhook, holder, read]).await.map(drop)
}

pub async fn move_on(tx: &mut Tx<'_>, holder: &str, until: Timestamp, moved: &[Progress]) -> Result<()> {
    let row = |one: &Progress| {
        let (lane, health) = (one.lane, one.lane.health);
        [
            one.tenant.into(),
            one.webhook.into(),
            holder.into(),
            lane.position.into(),
            lane.reached.into(),
            until.into(),
            health.failed_in_a_row.into(),
            health.failing_since.into(),
            health.delivered_at.into(),
            health.rests_until.into(),
        ]
    };
    tx.execute_many(&MOVE_ON, moved.iter().map(row).collect::<Vec<_>>()).await.map(drop)
}

/// Goes on from there, whoever has it at present, and as if it had never failed.
pub async fn place(tx: &mut Tx<'_>, tenant: TenantId, webhook: WebhookId, position: i64) -> Result<()> {
    tx.execute(&PLACE, params![tenant, webhook, position]).await.map(drop)
}

pub async fn state(db: &Db, tenant: TenantId, webhook: WebhookId) -> Result<Option<Lane>> {
    db.row(&STATE, params![tenant, webhook], read).await
}

pub async fn state_in(tx: &mut Tx<'_>, tenant: TenantId, webhook: WebhookId) -> Result<Option<Lane>> {
    tx.row(&STATE, params![tenant, webhook], read).await
}

pub async fn of_tenant(db: &Db, tenant: TenantId) -> Result<Vec<(WebhookId, Lane)>> {
    db.rows(&OF_TENANT, params![tenant], read).await
}

/// Lanes that are behind their log and that nobody has.
pub async fn behind(db: &Db, now: Timestamp) -> Result<Vec<(TenantId, WebhookId)>> {
    db.rows(&BEHIND, params![now], read).await
}

pub(super) async fn forget(tx: &mut Tx<'_>, tenant: TenantId, webhook: WebhookId) -> Result<()> {
    tx.execute(&FORGET, params![tenant, webhook]).await.map(drop)
}
