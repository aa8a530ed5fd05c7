//! Messages in V3.

pub(crate) mod fetch_file;
pub(crate) mod file;
pub(crate) mod forward;
pub(crate) mod interactive;
pub(crate) mod reaction;
pub(crate) mod send_file;
pub(crate) mod send_file_via_url;
pub(crate) mod sent;
pub(crate) mod shape;
pub(crate) mod text;
pub(crate) mod ticket_change;
