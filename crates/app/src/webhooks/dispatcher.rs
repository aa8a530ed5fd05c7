//! A lane: everything that one endpoint is told, by the node that has it. Reads the log, posts, and hands what came of it
//! to the recorder. A slow or dead endpoint holds up its own lane and no other.

mod next;

use std::collections::{HashSet, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use domain::events::Event;
use domain::webhooks::Breaker;
use domain::{DeliveryId, Timestamp};
use store::webhooks::deliveries::Delivery;
use store::webhooks::lanes;
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::attempt::{Attempted, Item, Job};
use super::exchange::{DispatcherEvent, LEASE_SECONDS, LaneKey, Report};
use super::order::Order;
use super::post::Verdict;
use super::progress::{RecorderEvent, SharedProgress};
use super::rate::Rate;
use super::{Endpoint, Webhooks};
use crate::{App, Result};

const RENEW_EVERY: Duration = Duration::from_secs(1);
/// A lane with nothing to do is kept so long: the next event finds it ready.
const LINGER: Duration = Duration::from_secs(10);

/// What a lane does when nothing can be done at the moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Patience {
    /// It ends.
    None,
    /// It waits for a while.
    Some,
}

/// How a lane ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    /// Nothing was left to do.
    Idle,
    /// Somebody else has it, or it was taken away.
    Elsewhere,
    Stopped,
}

/// What a lane waited for.
enum Woken {
    Landed(Attempted),
    /// A post panicked.
    Broken,
    /// Endpoints or nodes have changed.
    Changed,
    Stopped,
    Other,
}

struct Lane {
    app: App,
    key: LaneKey,
    endpoint: Arc<Endpoint>,
    progress: Arc<SharedProgress>,
    breaker: Breaker,
    rate: Rate,
    order: Order,
    head: watch::Receiver<i64>,
    read_to: i64,
    /// Up to here, some events have a delivery already.
    reached: i64,
    ready: VecDeque<Event>,
    retries: VecDeque<Delivery>,
    /// Retries whose outcome is not written down yet.
    retrying: HashSet<DeliveryId>,
    next_due: Option<Timestamp>,
    in_flight: JoinSet<Attempted>,
}

impl Webhooks<'_> {
    /// Tells an endpoint what there is to tell, until nothing is left or it is somebody else's.
    pub async fn run_lane(&self, key: LaneKey, patience: Patience, stop: CancellationToken) -> Result<Ended> {
        // Another node's is started by that node: taking it here would keep it from there.
        let endpoint = self.0.post_office().endpoint(key).filter(|_| self.is_ours(key.webhook));
        let Some(endpoint) = endpoint else { return Ok(Ended::Idle) };
        let Some(taken) = self.take_lane(key).await? else { return Ok(Ended::Elsewhere) };
        let mut lane = Lane::new(self.0.clone(), key, endpoint, taken).await?;
        let ended = lane.run(patience, &stop).await;
        lane.finish().await?;
        ended
    }

    async fn take_lane(&self, key: LaneKey) -> Result<Option<lanes::Lane>> {
        let input = (key, self.0.node_name().to_owned(), self.0.now());
        let take = self.0.db().write(input, |tx, (key, node, now)| {
            Box::pin(lanes::take(tx, key.tenant, key.webhook, node, *now, now.plus_seconds(LEASE_SECONDS)))
        });
        Ok(take.await?)
    }
}

impl Lane {
    async fn new(app: App, key: LaneKey, endpoint: Arc<Endpoint>, taken: lanes::Lane) -> Result<Self> {
        let LaneKey { tenant, webhook } = key;
        let head = app.events().follow(tenant);
        app.heads().reached(tenant, store::events::log(app.db(), tenant).await?.last);
        let stuck = if endpoint.ordered {
            store::webhooks::deliveries::open_conversations(app.db(), tenant, webhook).await?
        } else {
            Vec::new()
        };
        let lane = Self {
            next_due: store::webhooks::deliveries::next_due(app.db(), tenant, webhook).await?,
            app,
            key,
            endpoint,
            progress: Arc::new(SharedProgress::new(key, taken)),
            breaker: Breaker::after(taken.health),
            rate: Rate::default(),
            order: Order::after(stuck.iter().copied()),
            head,
            read_to: taken.position,
            reached: taken.reached,
            ready: VecDeque::new(),
            retries: VecDeque::new(),
            retrying: HashSet::new(),
            in_flight: JoinSet::new(),
        };
        // The previous holder may have stored a held delivery after the one it waited for had ended: release it.
        for conversation in stuck {
            lane.tell(DispatcherEvent::Release(conversation)).await;
        }
        Ok(lane)
    }

    async fn run(&mut self, patience: Patience, stop: &CancellationToken) -> Result<Ended> {
        let mut version = self.app.post_office().version();
        let (mut idle_since, mut renewed) = (Instant::now(), Some(Instant::now()));
        loop {
            self.hear().await;
            let began = self.fill().await?;
            let is_busy = began || !self.in_flight.is_empty() || self.progress.unrecorded() > 0;
            if is_busy {
                idle_since = Instant::now();
            }
            let wake_at = self.wakes_at();
            if !is_busy && (patience == Patience::None || (wake_at.is_none() && idle_since.elapsed() > LINGER)) {
                return Ok(Ended::Idle);
            }
            let pause = self.pause(wake_at);
            let woken = tokio::select! {
                biased;
                () = stop.cancelled() => Woken::Stopped,
                Some(done) = self.in_flight.join_next() => done.map_or(Woken::Broken, Woken::Landed),
                () = self.progress.news() => Woken::Other,
                _ = self.head.changed() => Woken::Other,
                Ok(()) = version.changed() => Woken::Changed,
                () = tokio::time::sleep(pause) => Woken::Other,
            };
            match woken {
                Woken::Stopped => return Ok(Ended::Stopped),
                Woken::Landed(attempted) => self.landed(attempted).await,
                // The event has no outcome. Giving up the lease makes the next holder read it from the log again.
                Woken::Broken => return Ok(Ended::Elsewhere),
                Woken::Changed => renewed = None,
                Woken::Other => {}
            }
            if renewed.is_none_or(|at| at.elapsed() >= RENEW_EVERY) {
                renewed = Some(Instant::now());
                if !self.is_still_ours().await? {
                    return Ok(Ended::Elsewhere);
                }
                self.look_for_retries().await?;
            }
        }
    }

    /// Waits for what is on its way, hands it over, and gives the lane back.
    async fn finish(mut self) -> Result<()> {
        while let Some(attempted) = self.in_flight.join_next().await {
            if let Ok(attempted) = attempted {
                self.landed(attempted).await;
            }
        }
        while self.progress.unrecorded() > 0 {
            self.progress.news().await;
        }
        let input = (self.key, self.app.node_name().to_owned(), self.progress.position());
        let release = self.app.db().write(input, |tx, (key, node, position)| {
            Box::pin(lanes::release(tx, key.tenant, key.webhook, node, *position))
        });
        Ok(release.await?)
    }

    /// What the recorder has to say.
    async fn hear(&mut self) {
        for news in self.progress.take_news() {
            match news {
                RecorderEvent::Recorded(id) => drop(self.retrying.remove(&id)),
                RecorderEvent::Due(at) => self.next_due = Timestamp::earlier(self.next_due, Some(at)),
                RecorderEvent::Done(conversation) => self.ready.extend(self.order.done(conversation)),
                RecorderEvent::Failed(conversation) => {
                    for event in self.order.failed(conversation) {
                        self.hold(&event).await;
                    }
                }
                RecorderEvent::Held(conversation) => self.order.held(conversation),
                RecorderEvent::Freed(conversation) => {
                    if !self.order.freed(conversation) {
                        self.tell(DispatcherEvent::Release(conversation)).await;
                    }
                }
            }
        }
    }

    /// Begins as much as may be on its way now. Answers whether anything was begun.
    async fn fill(&mut self) -> Result<bool> {
        let mut began = false;
        loop {
            let now = self.app.now();
            let room = self.breaker.allows(now, self.in_flight.len(), self.most());
            let (room, _) = self.rate.room(self.endpoint.max_per_second, now, room);
            if room == 0 {
                return Ok(began);
            }
            let Some(job) = self.next_job(now).await? else { return Ok(began) };
            self.rate.began(self.endpoint.max_per_second, now);
            self.begin(job, now);
            began = true;
        }
    }

    fn most(&self) -> usize {
        let own = self.endpoint.max_in_flight.and_then(|most| usize::try_from(most).ok());
        own.unwrap_or(self.app.webhook_policy().in_flight).max(1)
    }

    async fn hold(&self, event: &Event) {
        self.tell(DispatcherEvent::Held(Item::new(event))).await;
    }

    fn begin(&mut self, job: Job, now: Timestamp) {
        let transport = Arc::clone(&self.app.webhook_policy().transport);
        let endpoint = Arc::clone(&self.endpoint);
        self.in_flight.spawn(job.run(transport, endpoint, now));
    }

    /// One came back.
    async fn landed(&mut self, attempted: Attempted) {
        let now = self.app.now();
        match &attempted.outcome.verdict {
            Verdict::Delivered => self.breaker.succeeded(),
            Verdict::Failed { .. } => {
                self.breaker.failed(now);
                if let Some(until) = attempted.outcome.rests_until() {
                    self.breaker.rest_until(until);
                }
            }
            // Nothing more is begun; the recorder takes it out of service.
            Verdict::Gone => self.breaker.rest_until(now.plus_seconds(LEASE_SECONDS)),
        }
        self.tell(DispatcherEvent::Attempted(Box::new(attempted))).await;
    }

    async fn tell(&self, event: DispatcherEvent) {
        let report = Report { progress: Arc::clone(&self.progress), endpoint: Arc::clone(&self.endpoint), event };
        self.progress.handed_over();
        // The recorder lives as long as the application.
        let _ = self.app.post_office().reports.send(report).await;
    }

    /// Is the endpoint still to be told, by this node? Takes over what was changed about it.
    async fn is_still_ours(&mut self) -> Result<bool> {
        let Some(endpoint) = self.app.post_office().endpoint(self.key) else { return Ok(false) };
        if !self.app.webhooks().is_ours(self.key.webhook) || endpoint.ordered != self.endpoint.ordered {
            return Ok(false);
        }
        self.endpoint = endpoint;
        let input = (self.key, self.app.node_name().to_owned(), self.app.now());
        let renew = self.app.db().write(input, |tx, (key, node, now)| {
            Box::pin(lanes::renew(tx, key.tenant, key.webhook, node, now.plus_seconds(LEASE_SECONDS)))
        });
        Ok(renew.await?)
    }

    /// When something can be done that cannot be done now, by the clock.
    fn wakes_at(&self) -> Option<Timestamp> {
        let has_new = !self.ready.is_empty() || self.read_to < *self.head.borrow();
        let next = if has_new || !self.retries.is_empty() { Some(self.app.now()) } else { self.next_due };
        let rests = self.breaker.rests_until();
        let (_, slot) = self.rate.room(self.endpoint.max_per_second, self.app.now(), 1);
        next.map(|next| next.max(rests.unwrap_or(next)).max(slot.unwrap_or(next)))
    }

    fn pause(&self, wake_at: Option<Timestamp>) -> Duration {
        let until = wake_at.map_or(i64::MAX, |at| at.micros().saturating_sub(self.app.now().micros()).max(0));
        // What may begin is begun when something comes back: the pause only keeps the lease.
        let until = if until == 0 && !self.in_flight.is_empty() { i64::MAX } else { until };
        Duration::from_micros(u64::try_from(until).unwrap_or(0)).clamp(Duration::from_millis(1), RENEW_EVERY)
    }
}
