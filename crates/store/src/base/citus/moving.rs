//! Moves one tenant to another worker, in two steps: its shard is separated from those of other tenants, then moved with
//! all tables. After an interruption, the same move goes on with the missing step.

use domain::TenantId;

use super::progress;
use super::{CitusError, MoveProgress, MoveStep, Server, ServerAddress, TenantPlace, cluster, place_of};
use crate::{Db, Result, params};

const SEPARATE: &str = "SELECT isolate_tenant_to_new_shard('tenants', CAST($1 AS BIGINT), 'CASCADE',
    CAST($2 AS TEXT)::citus.shard_transfer_mode)";
const MOVE: &str = "SELECT citus_move_shard_placement(CAST($1 AS BIGINT), CAST($2 AS BIGINT)::int,
    CAST($3 AS BIGINT)::int, CAST($4 AS TEXT)::citus.shard_transfer_mode)::text";

/// How Citus copies the rows of a shard.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TransferMode {
    /// By logical replication: writes go on until the last moment. Needs `wal_level = logical` on all servers.
    Online,
    /// Writes of all tenants in the shard wait meanwhile.
    BlockWrites,
}

impl TransferMode {
    fn name(self) -> &'static str {
        match self {
            Self::Online => "force_logical",
            Self::BlockWrites => "block_writes",
        }
    }
}

/// The move of a tenant.
#[derive(Debug, Clone)]
pub struct TenantMove {
    pub tenant: TenantId,
    pub from: ServerAddress,
    pub to: ServerAddress,
    /// Whether the tenant shares its shard with others and is separated first.
    pub separates: bool,
    /// False if the tenant is there already.
    pub moves: bool,
    target: Server,
}

/// Finds where the tenant is, and what is to be done.
pub async fn plan_move(db: &Db, tenant: TenantId, to: &ServerAddress) -> Result<TenantMove, CitusError> {
    let cluster = cluster(db).await?.ok_or(CitusError::NotDistributed)?;
    let place = place_of(db, &cluster, tenant).await?.ok_or(CitusError::NotDistributed)?;
    let Some(target) = cluster.workers().find(|worker| worker.address == *to) else {
        let known = cluster.workers().map(|worker| worker.address.clone()).collect();
        return Err(CitusError::UnknownWorker { address: to.clone(), known });
    };
    let TenantPlace { server, is_alone, .. } = place;
    let moves = server.group != target.group;
    Ok(TenantMove {
        tenant,
        from: server.address,
        to: to.clone(),
        separates: moves && !is_alone,
        moves,
        target: target.clone(),
    })
}

/// Moves the tenant, and reports the progress of each step about once a second. Statements have no time limit on a
/// command's connections.
pub async fn move_tenant(
    db: &Db,
    plan: &TenantMove,
    mode: TransferMode,
    report: &(dyn Fn(MoveProgress) + Sync),
) -> Result<(), CitusError> {
    if plan.separates {
        let shard = current_place(db, plan.tenant).await?.shard;
        reported(db, shard, MoveStep::Separate, report, separate(db, plan.tenant, mode)).await?;
    }
    if plan.moves {
        let place = current_place(db, plan.tenant).await?;
        let shard = place.shard;
        reported(db, shard, MoveStep::Copy, report, copy(db, place, plan.target.node, mode)).await?;
    }
    Ok(())
}

async fn current_place(db: &Db, tenant: TenantId) -> Result<TenantPlace, CitusError> {
    let cluster = cluster(db).await?.ok_or(CitusError::NotDistributed)?;
    place_of(db, &cluster, tenant).await?.ok_or(CitusError::NoShard(tenant))
}

/// Reports the progress of a step until its work has ended.
async fn reported(
    db: &Db,
    shard: i64,
    step: MoveStep,
    report: &(dyn Fn(MoveProgress) + Sync),
    work: impl Future<Output = Result<()>>,
) -> Result<()> {
    tokio::select! {
        outcome = work => outcome,
        never = progress::report(db, shard, step, report) => match never {},
    }
}

async fn separate(db: &Db, tenant: TenantId, mode: TransferMode) -> Result<()> {
    let separate = composed_statement!(SEPARATE, SEPARATE.to_owned());
    db.rows(&separate, params![tenant, mode.name()], |_| Ok(())).await.map(drop)
}

async fn copy(db: &Db, place: TenantPlace, target: i64, mode: TransferMode) -> Result<()> {
    let values = params![place.shard, place.server.node, target, mode.name()];
    db.rows(&composed_statement!(MOVE, MOVE.to_owned()), values, |_| Ok(())).await.map(drop)
}
