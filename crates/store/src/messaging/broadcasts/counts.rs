//! Counts of a broadcast's messages by state. One statement counts them, so that all counts are of one moment; it needs
//! only an index of the messages, not their rows.

use std::collections::HashMap;

use domain::messaging::broadcasts::{Broadcast, BroadcastProgress};
use domain::messaging::messages::MessageState;
use domain::{BroadcastId, TenantId, Timestamp};

use super::rows::BroadcastRange;
use crate::base::columns::{listed, select};
use crate::{Db, Result, Row, params, read};

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

/// Whether the name of the broadcast contains `$6`, in any letter case; true without it.
macro_rules! named {
    ($alias:literal) => {
        concat!(
            "(CAST($6 AS TEXT) IS NULL OR {sqlite instr(lower(",
            $alias,
            ".name), lower($6))}{postgres strpos(lower(",
            $alias,
            ".name), lower(CAST($6 AS TEXT)))} > 0)"
        )
    };
}

/// Counts messages of the listed broadcast.
macro_rules! of_listed {
    ($condition:literal) => {
        concat!(
            "(SELECT COUNT(*) FROM messages m {indexed_by messages_broadcast}
              WHERE m.tenant_id = $1 AND m.broadcast_id = {sqlite unhex(listed.value)}{postgres decode(listed.value, 'hex')}",
            $condition,
            ")"
        )
    };
}

statements! {
    /// For each listed broadcast, how many messages wait, how many have failed or expired, and how many there are. Each
    /// broadcast is counted by subqueries, because the engine would sort the messages for a GROUP BY.
    PROGRESS = concat!(
        "SELECT {sqlite unhex(listed.value)}{postgres decode(listed.value, 'hex')}, ",
        of_listed!(" AND m.state IN ('accepted', 'queued')"),
        ", ",
        of_listed!(" AND m.state IN ('failed', 'expired')"),
        ", ",
        of_listed!(""),
        " FROM {sqlite json_each($2) listed}
         {postgres json_array_elements_text(CAST(CAST($2 AS TEXT) AS JSON)) AS listed(value)}"
    );
    /// For each listed broadcast, a JSON array with the number of messages in each state, in the order of
    /// `MessageState::ALL`, and how many failed after they were sent. An array, because a subquery has one value, and
    /// the messages are to be read once.
    STATE_COUNTS = concat!(
        "SELECT {sqlite unhex(listed.value)}{postgres decode(listed.value, 'hex')},
            (SELECT CAST({sqlite json_array}{postgres json_build_array}(",
        of!("accepted"),
        ", ",
        of!("queued"),
        ", ",
        of!("submitted"),
        ", ",
        of!("unknown"),
        ", ",
        of!("sent"),
        ", ",
        of!("stopped"),
        ", ",
        of!("expired"),
        ", ",
        of!("failed"),
        ", ",
        of!("delivered"),
        ", ",
        of!("read"),
        ", ",
        of!("replied"),
        ") AS TEXT) FROM messages m {indexed_by messages_broadcast}
              WHERE m.tenant_id = $1
                AND m.broadcast_id = {sqlite unhex(listed.value)}{postgres decode(listed.value, 'hex')}), ",
        of_listed!(" AND m.state = 'failed' AND m.sent_at IS NOT NULL"),
        " FROM {sqlite json_each($2) listed}
         {postgres json_array_elements_text(CAST(CAST($2 AS TEXT) AS JSON)) AS listed(value)}"
    );
    FIND_WITH_COUNTS = select!(
        Broadcast as "b",
        ", p.early, p.accepted, p.queued, p.submitted, p.unknown, p.sent, p.stopped, p.expired, p.failed, p.delivered,
            p.seen, p.replied, (SELECT COUNT(*) FROM messages f {indexed_by messages_broadcast}
                WHERE f.tenant_id = $1 AND f.broadcast_id = $3 AND f.state = 'failed' AND f.sent_at IS NOT NULL)
         FROM broadcasts b CROSS JOIN (SELECT ",
        counted!(),
        "WHERE b.tenant_id = $1 AND b.id = $3) p WHERE b.tenant_id = $1 AND b.id = $3"
    );
    OVERVIEW = concat!(
        "SELECT (SELECT CAST(COALESCE(SUM(r.refused), 0) AS BIGINT) FROM broadcasts r {indexed_by broadcasts_created}
             WHERE r.tenant_id = $1 AND r.created_at BETWEEN $3 AND $4 AND (r.channel_id = $5 OR $5 IS NULL) AND ",
        named!("r"),
        "), (SELECT COUNT(*) FROM broadcasts g {indexed_by broadcasts_created}
             JOIN messages f {indexed_by messages_broadcast} ON f.tenant_id = $1 AND f.broadcast_id = g.id
                 AND f.state = 'failed' AND f.sent_at IS NOT NULL
             WHERE g.tenant_id = $1 AND g.created_at BETWEEN $3 AND $4 AND (g.channel_id = $5 OR $5 IS NULL) AND ",
        named!("g"),
        "), ",
        counted!(),
        "WHERE b.tenant_id = $1 AND b.created_at BETWEEN $3 AND $4 AND (b.channel_id = $5 OR $5 IS NULL) AND ",
        named!("b")
    );
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StateCounts {
    /// Recipients who were refused.
    pub refused: i64,
    /// Accepted messages whose scheduled time has not come.
    pub early: i64,
    /// Failed messages that were reported as sent before.
    pub failed_after_sent: i64,
    by_state: [i64; MessageState::ALL.len()],
}

impl StateCounts {
    pub const fn get(&self, state: MessageState) -> i64 {
        self.by_state[state as usize]
    }
}

pub async fn find_with_counts(
    db: &Db,
    tenant: TenantId,
    id: BroadcastId,
    now: Timestamp,
) -> Result<Option<(Broadcast, StateCounts)>> {
    let read_row = |row: &Row<'_>| {
        let (found, early, by_state, failed_after_sent): (Broadcast, _, _, _) = read(row)?;
        let counts = StateCounts { refused: found.refused, early, failed_after_sent, by_state };
        Ok((found, counts))
    };
    db.row(&FIND_WITH_COUNTS, params![tenant, now, id], read_row).await
}

/// For each of these broadcasts, how many messages wait, how many have failed or expired, and how many there are. May
/// take long: every message is counted.
pub async fn progress(
    db: &Db,
    tenant: TenantId,
    ids: &[BroadcastId],
) -> Result<HashMap<BroadcastId, BroadcastProgress>> {
    let mut found = HashMap::with_capacity(ids.len());
    let visit = |row: &Row<'_>| {
        let (id, waiting, failed, messages): (BroadcastId, i64, i64, i64) = read(row)?;
        found.insert(id, BroadcastProgress { waiting, failed, messages });
        Ok(())
    };
    db.long_each(&PROGRESS, params![tenant, &listed(ids)], visit).await?;
    Ok(found)
}

/// Messages by state of each of these broadcasts. May take long: every message is counted.
pub async fn state_counts(
    db: &Db,
    tenant: TenantId,
    broadcasts: &[Broadcast],
    now: Timestamp,
) -> Result<HashMap<BroadcastId, StateCounts>> {
    let ids: Vec<BroadcastId> = broadcasts.iter().map(|one| one.id).collect();
    let mut found = HashMap::with_capacity(ids.len());
    let visit = |row: &Row<'_>| {
        let (id, by_state, failed_after_sent): (BroadcastId, String, i64) = read(row)?;
        let by_state: [i64; MessageState::ALL.len()] =
            serde_json::from_str(&by_state).map_err(|_| crate::Error::Column(1))?;
        found.insert(id, (by_state, failed_after_sent));
        Ok(())
    };
    db.long_each(&STATE_COUNTS, params![tenant, &listed(&ids)], visit).await?;
    let counts = broadcasts.iter().filter_map(|one| {
        let (by_state, failed_after_sent) = found.get(&one.id).copied()?;
        // All messages of a broadcast have its scheduled time.
        let is_early = one.scheduled_at.is_some_and(|at| at > now);
        let early = if is_early { by_state[MessageState::Accepted as usize] } else { 0 };
        Some((one.id, StateCounts { refused: one.refused, early, failed_after_sent, by_state }))
    });
    Ok(counts.collect())
}

/// Messages by state and refused recipients, summed over the broadcasts of the range whose name contains `name`; over
/// all of the range without `name`. May take long: every message is counted.
pub async fn overview(
    db: &Db,
    tenant: TenantId,
    filter: &BroadcastRange,
    name: Option<&str>,
    now: Timestamp,
) -> Result<Option<StateCounts>> {
    let BroadcastRange { from, to, channel } = *filter;
    let counts = |row: &Row<'_>| {
        let (refused, failed_after_sent, early, by_state) = read(row)?;
        Ok(StateCounts { refused, early, failed_after_sent, by_state })
    };
    db.long_row(&OVERVIEW, params![tenant, now, from, to, channel, name], counts).await
}
