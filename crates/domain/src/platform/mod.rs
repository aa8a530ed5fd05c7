//! Running the installation: activity, alerts and retention.

pub mod activity;
pub mod alerts;
pub mod retention;
