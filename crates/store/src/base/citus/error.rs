//! Why a database cannot be distributed, or a tenant not be moved. The messages say what to do.

use domain::TenantId;

use super::address::ServerAddress;

#[derive(Debug, thiserror::Error)]
pub enum CitusError {
    #[error(transparent)]
    Store(#[from] crate::Error),
    #[error("an embedded database cannot be distributed: set `database` to a PostgreSQL that has Citus")]
    Embedded,
    #[error(
        "this database does not have the extension citus: install Citus on all servers, and run CREATE EXTENSION citus \
         in this database on each of them"
    )]
    NoExtension,
    #[error(
        "the coordinator is not part of its cluster, and tenant 0 is placed there: run \
         SELECT citus_set_coordinator_host('HOST', PORT) with an address that the workers reach"
    )]
    NoCoordinator,
    #[error("the cluster has no active worker: add one with SELECT citus_add_node('HOST', PORT)")]
    NoWorker,
    #[error("this database is not distributed: run `switchboard migrate --distribute` first")]
    NotDistributed,
    #[error("the table {0} is distributed in another way than by tenant: undistribute it, then run the command again")]
    OtherwiseDistributed(String),
    #[error("there is no active worker {address}; workers: {}", list(known))]
    UnknownWorker { address: ServerAddress, known: Vec<ServerAddress> },
    #[error("tenant {0} has no shard: `switchboard migrate --distribute` has not been completed")]
    NoShard(TenantId),
}

fn list(servers: &[ServerAddress]) -> String {
    servers.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}
