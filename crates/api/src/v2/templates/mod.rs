//! Templates.

pub(super) mod list;
