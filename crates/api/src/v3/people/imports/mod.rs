//! Imports of contacts and their outcomes.

pub(crate) mod create;
pub(in crate::v3) mod list;
pub(in crate::v3) mod rejected;
pub(crate) mod shape;
pub(in crate::v3) mod show;
pub(in crate::v3) mod verdicts;
