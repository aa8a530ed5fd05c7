//! Canned replies: texts and files that a team sends often.

pub(super) mod create;
pub(super) mod delete;
pub(super) mod file_add;
pub(super) mod file_delete;
pub(super) mod file_show;
pub(super) mod fill;
pub(super) mod list;
mod shape;
pub(super) mod update;
