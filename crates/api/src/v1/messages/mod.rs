//! Sending with the spellings of V1.

mod addressed;
pub(super) mod buttons;
pub(super) mod direct;
pub(super) mod file;
pub(super) mod file_via_url;
pub(super) mod list;
mod network;
mod sent;
pub(super) mod template;
pub(super) mod template_csv;
pub(super) mod templates;
pub(super) mod text;

pub(crate) use addressed::{InPath, InQuery, Over, Tenant};
pub(crate) use sent::Rehearsal;
pub(crate) use template::{Input as OneInput, asked, broadcast};
pub(crate) use templates::{Input as ManyInput, Receiver, receivers};
