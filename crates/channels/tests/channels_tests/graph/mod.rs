//! The Graph client: its JSON, and the answers that it parses over real HTTP.

mod answers;
mod contents;
mod interactive;
mod media;
mod operations;
mod samples;
mod server;
mod templates;
