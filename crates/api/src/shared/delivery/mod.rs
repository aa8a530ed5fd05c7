//! The event log, as the API and the console stream it.

pub(crate) mod event_stream;
