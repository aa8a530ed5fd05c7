//! Broadcasts: template sends and their progress.

pub(in crate::v3) mod cancel;
pub(in crate::v3) mod failures;
pub(in crate::v3) mod list;
pub(in crate::v3) mod overview;
pub(in crate::v3) mod recipients;
pub(in crate::v3) mod retry;
mod shape;
pub(in crate::v3) mod show;
