//! End-to-end tests: the real binary, real sockets, both databases, third-party tools.

#![expect(clippy::unwrap_used, clippy::panic, reason = "what fails in a test fails the test")]

mod abuse;
mod accounts;
mod baseline;
mod clicks;
mod data_folder;
mod database;
mod documentation;
mod documents;
mod ephemeral;
mod files;
mod first_start;
mod fuzz;
mod home;
mod https;
mod inbound;
mod kill;
mod limits;
mod listening;
mod metrics;
mod network;
mod nodes;
mod page;
mod page_commands;
mod protected;
mod raw;
mod sandbox;
mod sandbox_commands;
mod sending;
mod server;
mod shell;
mod stop;
mod tour;
mod webhooks;

use std::time::{Duration, Instant};

/// Time limit of `eventually`: far more than any condition needs.
const TIMEOUT: Duration = Duration::from_mins(2);

/// Polls until the condition holds, for effects of background work.
async fn eventually<T>(what: &str, mut look: impl AsyncFnMut() -> Option<T>) -> T {
    let began = Instant::now();
    loop {
        if let Some(found) = look().await {
            return found;
        }
        assert!(began.elapsed() < TIMEOUT, "in vain: {what}");
        // The pause leaves the processor to the server.
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// Whether `SWITCHBOARD_TEST_LONG` asks for the long forms of tests.
fn is_long() -> bool {
    std::env::var_os("SWITCHBOARD_TEST_LONG").is_some()
}

/// A client without a proxy.
fn http() -> reqwest::Client {
    reqwest::Client::builder().no_proxy().build().unwrap()
}
