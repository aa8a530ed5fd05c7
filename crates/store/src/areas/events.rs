//! The log of what happened: facts are appended by the transaction that made them true, and numbered afterwards, without
//! gaps for each tenant, by whoever leads the log at the time.

use const_format::concatcp;
use domain::events::{Fact, Logged};
use domain::{EventId, TenantId, Timestamp};

use crate::columns::{Columns, columns, insert, record, select};
use crate::{Db, Param, Params, Result, Statement, Tx, params, read};

static APPEND: Statement = Statement::new("events.append", insert!("events_new": Fact));
/// The next tenant after this one: a step over an index, however much was deleted from the table lately.
static WAITING: Statement = Statement::tenantless(
    "events.waiting",
    "whoever numbers looks for work whoever's it is",
    "SELECT tenant_id FROM events_new WHERE tenant_id > $1 ORDER BY tenant_id, at, id LIMIT 1",
);
/// Taken together with the number: two who number at once follow each other.
static LEAD: Statement = Statement::new(
    "events.lead",
    "INSERT INTO event_logs (tenant_id, last, dropped, holder, until, moved_at) VALUES ($1, 0, 0, $2, $4, 0)
     ON CONFLICT (tenant_id) DO UPDATE SET holder = excluded.holder, until = excluded.until
     WHERE event_logs.holder = excluded.holder OR event_logs.until <= $3
     RETURNING last",
);
static NUMBER: Statement = Statement::new(
    "events.number",
    concatcp!(
        "INSERT INTO events (tenant_id, last, ",
        Fact::COLUMNS,
        ")
         SELECT tenant_id, CAST($2 AS BIGINT)
             + CAST(SUM(width) OVER (ORDER BY at, id ROWS UNBOUNDED PRECEDING) AS BIGINT), ",
        Fact::COLUMNS,
        " FROM (SELECT tenant_id, ",
        Fact::COLUMNS,
        " FROM events_new WHERE tenant_id = $1 ORDER BY at, id LIMIT $3) first_ones"
    ),
);
/// Exactly those that have a number now: others may have come meanwhile.
static NUMBERED: Statement = Statement::new(
    "events.numbered",
    "SELECT at, id FROM events WHERE tenant_id = $1 AND last > $2 ORDER BY last LIMIT $3",
);
static TAKE_AWAY: Statement =
    Statement::new("events.take_away", "DELETE FROM events_new WHERE tenant_id = $1 AND at = $2 AND id = $3");
static MOVE_ON: Statement = Statement::new(
    "events.move_on",
    "UPDATE event_logs SET moved_at = $2, last = (SELECT MAX(last) FROM events WHERE tenant_id = $1)
     WHERE tenant_id = $1 RETURNING last",
);
static PAGE: Statement = Statement::new(
    "events.page",
    select!(Logged, " FROM events WHERE tenant_id = $1 AND last > $2 ORDER BY last LIMIT $3"),
);
static LOG: Statement = Statement::new("events.log", select!(Log, " FROM event_logs WHERE tenant_id = $1"));
static MOVED: Statement = Statement::tenantless(
    "events.moved",
    "nodes look for logs that have moved lately, whosever they are",
    "SELECT tenant_id, last FROM event_logs WHERE moved_at > $1",
);
static LOGS: Statement = Statement::tenantless(
    "events.logs",
    "old events are dropped whosever they are",
    "SELECT tenant_id FROM event_logs WHERE last > dropped",
);
/// The greatest number of the oldest ones, if all of those are older than asked.
static OLDEST: Statement = Statement::new(
    "events.oldest",
    "SELECT MAX(last), COUNT(*) FROM (
         SELECT last FROM (SELECT last, at FROM events WHERE tenant_id = $1 ORDER BY last LIMIT $3) oldest WHERE at < $2) old",
);
static DROP: Statement = Statement::new("events.drop", "DELETE FROM events WHERE tenant_id = $1 AND last <= $2");
static DROPPED: Statement =
    Statement::new("events.dropped", "UPDATE event_logs SET dropped = $2 WHERE tenant_id = $1 AND dropped < $2");

pub(crate) static STATEMENTS: &[&Statement] = &[
    &APPEND, &WAITING, &LEAD, &NUMBER, &NUMBERED, &TAKE_AWAY, &MOVE_ON, &PAGE, &LOG, &MOVED, &LOGS, &OLDEST, &DROP,
    &DROPPED,
];

/// How far a log is numbered, and up to which number it is kept no longer.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Log {
    pub last: i64,
    pub dropped: i64,
}

columns! { Log { last, dropped } }

record! { Fact { width, at, id, kind, channel_id, conversation_id, body } }

columns! { Logged { last, fact: Fact } }

/// In the transaction that makes it true. Whoever numbers hears of it when that is committed.
pub async fn append(tx: &mut Tx<'_>, tenant: TenantId, facts: &[Fact]) -> Result<()> {
    if facts.is_empty() {
        return Ok(());
    }
    tx.execute_many(&APPEND, facts.iter().map(|fact| Params::of(tenant).and(fact))).await?;
    tx.appended(tenant);
    Ok(())
}

/// Tenants that have something without a number.
pub async fn waiting(db: &Db) -> Result<Vec<TenantId>> {
    let mut found = Vec::new();
    while let Some(next) =
        db.row(&WAITING, params![found.last().copied().unwrap_or(TenantId::INSTALLATION)], read).await?
    {
        found.push(next);
    }
    Ok(found)
}

/// The number that the log has reached, for whoever leads it from now on; none while somebody else does.
pub async fn lead(
    tx: &mut Tx<'_>,
    tenant: TenantId,
    holder: &str,
    now: Timestamp,
    until: Timestamp,
) -> Result<Option<i64>> {
    tx.row(&LEAD, params![tenant, holder, now, until], read).await
}

/// Numbers what waits, in the order of time, up to so many facts. Answers where the log is then, if it moved.
pub async fn number(tx: &mut Tx<'_>, tenant: TenantId, last: i64, most: i64, now: Timestamp) -> Result<Option<i64>> {
    if tx.execute(&NUMBER, params![tenant, last, most]).await? == 0 {
        return Ok(None);
    }
    let numbered: Vec<(Timestamp, EventId)> = tx.rows(&NUMBERED, params![tenant, last, most], read).await?;
    let keys = numbered.into_iter().map(|(at, id)| [tenant.into(), at.into(), id.into()]);
    tx.execute_many(&TAKE_AWAY, keys.collect::<Vec<[Param<'_>; 3]>>()).await?;
    // Whole seconds: an index on what changes with each batch would cost more than the batch.
    let moved_at = Timestamp::from_seconds(now.seconds());
    tx.row(&MOVE_ON, params![tenant, moved_at], read).await
}

/// Facts that have an event after this number, in order.
pub async fn page(db: &Db, tenant: TenantId, after: i64, limit: i64) -> Result<Vec<Logged>> {
    db.rows(&PAGE, params![tenant, after, limit], read).await
}

pub async fn log(db: &Db, tenant: TenantId) -> Result<Log> {
    Ok(db.row(&LOG, params![tenant], read).await?.unwrap_or_default())
}

/// Logs that have moved since then, and where they are.
pub async fn moved_since(db: &Db, since: Timestamp) -> Result<Vec<(TenantId, i64)>> {
    db.rows(&MOVED, params![since], read).await
}

/// Tenants that have events.
pub async fn tenants(db: &Db) -> Result<Vec<TenantId>> {
    db.rows(&LOGS, &[], read).await
}

/// Drops the oldest facts that are older than this, at most so many. Answers how many.
pub async fn drop_before(tx: &mut Tx<'_>, tenant: TenantId, before: Timestamp, most: i64) -> Result<i64> {
    let old: Option<(Option<i64>, i64)> = tx.row(&OLDEST, params![tenant, before, most], read).await?;
    let Some((Some(last), count)) = old else { return Ok(0) };
    tx.execute(&DROP, params![tenant, last]).await?;
    tx.execute(&DROPPED, params![tenant, last]).await?;
    Ok(count)
}
