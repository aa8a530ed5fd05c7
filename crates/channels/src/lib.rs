//! The Graph protocol: the typed client (`graph`), the parser of posted webhooks (`webhook`), webhook signatures, and
//! an HTTP client that refuses private addresses (`guard`), and mail (`mail`). Depends neither on the database nor on
//! Switchboard's own API.

pub mod graph;
pub mod guard;
pub mod mail;
pub mod outgoing;
pub mod resolver;
pub mod signature;
pub mod transport;
pub mod webhook;
