//! Sends of V1.

mod broadcast;
pub(super) mod buttons;
pub(super) mod direct;
pub(super) mod file;
pub(super) mod file_via_url;
pub(super) mod list;
mod network;
mod send_address;
mod sent;
pub(crate) mod shape;
pub(super) mod template;
pub(super) mod template_csv;
pub(super) mod templates;
pub(super) mod text;

pub(crate) use broadcast::{Broadcast, template_send};
pub(crate) use send_address::{NumberInPath, NumberInQuery, SendQuery};
pub(crate) use sent::DryRunV1;
pub(crate) use template::{SendTemplateRequest, parse_template_send};
pub(crate) use templates::{RECEIVERS, Receiver, SendTemplatesRequest};
