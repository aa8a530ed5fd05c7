//! Counts calls of a range of time, from an index that covers every filter.

use domain::calls::{CallDirection, CallFilter};
use domain::{AccountId, TenantId, Timestamp};

use crate::base::columns::{columns, select};
use crate::{Db, Result, params, read};

statements! {
    COUNT_RANGE = select!(
        CallCount,
        " FROM calls {indexed_by calls_counted}
         WHERE tenant_id = $1 AND started_at >= $2 AND started_at < $3
             AND (CAST($4 AS TEXT) IS NULL OR direction = $4) AND duration_seconds >= $5 AND duration_seconds <= $6
             AND (CAST($7 AS BYTEA) IS NULL OR operator_id = $7)"
    );
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CallCount {
    pub calls: i64,
    pub inbound: i64,
    pub in_progress: i64,
    pub completed: i64,
    pub missed: i64,
    pub failed: i64,
    /// Sum over all calls counted. Only completed calls have a duration.
    pub duration_seconds: i64,
}

columns! {
    CallCount {
        calls: "COUNT(*)",
        inbound: "COUNT(CASE WHEN direction = 'inbound' THEN 1 END)",
        in_progress: "COUNT(CASE WHEN status = 'in_progress' THEN 1 END)",
        completed: "COUNT(CASE WHEN status = 'completed' THEN 1 END)",
        missed: "COUNT(CASE WHEN status = 'missed' THEN 1 END)",
        failed: "COUNT(CASE WHEN status = 'failed' THEN 1 END)",
        duration_seconds: "CAST(COALESCE(SUM(duration_seconds), 0) AS BIGINT)",
    }
}

/// Counts the calls that start in the range and that the filter allows. Reads every call of the range. The filter's own
/// range, position, outcome and operator are not looked at; `operator` is the account that the filter's operator stands
/// for.
pub async fn count_range(
    db: &Db,
    tenant: TenantId,
    (from, to): (Timestamp, Timestamp),
    filter: &CallFilter,
    operator: Option<AccountId>,
) -> Result<CallCount> {
    let (min, max) = (filter.min_duration.unwrap_or(0), filter.max_duration.unwrap_or(i64::MAX));
    let direction = filter.direction.map(CallDirection::name);
    let bound = params![tenant, from, to, direction, min, max, operator];
    Ok(db.long_row(&COUNT_RANGE, bound, read).await?.unwrap_or_default())
}
