//! The loops of the log and of webhooks: one that numbers, one that hears of other nodes, one task for each endpoint that
//! has something to be told. Owns when they run; what they do is `app`'s.

use std::collections::HashSet;
use std::time::Duration;

use app::App;
use app::webhooks::{Ended, LaneKey, Patience};
use tokio::task::JoinError;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use tokio_util::task::{AbortOnDropHandle, JoinMap};

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
    dispatchers: Dispatchers,
    stop: CancellationToken,
    in_trouble: bool,
    /// The last search for endpoints that are behind the log.
    caught_up: Since,
}

/// The running dispatchers, at most one for an endpoint, and the endpoints whose dispatcher is to be started.
#[derive(Debug, Default)]
struct Dispatchers {
    running: JoinMap<LaneKey, app::Result<Ended>>,
    /// Endpoints that were asked for while their dispatcher ran: one that was about to end may have missed the reason.
    again: HashSet<LaneKey>,
    /// Endpoints whose dispatcher ended early; it is started at the next refresh.
    wanted: HashSet<LaneKey>,
}

impl Dispatchers {
    /// Starts the endpoint's dispatcher unless it runs already; then the endpoint is looked at again when it ends.
    fn start<F>(&mut self, key: LaneKey, dispatch: impl FnOnce() -> F)
    where
        F: Future<Output = app::Result<Ended>> + Send + 'static,
    {
        if self.running.contains_key(&key) {
            self.again.insert(key);
        } else {
            self.running.spawn(key, dispatch());
        }
    }

    fn ended(&mut self, key: LaneKey, outcome: Result<app::Result<Ended>, JoinError>) {
        let (tenant, webhook) = (key.tenant, key.webhook);
        let is_idle = match outcome {
            Ok(Ok(ended)) => ended == Ended::Idle,
            Ok(Err(error)) => {
                tracing::warn!(%tenant, %webhook, %error, "a webhook dispatcher failed; it is started again");
                false
            }
            Err(error) => {
                tracing::error!(%tenant, %webhook, %error, "a webhook dispatcher panicked; it is started again");
                false
            }
        };
        if self.again.remove(&key) || !is_idle {
            self.wanted.insert(key);
        }
    }
}

/// Runs until it is stopped, and then until everything that is on its way has come back and is written down.
pub(crate) async fn run(app: App, stop: CancellationToken) {
    let recorder = AbortOnDropHandle::new(tokio::spawn({
        let app = app.clone();
        async move { app.webhooks().record().await }
    }));
    let mut lanes = Lanes::new(app.clone(), stop.clone());
    let mut moved = app.events().moves();
    let (mut refreshed, mut met) = (None, None);
    let webhooks = app.webhooks();
    loop {
        lanes.tend(&mut refreshed, &mut met).await;
        tokio::select! {
            biased;
            () = stop.cancelled() => break,
            Some((key, outcome)) = lanes.dispatchers.running.join_next() => lanes.dispatchers.ended(key, outcome),
            Ok(()) = moved.changed() => lanes.start(app.webhooks().moved()),
            () = webhooks.changed() => refreshed = None,
            () = tokio::time::sleep(REFRESH_EVERY) => {}
        }
    }
    while lanes.dispatchers.running.join_next().await.is_some() {}
    drop(recorder);
    if let Err(error) = app.webhooks().leave().await {
        tracing::debug!(%error, "the other nodes will miss this one in a moment");
    }
}

type Since = Option<Instant>;

fn is_over(since: Since, every: Duration) -> bool {
    since.is_none_or(|since| since.elapsed() >= every)
}

impl Lanes {
    fn new(app: App, stop: CancellationToken) -> Self {
        Self { app, dispatchers: Dispatchers::default(), stop, in_trouble: false, caught_up: None }
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

    async fn look(&mut self, refreshed: &mut Since, met: &mut Since) -> app::Result<()> {
        let app = self.app.clone();
        let webhooks = app.webhooks();
        if is_over(*met, MEET_EVERY) {
            *met = Some(Instant::now());
            if webhooks.meet().await? {
                self.dispatchers.wanted.extend(webhooks.ours());
            }
        }
        if is_over(*refreshed, REFRESH_EVERY) {
            *refreshed = Some(Instant::now());
            if webhooks.refresh().await? {
                self.dispatchers.wanted.extend(webhooks.ours());
            }
            let due = webhooks.due().await?;
            self.start(due);
            if is_over(self.caught_up, BEHIND_EVERY) {
                self.caught_up = Some(Instant::now());
                let behind = webhooks.behind().await?;
                self.start(behind);
            }
            let wanted: Vec<LaneKey> = self.dispatchers.wanted.drain().collect();
            self.start(wanted);
        }
        Ok(())
    }

    fn start(&mut self, endpoints: Vec<LaneKey>) {
        for key in endpoints {
            let (app, stop) = (&self.app, &self.stop);
            self.dispatchers.start(key, || {
                let (app, stop) = (app.clone(), stop.clone());
                async move { app.webhooks().run_lane(key, Patience::Some, stop).await }
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use domain::{TenantId, Timestamp};

    use super::*;
    use domain::Id;

    fn endpoint(number: u64) -> LaneKey {
        LaneKey { tenant: TenantId::FIRST, webhook: Id::seeded(Timestamp::from_seconds(1), number) }
    }

    #[tokio::test]
    async fn the_panic_of_one_dispatcher_starts_no_second_one_for_other_endpoints() {
        let (panicking, running) = (endpoint(1), endpoint(2));
        let mut dispatchers = Dispatchers::default();
        dispatchers.start(running, std::future::pending);
        dispatchers.start(panicking, || async { panic!("as a defect in a dispatcher would") });
        let (ended, outcome) = dispatchers.running.join_next().await.unwrap();
        assert_eq!(ended, panicking);
        dispatchers.ended(ended, outcome);
        assert_eq!(dispatchers.wanted, HashSet::from([panicking]));
        dispatchers.start(running, || async { panic!("a second dispatcher of the same endpoint was started") });
        assert_eq!(dispatchers.running.len(), 1);
        assert_eq!(dispatchers.again, HashSet::from([running]));
    }

    #[tokio::test]
    async fn an_idle_dispatcher_is_started_again_only_when_asked_for_meanwhile() {
        let mut dispatchers = Dispatchers::default();
        for (asked_meanwhile, wanted) in [(false, 0), (true, 1)] {
            dispatchers.start(endpoint(1), || async { Ok(Ended::Idle) });
            if asked_meanwhile {
                dispatchers.start(endpoint(1), std::future::pending);
            }
            let (ended, outcome) = dispatchers.running.join_next().await.unwrap();
            dispatchers.ended(ended, outcome);
            assert_eq!(dispatchers.wanted.len(), wanted);
        }
    }
}
