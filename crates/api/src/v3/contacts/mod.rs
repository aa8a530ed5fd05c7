//! Contacts in V3.

pub(super) mod consent;
pub(super) mod count;
pub(super) mod create;
pub(super) mod delete;
pub(super) mod export;
pub(super) mod history;
pub(super) mod import;
pub(super) mod imports;
pub(super) mod labels;
pub(super) mod list;
pub(super) mod merge;
pub(super) mod preview_merge;
mod shape;
pub(super) mod show;
pub(super) mod teams;
pub(super) mod undo_merge;
pub(super) mod update;
