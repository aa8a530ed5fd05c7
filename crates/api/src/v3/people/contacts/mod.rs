//! Contacts in V3.

pub(in crate::v3) mod consent;
pub(in crate::v3) mod count;
pub(in crate::v3) mod create;
pub(in crate::v3) mod delete;
pub(in crate::v3) mod export;
pub(in crate::v3) mod history;
pub(in crate::v3) mod labels;
pub(in crate::v3) mod list;
pub(in crate::v3) mod merge;
pub(in crate::v3) mod preview_merge;
pub(super) mod shape;
pub(in crate::v3) mod show;
pub(in crate::v3) mod teams;
pub(in crate::v3) mod undo_merge;
pub(in crate::v3) mod update;
