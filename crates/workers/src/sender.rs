//! The sender worker: runs one task for each network account that has messages to send, so that slow answers for one
//! account delay no other.
//!
//! A task ends when no message may leave within `POLL_EVERY`, when a round failed, when another node holds the lease of
//! the account, or when the server stops and the messages in flight are answered. The next poll starts a task again for
//! each account that has due messages. A message that this process accepts, due at once, is a wake-up; messages that
//! another node accepted, and scheduled ones, are found by polling. On a distributed database, whose polls ask all workers,
//! a wake-up looks only at its tenant, and polls are rarer. At most one task for an account runs in a process.
//! What a task does, and what a crash leaves behind, is in `app/src/messaging/messages/sender/mod.rs`.

use std::time::Duration;

use app::messaging::messages::{SendProgress, SendingAccount};
use app::{App, Error};
use domain::TenantId;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use tokio_util::task::JoinMap;

use crate::round::paced;

/// Poll for messages that another node accepted, or that are due before the next poll; for the latter a task starts and
/// waits for their time. A message that this process accepts and that is due at once is a wake-up.
pub(crate) const POLL_EVERY: Duration = Duration::from_secs(2);
/// The task of an account waits this long after a failed round and then ends; the next poll starts it again.
const AFTER_FAILURE: Duration = Duration::from_secs(1);
/// The running tasks, at most one for an account.
type Running = JoinMap<(TenantId, String), ()>;

/// Runs until it is stopped, and then until the messages in flight are answered and their outcomes are saved, or a
/// transaction fails.
pub(crate) async fn run(app: App, stop: CancellationToken) {
    let mut running = Running::new();
    let mut wakeups = app.messaging().sender_wakeups();
    let (mut is_failing, mut polled) = (false, None);
    loop {
        while running.try_join_next().is_some() {}
        let found = accounts(&app, &mut polled).await;
        match &found {
            Err(error) if !is_failing => tracing::warn!(worker = "sender", %error, "a worker failed; it tries again"),
            _ => {}
        }
        is_failing = found.is_err();
        start_missing(&app, found.unwrap_or_default(), &mut running, &stop);
        tokio::select! {
            biased;
            () = stop.cancelled() => break,
            () = tokio::time::sleep(POLL_EVERY) => {}
            _ = wakeups.changed(), if !is_failing => {}
        }
    }
    while running.join_next().await.is_some() {}
}

/// All accounts with something to send; on a distributed database between two polls only those of tenants whose messages
/// this process has accepted.
async fn accounts(app: &App, polled: &mut Option<Instant>) -> app::Result<Vec<SendingAccount>> {
    let every = paced(app, POLL_EVERY);
    if every > POLL_EVERY && polled.is_some_and(|polled| polled.elapsed() < every) {
        return Ok(app.messaging().woken_accounts_sending_within(every).await);
    }
    let found = app.messaging().accounts_sending_within(every).await?;
    *polled = Some(Instant::now());
    Ok(found)
}

fn start_missing(app: &App, accounts: Vec<SendingAccount>, running: &mut Running, stop: &CancellationToken) {
    for account in accounts {
        let key = (account.tenant, account.account_id.clone());
        if !running.contains_key(&key) {
            running.spawn(key, send(app.clone(), account, stop.clone()));
        }
    }
}

/// The task of one account. Ends when the outbox is empty or no message may leave before the next poll, when a round
/// failed, when another node holds the lease, or when the server stops.
async fn send(app: App, account: SendingAccount, stop: CancellationToken) {
    let mut wakeups = app.messaging().sender_wakeups();
    loop {
        wakeups.mark_unchanged();
        let every = paced(&app, POLL_EVERY);
        let pause = match app.messaging().send_due(&account, &|| stop.is_cancelled()).await {
            Ok(SendProgress::Until(at)) => app.now().until(at),
            Ok(SendProgress::Empty | SendProgress::Elsewhere) => return,
            Err(error) => {
                report_failure(&account, &error);
                tokio::select! {
                    () = stop.cancelled() => {}
                    () = tokio::time::sleep(AFTER_FAILURE) => {}
                }
                return;
            }
        };
        let is_woken = tokio::select! {
            biased;
            () = stop.cancelled() => return,
            _ = wakeups.changed() => true,
            () = tokio::time::sleep(pause.min(every)) => false,
        };
        if pause > every && !is_woken {
            return;
        }
    }
}

fn report_failure(account: &SendingAccount, error: &Error) {
    metrics::counter!("switchboard_worker_failures_total", "worker" => "sender").increment(1);
    tracing::warn!(worker = "sender", tenant = %account.tenant, %error, "sending failed; the worker tries again");
}
