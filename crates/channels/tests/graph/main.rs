//! The Graph client: the JSON that it writes, and what it makes of answers that come over real HTTP.
#![expect(clippy::unwrap_used, reason = "helpers of tests, where a panic is the report")]

mod answers;
mod contents;
mod interactive;
mod media;
mod operations;
mod server;
mod templates;
