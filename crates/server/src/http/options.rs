//! Options of a listener, and the error by which its connections are aborted.

use std::time::Duration;

use axum::http::{Extensions, StatusCode};
use domain::identity::networks::Networks;
use tokio_util::sync::CancellationToken;

#[derive(Debug, Clone)]
pub struct Options {
    /// Name in metrics and logs.
    pub name: &'static str,
    /// Time for a complete header, from its first byte; for the first request, from the start of the connection, on
    /// HTTP/2 too, and including the handshake of TLS.
    pub header_timeout: Duration,
    /// How long a connection may be idle. Longer than common proxies keep pooled connections, so that the server does
    /// not close one while a request is on its way.
    pub idle_timeout: Duration,
    /// Time in which the peer must take a part of its answer (`reader.rs`).
    pub reader_timeout: Duration,
    pub max_connections: usize,
    pub max_connections_per_address: usize,
    /// Addresses of proxies, which connect for many clients: the cap per address does not apply to them.
    pub proxies: Networks,
    /// Called once for each connection: puts what its requests share into the extensions that each of them gets.
    pub share: fn(&mut Extensions),
    /// Cancelled when the server is about to stop. From then on each HTTP/1 connection is closed after its next answer,
    /// which says so, and its client opens a new one, elsewhere if a load balancer has noticed. Connections of HTTP/2
    /// end at the stop, which tells their clients which requests were not taken.
    pub closing: CancellationToken,
    /// How long a stop waits for requests in flight.
    pub drain: Duration,
    /// JSON body of the answer to a malformed or oversized request, which never reaches the handler.
    pub refusal: fn(StatusCode) -> Option<String>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            name: "main",
            header_timeout: Duration::from_secs(10),
            idle_timeout: Duration::from_secs(75),
            reader_timeout: Duration::from_secs(30),
            max_connections: 10_000,
            max_connections_per_address: 10_000,
            proxies: Networks::default(),
            share: |_| {},
            closing: CancellationToken::new(),
            drain: Duration::from_secs(8),
            refusal: |_| None,
        }
    }
}

/// Internal error that makes hyper abort the connection.
#[derive(Debug, thiserror::Error)]
#[error("the handler wants no answer")]
pub(super) struct NoAnswer;
