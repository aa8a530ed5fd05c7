//! The console: the call log of its call page.

pub(super) mod log;
