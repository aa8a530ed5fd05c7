//! Webhooks and their deliveries.

pub(in crate::v3) mod create;
pub(in crate::v3) mod delete;
pub(in crate::v3) mod deliveries;
pub(in crate::v3) mod delivery;
pub(in crate::v3) mod event_types;
pub(in crate::v3) mod list;
pub(in crate::v3) mod recover;
pub(in crate::v3) mod recovery;
pub(in crate::v3) mod retry;
pub(in crate::v3) mod rotate_secret;
pub(in crate::v3) mod samples;
pub(in crate::v3) mod shape;
pub(in crate::v3) mod show;
pub(in crate::v3) mod summary;
pub(in crate::v3) mod test;
pub(in crate::v3) mod update;
