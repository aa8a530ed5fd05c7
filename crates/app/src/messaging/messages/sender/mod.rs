//! The sender: claims due messages of an account from the outbox, calls the network with no transaction open, and saves
//! the outcomes.
//!
//! Invariants:
//! - One node at a time sends for a network account: it holds the account's lease (`claim.rs`). So the network's limits
//!   are kept in one place, in the `Pacer` of that node.
//! - A claim is committed before the request leaves. A message is sent again only when the network surely did not
//!   accept it.
//!
//! A node that crashes leaves claims behind. The next lease holder cannot know whether those messages were sent: they
//! become `unknown`, their outbox rows are deleted, and they are never sent again. A later status of the network, if
//! one comes, resolves them.
//!
//! A round of `send_due`: save outcomes and claim (`claim.rs`, with `recheck.rs` for what changed since a message was
//! accepted), then send (`send.rs`). `outcome.rs` says what follows from each outcome. The task that runs it is
//! `workers/src/sender.rs`; the limits are `domain/src/messaging/pacing`.

mod accounts;
mod claim;
mod outcome;
mod progress;
mod recheck;
mod send;
mod state;

pub use progress::SendProgress;
pub use state::{SenderState, SendingAccount};

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use domain::MessageId;
use store::messaging::outbox::DueMessage;
use tokio::task::JoinSet;

use crate::Result;
use crate::messaging::Messaging;
use claim::{Claimed, OwnClaims};
use outcome::{SendAttempt, SendOutcome};
use send::ChannelClient;

/// Most messages of one account in flight at the same time.
const MAX_IN_FLIGHT: usize = 128;
/// Longest wait for an answer of the network before the next round, which renews the lease.
const LEASE_RENEWAL: Duration = Duration::from_secs(3);
/// Pause after a round that failed because of the database.
const DATABASE_RETRY_DELAY: Duration = Duration::from_secs(1);

#[boxed::futures]
impl Messaging {
    /// Sends every message of an account that may leave now, and returns when the outcomes of all are saved. While
    /// there are outcomes to save, a database failure does not end it: it tries again. When `stopped` returns true, it
    /// claims no more and waits for the answers in flight; then a database failure does end it, and messages whose
    /// outcome was not saved become `unknown`.
    pub async fn send_due(
        &self,
        account: &SendingAccount,
        stopped: &(dyn Fn() -> bool + Sync),
    ) -> Result<SendProgress> {
        let state = self.sender_state().account(account);
        let _running = state.running.lock().await;
        let mut in_flight = InFlight::default();
        loop {
            let capacity = if stopped() { 0 } else { MAX_IN_FLIGHT.saturating_sub(in_flight.tasks.len()) };
            let finished = Arc::new(std::mem::take(&mut in_flight.finished));
            let progress = match self.claim(account, &state, finished.clone(), in_flight.own_claims(), capacity).await {
                Ok(Claimed::Messages(due)) => {
                    in_flight.last_round_uncertain = Some(false);
                    self.start_sending(account, &mut in_flight, due).await;
                    None
                }
                Ok(Claimed::Nothing(progress)) => {
                    in_flight.last_round_uncertain = Some(false);
                    Some(progress)
                }
                Err(error) if stopped() || (in_flight.tasks.is_empty() && finished.is_empty()) => return Err(error),
                Err(error) => {
                    tracing::warn!(tenant = %account.tenant, %error, "the outcomes of sent messages cannot be saved; trying again");
                    in_flight.round_failed(finished).await;
                    continue;
                }
            };
            match progress {
                Some(progress) if in_flight.is_empty() => return Ok(progress),
                _ => in_flight.wait(LEASE_RENEWAL).await,
            }
        }
    }

    async fn start_sending(&self, account: &SendingAccount, in_flight: &mut InFlight, claimed: Vec<DueMessage>) {
        let ids: Vec<_> = claimed.iter().map(|due| due.id).collect();
        let mut contents: HashMap<_, _> =
            match store::messaging::outbox::contents(self.db(), account.tenant, &ids).await {
                Ok(contents) => contents.into_iter().map(|one| (one.id, one)).collect(),
                Err(error) => {
                    tracing::warn!(tenant = %account.tenant, %error, "claimed messages cannot be read; trying again");
                    let not_tried = |due| SendAttempt { due, outcome: SendOutcome::NotTried, after_problem: false };
                    return in_flight.finished.extend(claimed.into_iter().map(not_tried));
                }
            };
        for due in claimed {
            let client = self.client_for(account, due.channel_id, &mut in_flight.clients).await;
            let Some(content) = contents.remove(&due.id) else {
                in_flight.finished.push(SendAttempt { due, outcome: SendOutcome::Unreadable, after_problem: false });
                continue;
            };
            let (messaging, tenant) = (self.clone(), account.tenant);
            in_flight.ids.insert(due.id);
            in_flight.tasks.spawn(async move { messaging.attempt(tenant, &client, due, content).await });
        }
    }
}

/// Messages that are being sent, and finished attempts whose outcomes are not saved yet.
#[derive(Debug, Default)]
struct InFlight {
    tasks: JoinSet<SendAttempt>,
    /// The ids of the messages that `tasks` send.
    ids: HashSet<MessageId>,
    finished: Vec<SendAttempt>,
    clients: Vec<Arc<ChannelClient>>,
    /// Whether the last round failed, so that its transaction may or may not have been committed; none before the first
    /// round.
    last_round_uncertain: Option<bool>,
}

impl InFlight {
    fn is_empty(&self) -> bool {
        self.tasks.is_empty() && self.finished.is_empty()
    }

    fn own_claims(&self) -> OwnClaims {
        match self.last_round_uncertain {
            None => OwnClaims::LeftBehind,
            Some(false) => OwnClaims::InFlight,
            Some(true) => OwnClaims::Uncertain(self.ids.clone()),
        }
    }

    /// Keeps the outcomes of a failed round and pauses. Its transaction may have been committed nevertheless; the next
    /// round saves the same outcomes again.
    async fn round_failed(&mut self, finished: Arc<Vec<SendAttempt>>) {
        self.finished = Arc::unwrap_or_clone(finished);
        self.last_round_uncertain = Some(true);
        tokio::time::sleep(DATABASE_RETRY_DELAY).await;
    }

    /// Waits until one attempt has finished, at most for `longest`; then collects every other finished attempt.
    async fn wait(&mut self, longest: Duration) {
        if self.finished.is_empty()
            && let Ok(Some(first)) = tokio::time::timeout(longest, self.tasks.join_next()).await
        {
            self.collect(first);
        }
        while let Some(next) = self.tasks.try_join_next() {
            self.collect(next);
        }
    }

    /// Adds a finished attempt. The message of a task that panicked stays claimed, and the next call of `send_due`
    /// makes it `unknown`.
    fn collect(&mut self, finished: Result<SendAttempt, tokio::task::JoinError>) {
        match finished {
            Ok(attempt) => {
                self.ids.remove(&attempt.due.id);
                self.finished.push(attempt);
            }
            Err(error) => tracing::error!(%error, "the task that sends a message panicked"),
        }
    }
}
