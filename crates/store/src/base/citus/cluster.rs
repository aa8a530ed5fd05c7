//! The servers of a distributed database, and where a tenant is.

use domain::TenantId;

use super::address::ServerAddress;
use super::{CitusError, HAS_EXTENSION, IS_DISTRIBUTED, ONE_CONNECTION};
use crate::base::columns::columns;
use crate::base::db::Driver;
use crate::base::postgres;
use crate::{Db, Param, Result, Row, Statement, Tx, params, read};

/// The number of a shard group is that of its shard of `tenants`.
const SERVERS: &str = "SELECT n.nodeid::bigint, n.groupid::bigint, n.nodename::text, n.nodeport::bigint, n.isactive,
        n.shouldhaveshards, (SELECT COUNT(*) FROM pg_dist_placement p JOIN pg_dist_shard s USING (shardid)
            WHERE p.groupid = n.groupid AND s.logicalrelid = to_regclass('tenants'))
    FROM pg_dist_node n WHERE n.noderole::text = 'primary' ORDER BY n.groupid";
const REACHES: &str = "SELECT COALESCE(citus_check_connection_to_node($1, CAST($2 AS BIGINT)::int), false)";
/// Fails if a server cannot be reached.
const SIZE: &str = "SELECT SUM(CAST(result AS BIGINT))::bigint
    FROM run_command_on_all_nodes('SELECT pg_database_size(current_database())')";
const PLACE: &str = "SELECT s.shardid, s.shardminvalue = s.shardmaxvalue, p.groupid::bigint
    FROM pg_dist_shard s JOIN pg_dist_placement p USING (shardid)
    WHERE s.shardid = get_shard_id_for_distribution_column('tenants', CAST($1 AS BIGINT))";

/// A server of a Citus cluster: the coordinator or a worker.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Server {
    pub(super) node: i64,
    pub(super) group: i64,
    pub address: ServerAddress,
    pub is_active: bool,
    /// Whether Citus places new shards there.
    pub takes_shards: bool,
    /// Shards of each table; the shards with the same tenants are always on the same server.
    pub shards: i64,
}

struct ServerRow {
    node: i64,
    group: i64,
    host: String,
    port: i64,
    is_active: bool,
    takes_shards: bool,
    shards: i64,
}

columns! { ServerRow { node, group, host, port, is_active, takes_shards, shards } }

impl From<ServerRow> for Server {
    fn from(row: ServerRow) -> Self {
        let ServerRow { node, group, host, port, is_active, takes_shards, shards } = row;
        Self { node, group, address: ServerAddress { host, port }, is_active, takes_shards, shards }
    }
}

impl Server {
    pub fn is_coordinator(&self) -> bool {
        self.group == 0
    }
}

/// The servers of a database with the extension.
#[derive(Debug, Clone)]
pub struct Cluster {
    pub servers: Vec<Server>,
    /// Whether the tables are distributed.
    pub is_distributed: bool,
}

impl Cluster {
    pub fn coordinator(&self) -> Option<&Server> {
        self.servers.iter().find(|server| server.is_coordinator())
    }

    /// The workers that take tenants.
    pub fn workers(&self) -> impl Iterator<Item = &Server> {
        self.servers.iter().filter(|server| !server.is_coordinator() && server.is_active)
    }

    pub(super) fn in_group(&self, group: i64) -> Option<&Server> {
        self.servers.iter().find(|server| server.group == group)
    }
}

/// The servers; none on SQLite and without the extension.
pub async fn cluster(db: &Db) -> Result<Option<Cluster>> {
    if matches!(db.driver(), Driver::Sqlite(_)) {
        return Ok(None);
    }
    let has: Option<bool> = db.row(&composed_statement!(HAS_EXTENSION, HAS_EXTENSION.to_owned()), &[], read).await?;
    if has != Some(true) {
        return Ok(None);
    }
    let servers: Vec<ServerRow> = db.rows(&composed_statement!(SERVERS, SERVERS.to_owned()), &[], read).await?;
    let is_distributed = composed_statement!(IS_DISTRIBUTED, IS_DISTRIBUTED.to_owned());
    let is_distributed: Option<bool> = db.row(&is_distributed, &[], read).await?;
    Ok(Some(Cluster {
        servers: servers.into_iter().map(Server::from).collect(),
        is_distributed: is_distributed == Some(true),
    }))
}

/// In a distributed database: lets a transaction change many rows of several servers over one connection to each.
pub(crate) async fn use_one_connection(tx: &mut Tx<'_>) -> Result<()> {
    for question in [HAS_EXTENSION, IS_DISTRIBUTED] {
        let answer: Option<bool> = tx.row(&composed_statement!(QUESTION, question.to_owned()), &[], read).await?;
        if answer != Some(true) {
            return Ok(());
        }
    }
    tx.rows(&composed_statement!(ONE_CONNECTION, ONE_CONNECTION.to_owned()), &[], |_| Ok(())).await.map(drop)
}

impl Server {
    /// Whether the coordinator reaches the server now.
    pub async fn is_reachable(&self, db: &Db) -> Result<bool> {
        let ServerAddress { host, port } = &self.address;
        let reaches = composed_statement!(REACHES, REACHES.to_owned());
        Ok(db.row(&reaches, params![host, *port], read).await? == Some(true))
    }
}

/// For tests: the rows of a read across tenants, found as while a worker is away.
pub async fn reachable_rows<T>(
    db: &Db,
    statement: &Statement,
    params: &[Param<'_>],
    map: fn(&Row<'_>) -> Result<T>,
) -> Result<Vec<T>> {
    match db.driver() {
        Driver::Sqlite(_) => Ok(Vec::new()),
        Driver::Postgres(postgres) => {
            let rows = postgres.fetch_reachable(statement, params).await?;
            rows.iter().map(|pg| map(&postgres::row(pg))).collect()
        }
    }
}

/// Size of the database on all servers together.
pub(crate) async fn size_bytes(db: &Db) -> Result<Option<i64>> {
    db.row(&composed_statement!(SIZE, SIZE.to_owned()), &[], read).await
}

/// Where a tenant is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TenantPlace {
    pub server: Server,
    /// Whether the tenant has a shard of its own. Otherwise it shares one with others, which move along.
    pub is_alone: bool,
    pub(super) shard: i64,
}

struct PlaceRow {
    shard: i64,
    is_alone: bool,
    group: i64,
}

columns! { PlaceRow { shard, is_alone, group } }

/// None if the database is not distributed, or the server is not known.
pub async fn place_of(db: &Db, cluster: &Cluster, tenant: TenantId) -> Result<Option<TenantPlace>, CitusError> {
    if !cluster.is_distributed {
        return Ok(None);
    }
    let place: Option<PlaceRow> = db.row(&composed_statement!(PLACE, PLACE.to_owned()), params![tenant], read).await?;
    Ok(place.and_then(|PlaceRow { shard, is_alone, group }| {
        Some(TenantPlace { server: cluster.in_group(group)?.clone(), is_alone, shard })
    }))
}
