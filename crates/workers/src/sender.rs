//! The sender's loops: one task for each account that has something to send, so that a slow network of one delays no
//! other. Owns when they run; what they do is `app`'s.

use std::time::Duration;

use app::messages::{Lane, Progress};
use app::{App, Error};
use domain::{TenantId, Timestamp};
use tokio_util::sync::CancellationToken;
use tokio_util::task::JoinMap;

/// For what another node accepted; what this one accepts is heard of at once.
pub(crate) const LOOK_EVERY: Duration = Duration::from_millis(500);
/// After a failure only time helps.
const AFTER_TROUBLE: Duration = Duration::from_secs(1);
/// At most one task for an account.
type Running = JoinMap<(TenantId, String), ()>;

/// Runs until it is stopped, and then until everything that is on its way has come back.
pub(crate) async fn run(app: App, stop: CancellationToken) {
    let mut running = Running::new();
    let mut filled = app.outbox_filled();
    let mut in_trouble = false;
    loop {
        while running.try_join_next().is_some() {}
        match app.sending_lanes().await {
            Ok(lanes) => {
                in_trouble = false;
                start_missing(&app, lanes, &mut running, &stop);
            }
            Err(error) if !in_trouble => {
                in_trouble = true;
                tracing::warn!(worker = "sender", %error, "a worker fails; it is tried again");
            }
            Err(_) => {}
        }
        tokio::select! {
            biased;
            () = stop.cancelled() => break,
            () = tokio::time::sleep(LOOK_EVERY) => {}
            _ = filled.changed(), if !in_trouble => {}
        }
    }
    while running.join_next().await.is_some() {}
}

fn start_missing(app: &App, lanes: Vec<Lane>, running: &mut Running, stop: &CancellationToken) {
    for lane in lanes {
        let key = (lane.tenant, lane.account_id.clone());
        if !running.contains_key(&key) {
            running.spawn(key, send(app.clone(), lane, stop.clone()));
        }
    }
}

/// As long as something of the lane may leave soon.
async fn send(app: App, lane: Lane, stop: CancellationToken) {
    let mut filled = app.outbox_filled();
    loop {
        filled.mark_unchanged();
        let pause = match app.send_due(&lane, || stop.is_cancelled()).await {
            Ok(Progress::Until(at)) => wait_until(app.now(), at),
            Ok(Progress::Empty | Progress::Elsewhere) => return,
            Err(error) => trouble(&lane, &error),
        };
        tokio::select! {
            biased;
            () = stop.cancelled() => return,
            () = tokio::time::sleep(pause.min(LOOK_EVERY)) => {}
            _ = filled.changed() => {}
        }
        if pause > LOOK_EVERY && !filled.has_changed().unwrap_or(false) {
            return;
        }
    }
}

fn wait_until(now: Timestamp, at: Timestamp) -> Duration {
    Duration::from_micros(u64::try_from(at.micros().saturating_sub(now.micros())).unwrap_or(0))
}

fn trouble(lane: &Lane, error: &Error) -> Duration {
    metrics::counter!("switchboard_worker_failures_total", "worker" => "sender").increment(1);
    tracing::warn!(worker = "sender", tenant = %lane.tenant, %error, "sending fails; it is tried again");
    AFTER_TROUBLE
}
