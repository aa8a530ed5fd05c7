//! How far the running step of a move is: what Citus does, and the size of the tables that it has created so far. Citus
//! names these tables before it creates them, so that it can drop them after a failure.

use std::convert::Infallible;
use std::time::Duration;

use crate::base::columns::columns;
use crate::{Db, Result, params, read};

/// Time between two looks at a running step.
const LOOK_EVERY: Duration = Duration::from_secs(1);
/// The size of a shard, with the shards of all other tables that have the same tenants.
const SIZE: &str = "SELECT COALESCE(SUM(z.size), 0)::bigint
    FROM citus_shard_sizes() z JOIN pg_dist_shard s ON s.shardid = z.shard_id JOIN pg_dist_partition p USING (logicalrelid)
    WHERE (p.colocationid, s.shardminvalue) = (SELECT q.colocationid, t.shardminvalue
        FROM pg_dist_shard t JOIN pg_dist_partition q USING (logicalrelid) WHERE t.shardid = CAST($1 AS BIGINT))";
/// Object type 1 is a shard on a server, and policy 1 that it is dropped after a failure.
const STATE: &str =
    "SELECT (SELECT COALESCE(SUM(CASE WHEN success THEN CAST(NULLIF(result, '') AS BIGINT) END), 0)::bigint
        FROM run_command_on_all_nodes(format(
            'SELECT SUM(pg_total_relation_size(to_regclass(name))) FROM unnest(%L::text[]) AS shards(name)',
            (SELECT array_agg(object_name) FROM pg_dist_cleanup WHERE object_type = 1 AND policy_type = 1
                AND operation_id = (SELECT MAX(operation_id) FROM pg_dist_cleanup))))),
    (SELECT MIN(lower(status)) FROM get_rebalance_progress() WHERE shardid = CAST($1 AS BIGINT))";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MoveStep {
    /// Gives the tenant a shard of its own.
    Separate,
    /// Copies the tenant's shard to the worker and removes the old one.
    Copy,
}

/// How far a step is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MoveProgress {
    pub step: MoveStep,
    /// What Citus does, in its words; not known for every step.
    pub phase: Option<String>,
    /// Bytes of the new tables, with their indexes. 0 with `TransferMode::BlockWrites`, which creates them in a
    /// transaction.
    pub copied: i64,
    /// Bytes of the tables that are copied; 0 before it is known.
    pub total: i64,
}

struct State {
    copied: i64,
    phase: Option<String>,
}

columns! { State { copied, phase } }

/// Reports the progress of a step until it is dropped. If the progress cannot be read, the last one stays.
pub(super) async fn report(db: &Db, shard: i64, step: MoveStep, report: &(dyn Fn(MoveProgress) + Sync)) -> Infallible {
    let mut progress = MoveProgress { step, phase: None, copied: 0, total: 0 };
    report(progress.clone());
    loop {
        if progress.total == 0 {
            progress.total = size_of(db, shard).await.unwrap_or_default();
        }
        if let Ok(Some(State { copied, phase })) = state_of(db, shard).await {
            (progress.copied, progress.phase) = (copied, phase);
        }
        report(progress.clone());
        tokio::time::sleep(LOOK_EVERY).await;
    }
}

async fn size_of(db: &Db, shard: i64) -> Result<i64> {
    let size: Option<i64> = db.row(&composed_statement!(SIZE, SIZE.to_owned()), params![shard], read).await?;
    Ok(size.unwrap_or_default())
}

async fn state_of(db: &Db, shard: i64) -> Result<Option<State>> {
    db.row(&composed_statement!(STATE, STATE.to_owned()), params![shard], read).await
}
