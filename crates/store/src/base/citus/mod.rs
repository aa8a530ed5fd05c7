//! Citus: an extension that distributes one PostgreSQL database over several servers, here by tenant.
//!
//! Every table is distributed by `tenant_id` and colocated with `tenants`, so that all rows of a tenant are on one
//! server and a statement that names its tenant asks only that one. The rows of the installation (tenant 0: accounts,
//! memberships, sessions, leases, epochs) are on the coordinator: a log-in asks no worker, and losing a worker harms
//! only its own tenants.
//!
//! - `cluster.rs`: reads the servers, and where a tenant is
//! - `distribute.rs`: the plan that distributes a database, and its steps. Each step is one transaction, and the plan
//!   is made from what the database has: after an interruption, a new plan has the remaining steps
//! - `moving.rs`: moves one tenant to another worker; `progress.rs`: how far a move is
//!
//! Migrations distribute the tables that they create (`migrations/run.rs`). Nothing here is used on SQLite or on a
//! PostgreSQL without the extension.

mod address;
mod cluster;
mod distribute;
mod error;
mod moving;
mod progress;

pub(crate) use cluster::{size_bytes, use_one_connection};
pub(crate) use distribute::distribute_new;

pub use address::ServerAddress;
pub use cluster::{Cluster, Server, TenantPlace, cluster, place_of, reachable_rows};
pub use distribute::{DistributionPlan, DistributionStep, perform_step, plan_distribution};
pub use error::CitusError;
pub use moving::{TenantMove, TransferMode, move_tenant, plan_move};
pub use progress::{MoveProgress, MoveStep};

/// The table that all others are colocated with.
pub(crate) const ANCHOR: &str = "tenants";
/// Whether the database has the extension.
pub(crate) const HAS_EXTENSION: &str = "SELECT EXISTS (SELECT 1 FROM pg_extension WHERE extname = 'citus')";
/// Whether the tables of a database with the extension are distributed.
pub(crate) const IS_DISTRIBUTED: &str =
    "SELECT EXISTS (SELECT 1 FROM pg_dist_partition WHERE logicalrelid = to_regclass('tenants'))";
/// Changes of the schema and of many rows go over one connection to each server. Otherwise Citus refuses a transaction
/// that changes a table over several connections and then over one.
pub(crate) const ONE_CONNECTION: &str = "SELECT set_config('citus.multi_shard_modify_mode', 'sequential', true),
    set_config('citus.max_adaptive_executor_pool_size', '1', true)";
