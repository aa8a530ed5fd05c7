//! The loops of the log and of webhooks: one that numbers, one that hears of other nodes, one task for each endpoint that
//! has something to be told. Owns when they run; what they do is `app`'s.

use std::collections::HashSet;
use std::time::Duration;

use app::App;
use app::webhooks::{Ended, LaneKey, Patience};
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::Instant;

/// For what another node, or a command, has appended; what this process appends is heard of at once.
pub(crate) const NUMBER_EVERY: Duration = Duration::from_millis(50);
/// For logs that another node has moved.
pub(crate) const LOOK_EVERY: Duration = Duration::from_millis(50);
/// For endpoints that another node has changed, and for what is to be tried again.
const REFRESH_EVERY: Duration = Duration::from_millis(500);
/// For lanes that ought to run and do not.
const BEHIND_EVERY: Duration = Duration::from_secs(5);
/// Nodes say that they live.
const MEET_EVERY: Duration = Duration::from_secs(1);

struct Lanes {
    app: App,
    running: JoinSet<(LaneKey, Option<Ended>)>,
    keys: HashSet<LaneKey>,
    /// Those that were wanted while they ran: one that was about to end has not heard of it.
    again: HashSet<LaneKey>,
    /// Those that could not run, and run again after a while.
    wanted: HashSet<LaneKey>,
    stopped: watch::Receiver<bool>,
    in_trouble: bool,
    /// When somebody last looked for lanes that are behind.
    caught_up: Since,
}

/// Runs until it is stopped, and then until everything that is on its way has come back and is written down.
pub(crate) async fn run(app: App, mut stopped: watch::Receiver<bool>) {
    let recorder = tokio::spawn({
        let app = app.clone();
        async move { app.webhooks().record().await }
    });
    let mut lanes = Lanes::new(app.clone(), stopped.clone());
    let mut moved = app.events().moves();
    let (mut refreshed, mut met) = (None, None);
    let webhooks = app.webhooks();
    loop {
        lanes.tend(&mut refreshed, &mut met).await;
        tokio::select! {
            biased;
            _ = stopped.wait_for(|stopped| *stopped) => break,
            Some(ended) = lanes.running.join_next() => lanes.ended(ended.ok()),
            Ok(()) = moved.changed() => lanes.start(app.webhooks().moved()),
            () = webhooks.changed() => refreshed = None,
            () = tokio::time::sleep(REFRESH_EVERY) => {}
        }
    }
    while lanes.running.join_next().await.is_some() {}
    recorder.abort();
    if let Err(error) = app.webhooks().leave().await {
        tracing::debug!(%error, "the other nodes will miss this one in a moment");
    }
}

type Since = Option<Instant>;

fn is_over(since: Since, every: Duration) -> bool {
    since.is_none_or(|since| since.elapsed() >= every)
}

impl Lanes {
    fn new(app: App, stopped: watch::Receiver<bool>) -> Self {
        let (keys, again, wanted) = (HashSet::new(), HashSet::new(), HashSet::new());
        Self { app, running: JoinSet::new(), keys, again, wanted, stopped, in_trouble: false, caught_up: None }
    }

    async fn tend(&mut self, refreshed: &mut Since, met: &mut Since) {
        let outcome = self.look(refreshed, met).await;
        if let Err(error) = &outcome
            && !self.in_trouble
        {
            tracing::warn!(worker = "webhooks", %error, "a worker fails; it is tried again");
        }
        self.in_trouble = outcome.is_err();
    }

    async fn look(&mut self, refreshed: &mut Since, met: &mut Since) -> store::Result<()> {
        let app = self.app.clone();
        let webhooks = app.webhooks();
        if is_over(*met, MEET_EVERY) {
            *met = Some(Instant::now());
            if webhooks.meet().await? {
                self.wanted.extend(webhooks.ours());
            }
        }
        if is_over(*refreshed, REFRESH_EVERY) {
            *refreshed = Some(Instant::now());
            if webhooks.refresh().await? {
                self.wanted.extend(webhooks.ours());
            }
            let due = webhooks.due().await?;
            self.start(due);
            if is_over(self.caught_up, BEHIND_EVERY) {
                self.caught_up = Some(Instant::now());
                let behind = webhooks.behind().await?;
                self.start(behind);
            }
            let wanted: Vec<LaneKey> = self.wanted.drain().collect();
            self.start(wanted);
        }
        Ok(())
    }

    /// Those that run already are looked at again when they end.
    fn start(&mut self, lanes: Vec<LaneKey>) {
        for key in lanes {
            if self.keys.insert(key) {
                let (app, stopped) = (self.app.clone(), self.stopped.clone());
                self.running.spawn(async move {
                    let ended = app.webhooks().run_lane(key, Patience::Some, stopped).await;
                    if let Err(error) = &ended {
                        tracing::warn!(tenant = %key.tenant, webhook = %key.webhook, %error, "a lane fails; it is tried again");
                    }
                    (key, ended.ok())
                });
            } else {
                self.again.insert(key);
            }
        }
    }

    fn ended(&mut self, ended: Option<(LaneKey, Option<Ended>)>) {
        let Some((key, ended)) = ended else {
            // A panic: which lane it was is not known any more.
            self.keys.clear();
            self.wanted.extend(self.app.webhooks().ours());
            return;
        };
        self.keys.remove(&key);
        if self.again.remove(&key) || ended != Some(Ended::Idle) {
            self.wanted.insert(key);
        }
    }
}
