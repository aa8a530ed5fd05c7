//! Webhooks of the real binary: receivers on the loopback, third-party libraries that verify signatures, servers that
//! are killed, receivers that misbehave. No event of an acknowledged call is lost, and a repeat has the same id.

mod api;
mod bad;
mod calls;
mod check;
mod kill;
mod nodes;
mod private;
pub mod receiver;
mod signatures;
mod verifiers;

use std::collections::BTreeMap;

use tokio::sync::watch;

use crate::TIMEOUT;

const METRICS_TOKEN: &str = "scrape-me-scrape-me";
/// Permits the loopback, where the receivers are, and serves metrics.
const SETTINGS: [(&str, &str); 2] =
    [("SWITCHBOARD_WEBHOOKS_ALLOW_PRIVATE", "127.0.0.0/8"), ("SWITCHBOARD_METRICS_TOKEN", METRICS_TOKEN)];
const CALL_STATUS: &str = "call.status";

/// Waits until a count reaches this number. Fails only if the count does not change for `TIMEOUT`.
async fn reached(what: &str, counted: &watch::Sender<usize>, count: usize) {
    let mut counted = counted.subscribe();
    loop {
        let now = *counted.borrow_and_update();
        if now >= count {
            return;
        }
        let moved = tokio::time::timeout(TIMEOUT, counted.changed()).await;
        assert!(moved.is_ok(), "{what}: in vain for {count}, there are {now}");
    }
}

/// How often each value occurs.
fn counted<T: Ord>(all: impl IntoIterator<Item = T>) -> BTreeMap<T, usize> {
    let mut counts = BTreeMap::new();
    for one in all {
        *counts.entry(one).or_default() += 1;
    }
    counts
}
