//! The whole, as those who run it see it: the real binary, real sockets, both databases, programs of others.

#![expect(clippy::unwrap_used, clippy::panic, reason = "what fails in a test fails the test")]

mod documents;
mod first_start;
mod fuzz;
mod home;
mod kill;
mod metrics;
mod nodes;
mod page;
mod raw;
mod sandbox;
mod server;
mod stop;

/// With `SWITCHBOARD_TEST_LONG` set, tests that have a long form take it.
fn is_long() -> bool {
    std::env::var_os("SWITCHBOARD_TEST_LONG").is_some()
}

/// A client that asks nobody else on its way.
fn http() -> reqwest::Client {
    reqwest::Client::builder().no_proxy().build().unwrap()
}
