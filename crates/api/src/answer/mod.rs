//! Parts of answers that many operations share: pages and lists, "deleted", files that are streamed.

pub(crate) mod deleted;
pub(crate) mod described_as;
pub(crate) mod file_stream;
pub(crate) mod list_body;
pub(crate) mod page;
