//! A share of the budget for outgoing connections that is used up.

use channels::outgoing::{OutgoingBudget, Permit, Share};
use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;

/// Holds all connections of a share, and as many calls that wait for one as may wait: each further call fails at once.
#[must_use]
pub struct UsedUp<'a> {
    held: Vec<Permit>,
    waiting: Vec<BoxFuture<'a, Option<Permit>>>,
}

pub fn use_up(budget: &OutgoingBudget, share: impl Into<Share>) -> UsedUp<'_> {
    let (share, mut used_up) = (share.into(), UsedUp { held: Vec::new(), waiting: Vec::new() });
    loop {
        let mut call = budget.call(share).boxed();
        match call.as_mut().now_or_never() {
            Some(Some(permit)) => used_up.held.push(permit),
            Some(None) => return used_up,
            None => used_up.waiting.push(call),
        }
    }
}

impl Drop for UsedUp<'_> {
    /// The waiting calls first, so that none gets a connection that is given back.
    fn drop(&mut self) {
        self.waiting.clear();
        self.held.clear();
    }
}

impl std::fmt::Debug for UsedUp<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("UsedUp").field("held", &self.held.len()).finish_non_exhaustive()
    }
}
