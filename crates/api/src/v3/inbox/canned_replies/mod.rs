//! Canned replies: texts and files that a team sends often.

pub(in crate::v3) mod create;
pub(in crate::v3) mod delete;
pub(in crate::v3) mod file_add;
pub(in crate::v3) mod file_delete;
pub(in crate::v3) mod file_show;
pub(in crate::v3) mod fill;
pub(in crate::v3) mod list;
pub(crate) mod send_file;
mod shape;
pub(in crate::v3) mod update;
