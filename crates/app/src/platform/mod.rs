//! Running the installation: tenant life cycle, limits, health, queues, alerts, retention, nodes, certificates,
//! activity, backup and the sandbox's tables.

pub mod activity;
pub mod alerts;
pub mod audit_log;
pub mod certificates;
pub mod erasures;
pub mod first_start;
pub mod health;
pub mod limits;
pub mod nodes;
pub mod plan_usage;
mod public_url;
pub mod queues;
pub mod retention;
mod room;
pub mod tenants;

pub use room::Platform;
