//! The webhook worker: starts a dispatcher for each endpoint that has something to deliver, and runs the recorder.
//!
//! The worker starts the dispatcher of an endpoint when the tenant's log has grown, when a retry is due, or when the
//! endpoint is behind its log without a lease holder (found by polling, in case a wake-up was lost). When any endpoint
//! or the set of nodes has changed, it starts the dispatchers of all endpoints. All this concerns only endpoints that
//! this node owns (`app/src/delivery/webhooks/directory.rs`); a dispatcher for an endpoint of another node ends at
//! once.
//!
//! Invariants: at most one dispatcher for an endpoint runs in a process. If a dispatcher is requested while it runs, it
//! is started again after it has ended, because one that is about to end may have missed the reason. The same holds for
//! one that failed, panicked, gave its lease up, or found that another node holds it. A panic of one dispatcher affects
//! its endpoint only.
//!
//! Stop: dispatchers start no more attempts and wait for those in flight, the recorder stores the outcomes, then the
//! node releases its lease. After a crash the leases end by their time, and the other nodes, or the restarted one, take
//! over.

use std::collections::HashSet;
use std::time::Duration;

use app::App;
use app::delivery::webhooks::{DispatcherEnd, EndpointKey, WhenIdle};
use tokio::task::JoinError;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use tokio_util::task::{AbortOnDropHandle, JoinMap};

use crate::round::paced;

/// Poll for facts that another node or a command has appended, or that the loop "events" (`lib.rs`) left after a
/// failure. That loop numbers facts of this process at a wake-up.
pub(crate) const NUMBER_EVERY: Duration = Duration::from_millis(50);
/// Poll for endpoints that another node has changed, and for retries that are due.
const REFRESH_EVERY: Duration = Duration::from_millis(500);
/// The same poll on a node that shares its database with no other node and has nothing to deliver: its own changes are
/// wake-ups, and a dispatcher waits for retries by itself.
const REFRESH_ALONE_EVERY: Duration = Duration::from_secs(5);
/// Poll for endpoints that are behind their log and whose lease no dispatcher holds.
const BEHIND_EVERY: Duration = Duration::from_secs(5);
/// Time between two renewals of the lease by which other nodes know that this one is alive; with SQLite there is one
/// node and no such lease.
const NODE_LEASE_EVERY: Duration = Duration::from_secs(1);

struct WebhookWorker {
    app: App,
    dispatchers: Dispatchers,
    stop: CancellationToken,
    is_failing: bool,
    /// The time of the last search for endpoints that are behind their log.
    caught_up: Since,
}

/// The running dispatchers, at most one for an endpoint, and the endpoints whose dispatcher is to be started.
#[derive(Debug, Default)]
struct Dispatchers {
    running: JoinMap<EndpointKey, app::Result<DispatcherEnd>>,
    /// Endpoints whose dispatcher was requested while it ran; when it ends, they become `wanted`.
    again: HashSet<EndpointKey>,
    /// Endpoints whose dispatcher is started at the next refresh.
    wanted: HashSet<EndpointKey>,
}

impl Dispatchers {
    /// True if no dispatcher runs and none is to be started.
    fn is_idle(&self) -> bool {
        self.running.is_empty() && self.wanted.is_empty()
    }

    /// Starts the endpoint's dispatcher. If it runs already, it is started again after it has ended.
    fn start<F>(&mut self, key: EndpointKey, dispatch: impl FnOnce() -> F)
    where
        F: Future<Output = app::Result<DispatcherEnd>> + Send + 'static,
    {
        if self.running.contains_key(&key) {
            self.again.insert(key);
        } else {
            self.running.spawn(key, dispatch());
        }
    }

    fn ended(&mut self, key: EndpointKey, outcome: Result<app::Result<DispatcherEnd>, JoinError>) {
        let (tenant, webhook) = (key.tenant, key.webhook);
        let is_idle = match outcome {
            Ok(Ok(ended)) => ended == DispatcherEnd::Idle,
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

/// Runs until it is stopped, and then until the attempts in flight have ended and their outcomes are stored.
pub(crate) async fn run(app: App, stop: CancellationToken) {
    let recorder = AbortOnDropHandle::new(tokio::spawn({
        let app = app.clone();
        async move { app.delivery().webhooks().run_recorder().await }
    }));
    let mut worker = WebhookWorker::new(app.clone(), stop.clone());
    let mut moved = app.delivery().events().moves();
    let (mut refreshed, mut renewed) = (None, None);
    let webhooks = app.delivery().webhooks();
    loop {
        worker.run_round(&mut refreshed, &mut renewed).await;
        tokio::select! {
            biased;
            () = stop.cancelled() => break,
            Some((key, outcome)) = worker.dispatchers.running.join_next() => worker.dispatchers.ended(key, outcome),
            Ok(()) = moved.changed() => worker.start(app.delivery().webhooks().with_new_events()),
            () = webhooks.changed() => refreshed = None,
            () = tokio::time::sleep(REFRESH_EVERY) => {}
        }
    }
    while worker.dispatchers.running.join_next().await.is_some() {}
    drop(recorder);
    if let Err(error) = app.delivery().webhooks().release_node_lease().await {
        tracing::debug!(%error, "the lease of this node could not be released; it ends by itself");
    }
}

type Since = Option<Instant>;

fn is_over(since: Since, every: Duration) -> bool {
    since.is_none_or(|since| since.elapsed() >= every)
}

impl WebhookWorker {
    fn new(app: App, stop: CancellationToken) -> Self {
        Self { app, dispatchers: Dispatchers::default(), stop, is_failing: false, caught_up: None }
    }

    async fn run_round(&mut self, refreshed: &mut Since, renewed: &mut Since) {
        let outcome = self.check(refreshed, renewed).await;
        if let Err(error) = &outcome
            && !self.is_failing
        {
            tracing::warn!(worker = "webhooks", %error, "a worker failed; it tries again");
        }
        self.is_failing = outcome.is_err();
    }

    async fn check(&mut self, refreshed: &mut Since, renewed: &mut Since) -> app::Result<()> {
        let app = self.app.clone();
        let webhooks = app.delivery().webhooks();
        if is_over(*renewed, NODE_LEASE_EVERY) {
            *renewed = Some(Instant::now());
            if webhooks.renew_node_lease().await? {
                self.dispatchers.wanted.extend(webhooks.owned());
            }
        }
        let is_quiet = webhooks.is_alone() && self.dispatchers.is_idle();
        if is_over(*refreshed, if is_quiet { REFRESH_ALONE_EVERY } else { REFRESH_EVERY }) {
            *refreshed = Some(Instant::now());
            if webhooks.refresh().await? {
                self.dispatchers.wanted.extend(webhooks.owned());
            }
            if !app.db().is_distributed() || is_over(self.caught_up, paced(&app, BEHIND_EVERY)) {
                let due = webhooks.with_due_retries().await?;
                self.start(due);
            }
            if is_over(self.caught_up, paced(&app, BEHIND_EVERY)) {
                self.caught_up = Some(Instant::now());
                let behind = webhooks.behind().await?;
                self.start(behind);
            }
            let wanted: Vec<EndpointKey> = self.dispatchers.wanted.drain().collect();
            self.start(wanted);
        }
        Ok(())
    }

    fn start(&mut self, endpoints: Vec<EndpointKey>) {
        for key in endpoints {
            let (app, stop) = (&self.app, &self.stop);
            self.dispatchers.start(key, || {
                let (app, stop) = (app.clone(), stop.clone());
                async move { app.delivery().webhooks().run_dispatcher(key, WhenIdle::Linger, stop).await }
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use domain::{TenantId, Timestamp};

    use super::*;
    use domain::Id;

    fn endpoint(number: u64) -> EndpointKey {
        EndpointKey { tenant: TenantId::FIRST, webhook: Id::seeded(Timestamp::from_seconds(1), number) }
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
            dispatchers.start(endpoint(1), || async { Ok(DispatcherEnd::Idle) });
            if asked_meanwhile {
                dispatchers.start(endpoint(1), std::future::pending);
            }
            let (ended, outcome) = dispatchers.running.join_next().await.unwrap();
            dispatchers.ended(ended, outcome);
            assert_eq!(dispatchers.wanted.len(), wanted);
        }
    }
}
