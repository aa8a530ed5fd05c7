//! The log of events. A transaction that makes a fact true appends it to `events_new` (`base/facts.rs`); the numbering
//! worker moves it to `events` with a number, without gaps for each tenant.
//!
//! `event_logs` has one row for each tenant: the last number, the number up to which events were dropped, and the lease
//! of the node that numbers. A transaction that numbers updates that row: two nodes that number at once run one after
//! the other. After a crash, facts without a number are still in `events_new`.
//!
//! Read on: `app/src/delivery/events/number.rs`.

use const_format::concatcp;
use domain::delivery::events::{Fact, LoggedFact};
use domain::{TenantId, Timestamp};

use crate::base::columns::{Columns, columns, select};
use crate::base::epochs;
pub use crate::base::facts::append;
use crate::{Db, Param, Params, Result, Row, Tx, params, read};

statements! {
    OLDEST_WAITING = "SELECT at FROM events_new WHERE tenant_id = $1 ORDER BY at, id LIMIT 1";
    /// The next tenant after `$1` that has facts without a number: one step in an index, however many rows were deleted
    /// from the table lately.
    WAITING tenantless "reads across tenants: the numbering worker finds tenants with facts that have no number" =
        "SELECT tenant_id FROM events_new WHERE tenant_id > $1 ORDER BY tenant_id, at, id LIMIT 1";
    /// Takes the lease of a log, or renews it, and locks its row until the commit, so that two nodes that number at
    /// once run one after the other.
    ACQUIRE_LEASE = "INSERT INTO event_logs (tenant_id, last, dropped, holder, until, moved_at)
        VALUES ($1, 0, 0, $2, $4, 0)
        ON CONFLICT (tenant_id) DO UPDATE SET holder = excluded.holder, until = excluded.until
        WHERE event_logs.holder = excluded.holder OR event_logs.until <= $3
        RETURNING last";
    /// Does nothing if another node leads the log.
    NUMBER = concatcp!(
        "INSERT INTO events (tenant_id, last, ",
        Fact::COLUMNS,
        ")
         SELECT first_ones.tenant_id, event_logs.last
             + CAST(SUM(width) OVER (ORDER BY at, id ROWS UNBOUNDED PRECEDING) AS BIGINT), ",
        Fact::COLUMNS,
        " FROM (SELECT tenant_id, ",
        Fact::COLUMNS,
        " FROM events_new WHERE tenant_id = $1 ORDER BY at, id LIMIT $3) first_ones
         JOIN event_logs ON event_logs.tenant_id = $1 AND event_logs.holder = $2"
    );
    /// Deletes the facts that were numbered just now from `events_new`: in the state that the transaction sees, these
    /// are all up to the last one. It does not see facts that were appended meanwhile, also with an earlier time.
    REMOVE_NEW = "DELETE FROM events_new WHERE tenant_id = $1 AND (at, id) <= (SELECT at, id FROM events
            WHERE tenant_id = $1 AND last > (SELECT last FROM event_logs
                WHERE tenant_id = $1) ORDER BY last DESC LIMIT 1)";
    ADVANCE = "UPDATE event_logs SET moved_at = $3, last = (SELECT MAX(last) FROM events WHERE tenant_id = $1)
        WHERE tenant_id = $1 AND holder = $2 AND last < (SELECT MAX(last) FROM events WHERE tenant_id = $1)
        RETURNING last";
    PAGE = select!(LoggedFact, " FROM events WHERE tenant_id = $1 AND last > $2 ORDER BY last LIMIT $3");
    /// Facts before a number, newest first.
    PAGE_BEFORE = select!(LoggedFact, " FROM events WHERE tenant_id = $1 AND last < $2 ORDER BY last DESC LIMIT $3");
    REPLACE_BODY = "UPDATE events SET body = $3 WHERE tenant_id = $1 AND last = $2";
    LOG = select!(Log, " FROM event_logs WHERE tenant_id = $1");
    MOVED_SINCE tenantless "reads across tenants: a node finds logs that another node has numbered lately" =
        "SELECT tenant_id, last FROM event_logs WHERE moved_at > $1";
    TENANTS tenantless "reads across tenants: the sweep finds logs that have events" =
        "SELECT tenant_id FROM event_logs WHERE last > dropped";
    /// Among the `$3` facts with the lowest numbers: the greatest number of those that are older than a time and not
    /// after a number, and their count.
    LAST_TO_DROP = "SELECT MAX(last), COUNT(*) FROM (
            SELECT last FROM (SELECT last, at FROM events WHERE tenant_id = $1 ORDER BY last LIMIT $3) oldest
                WHERE at < $2 AND last <= $4) old";
    DROP = "DELETE FROM events WHERE tenant_id = $1 AND last <= $2";
    SET_DROPPED = "UPDATE event_logs SET dropped = $2 WHERE tenant_id = $1 AND dropped < $2";
}

/// Name of the epoch of bodies.
const BODIES: &str = "event_bodies";

/// The last number of a log, and the number up to which events were dropped.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Log {
    pub last: i64,
    pub dropped: i64,
}

columns! { Log { last, dropped } }

columns! { LoggedFact { last, fact: Fact } }

/// When the oldest fact that has no number was appended.
pub async fn oldest_waiting(db: &Db, tenant: TenantId) -> Result<Option<Timestamp>> {
    db.row(&OLDEST_WAITING, params![tenant], read).await
}

/// Tenants that have facts without a number.
pub async fn waiting(db: &Db) -> Result<Vec<TenantId>> {
    let mut found = Vec::new();
    while let Some(next) =
        db.row(&WAITING, params![found.last().copied().unwrap_or(TenantId::INSTALLATION)], read).await?
    {
        found.push(next);
    }
    Ok(found)
}

/// The node that numbers a log, and the lease that it takes for it.
#[derive(Debug)]
pub struct Leader<'a> {
    pub node: &'a str,
    pub now: Timestamp,
    pub until: Timestamp,
}

/// The outcome of numbering one batch of a log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NumberingOutcome {
    /// Another node leads the log.
    LedElsewhere,
    /// There were no facts without a number.
    Empty,
    /// The last number of the log before and after.
    Numbered { before: i64, last: i64 },
}

/// Takes or renews the lease of a log and numbers up to `most` of its facts, the earliest first.
pub async fn number(db: &Db, tenant: TenantId, leader: &Leader<'_>, most: i64) -> Result<NumberingOutcome> {
    let holder = || Param::Owned(leader.node.to_owned());
    // Whole seconds: updating the index on `moved_at` with every batch would cost more than the batch.
    let moved_at = Timestamp::from_seconds(leader.now.seconds());
    let statements = vec![
        (&ACQUIRE_LEASE, vec![tenant.into(), holder(), leader.now.into(), leader.until.into()]),
        (&NUMBER, vec![tenant.into(), holder(), most.into()]),
        (&REMOVE_NEW, vec![tenant.into()]),
        (&ADVANCE, vec![tenant.into(), holder(), moved_at.into()]),
    ];
    let rows: Vec<Vec<i64>> = db.write_list(statements, read).await?;
    let number = |of: Option<&Vec<i64>>| of.and_then(|rows| rows.first().copied());
    Ok(match (number(rows.first()), number(rows.last())) {
        (None, _) => NumberingOutcome::LedElsewhere,
        (Some(_), None) => NumberingOutcome::Empty,
        (Some(before), Some(last)) => NumberingOutcome::Numbered { before, last },
    })
}

/// Facts that have an event after this number, in order.
pub async fn page(db: &Db, tenant: TenantId, after: i64, limit: i64) -> Result<Vec<LoggedFact>> {
    db.rows(&PAGE, params![tenant, after, limit], read).await
}

/// Facts whose last event is before this number, newest first.
pub async fn page_before(db: &Db, tenant: TenantId, before: i64, limit: i64) -> Result<Vec<LoggedFact>> {
    db.rows(&PAGE_BEFORE, params![tenant, before, limit], read).await
}

/// Visits the facts that have an event after this number, in order, at most `limit`. May take long.
pub async fn visit_page(
    db: &Db,
    tenant: TenantId,
    after: i64,
    limit: i64,
    visit: &mut (dyn FnMut(LoggedFact) + Send),
) -> Result<()> {
    let read_one = |row: &Row<'_>| {
        visit(read(row)?);
        Ok(())
    };
    db.long_each(&PAGE, params![tenant, after, limit], read_one).await
}

/// Replaces the bodies of facts, each named by the number of its last event.
pub async fn replace_bodies(tx: &mut Tx<'_>, tenant: TenantId, bodies: &[(i64, String)]) -> Result<()> {
    let rows = bodies.iter().map(|(last, body)| Params::for_tenant(tenant).with(*last).with(body));
    tx.execute_set(&REPLACE_BODY, rows).await.map(drop)
}

/// Raises the epoch of bodies. Must run in the transaction that replaces bodies, because nodes cache events.
pub async fn bodies_changed(tx: &mut Tx<'_>) -> Result<()> {
    epochs::bump(tx, BODIES).await
}

/// The epoch of bodies, which increases whenever some are replaced.
pub async fn bodies_epoch(db: &Db) -> Result<i64> {
    epochs::value(db, BODIES).await
}

pub async fn page_in(tx: &mut Tx<'_>, tenant: TenantId, after: i64, limit: i64) -> Result<Vec<LoggedFact>> {
    tx.rows(&PAGE, params![tenant, after, limit], read).await
}

pub async fn log(db: &Db, tenant: TenantId) -> Result<Log> {
    Ok(db.row(&LOG, params![tenant], read).await?.unwrap_or_default())
}

/// Logs whose last numbering, rounded down to a whole second, is later than this time, with their last number.
pub async fn moved_since(db: &Db, since: Timestamp) -> Result<Vec<(TenantId, i64)>> {
    db.rows(&MOVED_SINCE, params![since], read).await
}

/// Tenants whose log still has events.
pub async fn tenants(db: &Db) -> Result<Vec<TenantId>> {
    db.rows(&TENANTS, &[], read).await
}

/// The oldest facts of a log, for deletion.
#[derive(Debug, Clone, Copy)]
pub struct OldFacts {
    /// Facts before this time are old.
    pub before: Timestamp,
    /// Facts after this number are kept.
    pub through: i64,
    /// Most facts looked at.
    pub most: i64,
}

/// Looks at the facts with the lowest numbers, deletes them up to the last old one, and notes up to which number events
/// were dropped. Returns how many of them are old; 0 when none is.
pub async fn drop_old(tx: &mut Tx<'_>, tenant: TenantId, old: OldFacts) -> Result<i64> {
    let params = params![tenant, old.before, old.most, old.through];
    let old: Option<(Option<i64>, i64)> = tx.row(&LAST_TO_DROP, params, read).await?;
    let Some((Some(last), count)) = old else { return Ok(0) };
    tx.execute(&DROP, params![tenant, last]).await?;
    tx.execute(&SET_DROPPED, params![tenant, last]).await?;
    Ok(count)
}
