//! Distributes the tables of a database by tenant.
//!
//! `tenants` is distributed first, and the shard of tenant 0 is separated and placed on the coordinator while it is the
//! only one: the other tables follow its placement. No server may use the database meanwhile: a transaction that uses a
//! distributed and a plain table may be refused.

use domain::TenantId;

use super::{ANCHOR, CitusError, Cluster, Server, cluster, place_of};
use crate::base::columns::columns;
use crate::base::tables::TABLES;
use crate::{Db, Engine, Result, Statement, Tx, params, read};

const TABLE_STATES: &str = "SELECT c.relname::text, p.partmethod::text = 'h', p.logicalrelid IS NOT NULL,
        p.colocationid = (SELECT a.colocationid FROM pg_dist_partition a WHERE a.logicalrelid = to_regclass('tenants')),
        CAST(GREATEST(c.reltuples, 0) AS BIGINT)
    FROM pg_class c LEFT JOIN pg_dist_partition p ON p.logicalrelid = c.oid
    WHERE c.relkind = 'r' AND c.relnamespace = current_schema()::regnamespace";
const DISTRIBUTE_ANCHOR: &str = "SELECT create_distributed_table('tenants', 'tenant_id', colocate_with => 'none',
    shard_count => CAST($1 AS BIGINT)::int)::text";
const DISTRIBUTE: &str =
    "SELECT create_distributed_table(CAST($1 AS TEXT)::regclass, 'tenant_id', colocate_with => 'tenants')::text";
const REMOVE_LOCAL_ROWS: &str = "SELECT truncate_local_data_after_distributing_table(CAST($1 AS TEXT)::regclass)::text";
const SEPARATE: &str = "SELECT isolate_tenant_to_new_shard('tenants', CAST($1 AS BIGINT), 'CASCADE', 'block_writes')";
const TAKE_SHARDS: &str =
    "SELECT citus_set_node_property($1, CAST($2 AS BIGINT)::int, 'shouldhaveshards', CAST($3 AS BOOLEAN))::text";
const MOVE: &str = "SELECT citus_move_shard_placement(CAST($1 AS BIGINT), CAST($2 AS BIGINT)::int,
    CAST($3 AS BIGINT)::int, 'block_writes')::text";

/// What is to be done with one database.
#[derive(Debug, Clone)]
pub struct DistributionPlan {
    pub cluster: Cluster,
    /// Shards of each table, apart from that of the installation.
    pub shards: u32,
    /// Empty if the database is distributed as it should be.
    pub steps: Vec<DistributionStep>,
}

/// One transaction of a distribution.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DistributionStep {
    /// Distribute a table by tenant. The number of rows is an estimate.
    Distribute { table: &'static str, rows: i64 },
    /// Give tenant 0 a shard of its own.
    SeparateInstallation,
    /// Move the shard of tenant 0 to the coordinator.
    PlaceInstallation,
}

struct TableState {
    name: String,
    is_by_hash: Option<bool>,
    is_distributed: bool,
    is_colocated: Option<bool>,
    rows: i64,
}

columns! { TableState { name, is_by_hash, is_distributed, is_colocated, rows } }

/// Distributes a table that a migration creates, unless it was created before. The name is one of a migration.
pub(crate) fn distribute_new(table: &str) -> String {
    format!(
        "SELECT create_distributed_table(c.oid, 'tenant_id', colocate_with => 'tenants') FROM pg_class c
         WHERE c.oid = '{table}'::regclass AND NOT EXISTS (SELECT 1 FROM pg_dist_partition WHERE logicalrelid = c.oid)"
    )
}

/// Reads the state of the database and returns the missing steps.
pub async fn plan_distribution(db: &Db, shards: u32) -> Result<DistributionPlan, CitusError> {
    if db.engine() == Engine::Sqlite {
        return Err(CitusError::Embedded);
    }
    let cluster = cluster(db).await?.ok_or(CitusError::NoExtension)?;
    cluster.coordinator().ok_or(CitusError::NoCoordinator)?;
    cluster.workers().next().ok_or(CitusError::NoWorker)?;
    let states = composed_statement!(TABLE_STATES, TABLE_STATES.to_owned());
    let states: Vec<TableState> = db.rows(&states, &[], read).await?;
    let mut steps = Vec::new();
    let anchor = states.iter().find(|state| state.name == ANCHOR);
    match anchor {
        Some(anchor) if !anchor.is_distributed => {
            steps.push(DistributionStep::Distribute { table: ANCHOR, rows: anchor.rows });
            steps.extend([DistributionStep::SeparateInstallation, DistributionStep::PlaceInstallation]);
        }
        _ => steps.extend(steps_for_installation(db, &cluster).await?),
    }
    for table in TABLES {
        let Some(state) = states.iter().find(|state| state.name == table.name) else { continue };
        if state.is_distributed && (state.is_by_hash != Some(true) || state.is_colocated != Some(true)) {
            return Err(CitusError::OtherwiseDistributed(state.name.clone()));
        }
        if !state.is_distributed && table.name != ANCHOR {
            steps.push(DistributionStep::Distribute { table: table.name, rows: state.rows });
        }
    }
    Ok(DistributionPlan { cluster, shards, steps })
}

async fn steps_for_installation(db: &Db, cluster: &Cluster) -> Result<Vec<DistributionStep>, CitusError> {
    let place = place_of(db, cluster, TenantId::INSTALLATION).await?;
    let place = place.ok_or(CitusError::NoShard(TenantId::INSTALLATION))?;
    let separate = (!place.is_alone).then_some(DistributionStep::SeparateInstallation);
    let move_it = (!place.server.is_coordinator()).then_some(DistributionStep::PlaceInstallation);
    Ok(separate.into_iter().chain(move_it).collect())
}

/// Performs a step in one transaction.
pub async fn perform_step(db: &Db, plan: &DistributionPlan, step: &DistributionStep) -> Result<(), CitusError> {
    match step {
        DistributionStep::Distribute { table, .. } => {
            let shards = i64::from(plan.shards);
            db.write((*table, shards), |tx, (table, shards)| Box::pin(distribute(tx, table, *shards))).await?;
        }
        DistributionStep::SeparateInstallation => {
            db.write((), |tx, ()| Box::pin(separate(tx))).await?;
        }
        DistributionStep::PlaceInstallation => {
            let place =
                place_of(db, &cluster(db).await?.ok_or(CitusError::NoExtension)?, TenantId::INSTALLATION).await?;
            let place = place.ok_or(CitusError::NoShard(TenantId::INSTALLATION))?;
            let coordinator = plan.cluster.coordinator().ok_or(CitusError::NoCoordinator)?.clone();
            if !place.server.is_coordinator() {
                let input = (place.shard, place.server.node, coordinator);
                db.write(input, |tx, input| Box::pin(place_on(tx, input))).await?;
            }
        }
    }
    Ok(())
}

async fn run(tx: &mut Tx<'_>, statement: &Statement, params: &[crate::Param<'_>]) -> Result<()> {
    tx.rows(statement, params, |_| Ok(())).await.map(drop)
}

async fn distribute(tx: &mut Tx<'_>, table: &str, shards: i64) -> Result<()> {
    if table == ANCHOR {
        run(tx, &composed_statement!(DISTRIBUTE_ANCHOR, DISTRIBUTE_ANCHOR.to_owned()), params![shards]).await?;
    } else {
        run(tx, &composed_statement!(DISTRIBUTE, DISTRIBUTE.to_owned()), params![table]).await?;
    }
    run(tx, &composed_statement!(REMOVE_LOCAL_ROWS, REMOVE_LOCAL_ROWS.to_owned()), params![table]).await
}

async fn separate(tx: &mut Tx<'_>) -> Result<()> {
    let separate = composed_statement!(SEPARATE, SEPARATE.to_owned());
    run(tx, &separate, params![TenantId::INSTALLATION]).await
}

/// Citus moves shards only to servers that take shards. The coordinator takes this one alone.
async fn place_on(tx: &mut Tx<'_>, (shard, from, coordinator): &(i64, i64, Server)) -> Result<()> {
    let Server { node, address, takes_shards, .. } = coordinator;
    let take = composed_statement!(TAKE_SHARDS, TAKE_SHARDS.to_owned());
    run(tx, &take, params![&address.host, address.port, true]).await?;
    run(tx, &composed_statement!(MOVE, MOVE.to_owned()), params![*shard, *from, *node]).await?;
    run(tx, &take, params![&address.host, address.port, *takes_shards]).await
}
