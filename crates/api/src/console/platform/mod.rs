//! The console: alerts, audit, health, plan, queues and settings.

pub(super) mod alerts;
pub(super) mod audit;
pub(super) mod health;
pub(super) mod plan;
pub(super) mod queues;
pub(super) mod settings;
