//! The whole, as those who run it see it: the real binary, real sockets, both databases, programs of others.

#![expect(clippy::unwrap_used, clippy::panic, reason = "what fails in a test fails the test")]

mod clicks;
mod documents;
mod earlier_release;
mod first_start;
mod fuzz;
mod home;
mod inbound;
mod kill;
mod metrics;
mod network;
mod nodes;
mod page;
mod protected;
mod raw;
mod sandbox;
mod sandbox_commands;
mod sending;
mod server;
mod stop;
mod webhooks;

use std::time::{Duration, Instant};

/// Far more than anything takes that is waited for here.
const TIMEOUT: Duration = Duration::from_mins(2);

/// Looks again until something is there: what happens behind requests needs its time.
async fn eventually<T>(what: &str, mut look: impl AsyncFnMut() -> Option<T>) -> T {
    let began = Instant::now();
    loop {
        if let Some(found) = look().await {
            return found;
        }
        assert!(began.elapsed() < TIMEOUT, "in vain: {what}");
        // The server needs the processor more than we do.
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// With `SWITCHBOARD_TEST_LONG` set, tests that have a long form take it.
fn is_long() -> bool {
    std::env::var_os("SWITCHBOARD_TEST_LONG").is_some()
}

/// A client that asks nobody else on its way.
fn http() -> reqwest::Client {
    reqwest::Client::builder().no_proxy().build().unwrap()
}
