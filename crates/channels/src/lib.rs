//! The only room that knows the Graph protocol: the typed client, the model of what the network posts, signatures, and
//! the HTTP client that keeps away from private addresses. Knows neither the database nor our own HTTP side.

pub mod graph;
pub mod guard;
pub mod signature;
pub mod transport;
pub mod webhook;
