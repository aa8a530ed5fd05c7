//! Counts of a broadcast's messages by state. One statement counts them, so that all counts are of one moment; it needs
//! only an index of the messages, not their rows.

use domain::messages::MessageState;
use domain::{BroadcastId, TenantId, Timestamp};

use super::{Broadcast, BroadcastRange};
use crate::columns::select;
use crate::{Db, Result, Row, Statement, params, read};

macro_rules! of {
    ($state:literal) => {
        concat!("COUNT(*) FILTER (WHERE m.state = '", $state, "')")
    };
}

/// Counts messages `m` of broadcasts `b`: accepted ones that are scheduled after `$2`, then each state in the order of
/// `MessageState::ALL`.
macro_rules! counted {
    () => {
        concat!(
            "COUNT(*) FILTER (WHERE m.state = 'accepted' AND b.scheduled_at > $2) AS early, ",
            of!("accepted"),
            " AS accepted, ",
            of!("queued"),
            " AS queued, ",
            of!("submitted"),
            " AS submitted, ",
            of!("unknown"),
            " AS unknown, ",
            of!("sent"),
            " AS sent, ",
            of!("stopped"),
            " AS stopped, ",
            of!("expired"),
            " AS expired, ",
            of!("failed"),
            " AS failed, ",
            of!("delivered"),
            " AS delivered, ",
            of!("read"),
            " AS seen, ",
            of!("replied"),
            " AS replied FROM broadcasts b JOIN messages m {indexed_by messages_broadcast}
                ON m.tenant_id = $1 AND m.broadcast_id = b.id "
        )
    };
}

pub(super) static FIND_WITH_COUNTS: Statement = Statement::new(
    "broadcasts.show",
    select!(
        Broadcast as "b",
        ", p.early, p.accepted, p.queued, p.submitted, p.unknown, p.sent, p.stopped, p.expired, p.failed, p.delivered,
            p.seen, p.replied
         FROM broadcasts b CROSS JOIN (SELECT ",
        counted!(),
        "WHERE b.tenant_id = $1 AND b.id = $3) p WHERE b.tenant_id = $1 AND b.id = $3"
    ),
);
pub(super) static OVERVIEW: Statement = Statement::new(
    "broadcasts.overview",
    concat!(
        "SELECT (SELECT CAST(COALESCE(SUM(r.refused), 0) AS BIGINT) FROM broadcasts r {indexed_by broadcasts_created}
             WHERE r.tenant_id = $1 AND r.created_at BETWEEN $3 AND $4 AND (r.channel_id = $5 OR $5 IS NULL)), ",
        counted!(),
        "WHERE b.tenant_id = $1 AND b.created_at BETWEEN $3 AND $4 AND (b.channel_id = $5 OR $5 IS NULL)"
    ),
);

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StateCounts {
    /// Recipients who were refused.
    pub refused: i64,
    /// Accepted messages whose scheduled time has not come.
    pub early: i64,
    by_state: [i64; MessageState::ALL.len()],
}

impl StateCounts {
    pub const fn of(&self, state: MessageState) -> i64 {
        self.by_state[state as usize]
    }
}

/// A broadcast with its counts.
pub async fn find_with_counts(
    db: &Db,
    tenant: TenantId,
    id: BroadcastId,
    now: Timestamp,
) -> Result<Option<(Broadcast, StateCounts)>> {
    let read_row = |row: &Row<'_>| {
        let (found, early, by_state): (Broadcast, _, _) = read(row)?;
        let counts = StateCounts { refused: found.refused, early, by_state };
        Ok((found, counts))
    };
    db.row(&FIND_WITH_COUNTS, params![tenant, now, id], read_row).await
}

/// The counts of all broadcasts of the range together. May take long: every message is counted.
pub async fn overview(
    db: &Db,
    tenant: TenantId,
    filter: &BroadcastRange,
    now: Timestamp,
) -> Result<Option<StateCounts>> {
    let BroadcastRange { from, to, channel } = *filter;
    let counts = |row: &Row<'_>| {
        let (refused, early, by_state) = read(row)?;
        Ok(StateCounts { refused, early, by_state })
    };
    db.long_row(&OVERVIEW, params![tenant, now, from, to, channel], counts).await
}
