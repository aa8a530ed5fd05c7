//! Sends of V1.

mod broadcast;
pub(in crate::v1) mod buttons;
pub(in crate::v1) mod direct;
pub(in crate::v1) mod file;
pub(in crate::v1) mod file_via_url;
pub(in crate::v1) mod list;
mod network;
mod send_address;
mod sent;
pub(crate) mod shape;
pub(in crate::v1) mod template;
pub(in crate::v1) mod template_csv;
pub(in crate::v1) mod templates;
pub(in crate::v1) mod text;

pub(crate) use broadcast::{Broadcast, in_broadcast, template_send};
pub(crate) use send_address::{NumberInPath, NumberInQuery, SendQuery};
pub(crate) use sent::DryRunV1;
pub(crate) use template::{SendTemplateRequest, parse_template_send};
pub(crate) use templates::{RECEIVERS, Receiver, SendTemplatesRequest};
