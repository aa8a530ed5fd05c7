//! Each event of messages, templates and calls is published exactly once, by the transaction that makes it true.

mod calls;
mod consumers;
mod failing;
mod leaving;
mod log;
mod members;
mod receiving;
mod reports;
mod samples;
mod templates;
