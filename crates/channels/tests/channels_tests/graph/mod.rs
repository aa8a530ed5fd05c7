//! The Graph client: the JSON that it writes, and what it makes of answers that come over real HTTP.

mod answers;
mod contents;
mod interactive;
mod media;
mod operations;
mod server;
mod templates;
