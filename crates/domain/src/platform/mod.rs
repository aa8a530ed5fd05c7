//! Running the installation: tenant life cycle, limits, health, queues, alerts, retention, nodes, certificates,
//! activity, backup and the sandbox's tables.

pub mod activity;
pub mod alert_confirmation;
pub mod alerts;
pub mod reports;
pub mod retention;
