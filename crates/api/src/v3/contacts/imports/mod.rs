//! Imports of contacts and their outcomes.

pub(in crate::v3) mod list;
pub(in crate::v3) mod rejected;
pub(super) mod shape;
pub(in crate::v3) mod show;
pub(in crate::v3) mod verdicts;
