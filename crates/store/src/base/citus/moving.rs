//! Moves one tenant to another worker, in two steps: its shard is separated from those of other tenants, then moved with
//! all tables. After an interruption, the same move goes on with the missing step.

use domain::TenantId;

use super::{CitusError, Server, ServerAddress, TenantPlace, cluster, place_of};
use crate::{Db, Result, params, read};

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

/// Moves the tenant. Statements have no time limit on a command's connections.
pub async fn move_tenant(db: &Db, plan: &TenantMove, mode: TransferMode) -> Result<(), CitusError> {
    if plan.separates {
        let separate = composed_statement!(SEPARATE, SEPARATE.to_owned());
        db.rows(&separate, params![plan.tenant, mode.name()], |_| Ok(())).await?;
    }
    if plan.moves {
        let cluster = cluster(db).await?.ok_or(CitusError::NotDistributed)?;
        let place = place_of(db, &cluster, plan.tenant).await?.ok_or(CitusError::NoShard(plan.tenant))?;
        let values = params![place.shard, place.server.node, plan.target.node, mode.name()];
        let _: Vec<Option<String>> = db.rows(&composed_statement!(MOVE, MOVE.to_owned()), values, read).await?;
    }
    Ok(())
}
