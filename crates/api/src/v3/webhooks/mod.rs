//! Webhooks and their deliveries.

pub(super) mod create;
pub(super) mod delete;
pub(super) mod deliveries;
pub(super) mod delivery;
pub(super) mod event_types;
pub(super) mod list;
pub(super) mod recover;
pub(super) mod recovery;
pub(super) mod retry;
pub(super) mod rotate_secret;
pub(super) mod samples;
pub(super) mod shape;
pub(super) mod show;
pub(super) mod summary;
pub(super) mod test;
pub(super) mod update;
