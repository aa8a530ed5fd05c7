//! Broadcasts: template sends and their progress.

pub(super) mod cancel;
pub(super) mod failures;
pub(super) mod list;
pub(super) mod overview;
pub(super) mod recipients;
pub(super) mod retry;
mod shape;
pub(super) mod show;
