//! Segments in V1.

pub(crate) mod create;
