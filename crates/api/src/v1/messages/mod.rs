//! Sending with the spellings of V1.

mod addressed;
mod broadcast;
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

pub(crate) use addressed::{InPath, InQuery, Over};
pub(crate) use broadcast::{Broadcast, template_send};
pub(crate) use sent::Rehearsal;
pub(crate) use template::{OneTemplate, asked};
pub(crate) use templates::{ManyTemplates, RECEIVERS, Receiver};
