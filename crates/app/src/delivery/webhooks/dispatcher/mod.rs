//! The dispatcher: the task that delivers events to one endpoint, on the node that holds the endpoint's lease.
//!
//! It reads the tenant's log from the stored position, posts every event that the endpoint wants, keeps to the
//! endpoint's limits (requests in flight, rate, breaker, order by conversation), and reports each attempt to the
//! recorder (`delivery/webhooks/recorder.rs`), which stores it. The two exchange messages
//! (`delivery/webhooks/exchange.rs`) and share `delivery/webhooks/progress.rs`.
//!
//! Invariants:
//! - One node at a time holds an endpoint: the row of `store::delivery::webhooks::dispatch_state` is leased for
//!   `LEASE_SECONDS`, and a dispatcher renews it every second. A holder that stalls for longer than the lease may post
//!   events that the next holder posts too; it cannot change the position. The worker starts at most one dispatcher for
//!   an endpoint.
//! - While the endpoint stays enabled, the stored position never passes an event that the endpoint wants and that has
//!   no delivery yet. So no event is skipped while the log keeps it; an event may be posted more than once.
//! - A slow or dead endpoint delays no other endpoint: an attempt starts with a permit of the budget for outgoing
//!   connections (`channels/src/outgoing`), of which each endpoint has its part. A dispatcher without a permit waits
//!   for its turn, and reads no events meanwhile.
//! - The events that a dispatcher keeps in memory have about `QUEUED_BYTES` at most.
//!
//! Crash: attempts whose outcome was not stored are lost. The next holder starts at the stored position, skips the
//! events that have a delivery (up to `reached`), and posts the others again with the same ids.
//!
//! Read on: `next_delivery.rs` (what is posted next), `delivery/webhooks/conversation_order.rs`,
//! `domain::delivery::webhooks` (breaker, retry schedule, health), `workers/src/webhooks.rs` (when dispatchers are
//! started).

mod next_delivery;

use std::collections::{HashSet, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use channels::outgoing::{DeliveryShare, Permit, Reputation, WaitingPermit};
use domain::base::rate::Bucket;
use domain::delivery::events::Event;
use domain::delivery::webhooks::{Delivery, RunningRecovery};
use domain::{BreakerState, DeliveryId, Timestamp};
use store::delivery::webhooks::dispatch_state::{self, DispatchState};
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::attempt::{DeliveryRef, EndedAttempt, PendingAttempt};
use super::conversation_order::ConversationOrder;
use super::endpoint_key::EndpointKey;
use super::exchange::{DispatchReport, DispatcherEvent, LEASE_SECONDS};
use super::post::Verdict;
use super::progress::{RecorderEvent, SharedProgress};
use super::{Endpoint, Webhooks};
use crate::Result;
use crate::base::compute::for_tenant;
use crate::delivery::EventDelivery;

const RENEW_EVERY: Duration = Duration::from_secs(1);
/// Most facts in the first read of the log. Later reads grow while their events are small.
const FIRST_READ: i64 = 32;
/// How long an idle dispatcher keeps its lease, so that the next event finds it running.
const LINGER: Duration = Duration::from_secs(10);

/// What a dispatcher does when no attempt can be started, none is in flight and all outcomes are stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WhenIdle {
    /// The dispatcher ends, even if a retry is due later.
    End,
    /// The dispatcher ends after `LINGER` without work. While there are new events, or a retry that is due at any later
    /// time, it continues and keeps the lease.
    Linger,
}

/// Why a dispatcher ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DispatcherEnd {
    /// No attempt can be made now (`WhenIdle`), or the endpoint is not enabled or not owned by this node.
    Idle,
    /// Another node holds the lease, or this dispatcher gave it up: the endpoint was disabled, deleted or reset, has
    /// another owner, or switched ordered delivery on or off, or an attempt panicked.
    NotHolder,
    Stopped,
}

/// Why a waiting dispatcher continues.
#[expect(clippy::large_enum_variant, reason = "one value at a time, on the stack")]
enum Woken {
    AttemptEnded(EndedAttempt),
    AttemptPanicked,
    /// It is the dispatcher's turn to start an attempt.
    Permitted(Permit),
    /// The endpoint or the set of nodes changed.
    DirectoryChanged,
    Stopped,
    Other,
}

struct EndpointDispatcher {
    room: EventDelivery,
    key: EndpointKey,
    endpoint: Arc<Endpoint>,
    progress: Arc<SharedProgress>,
    breaker: BreakerState,
    /// When the bucket of the endpoint's own rate is full; none before the first attempt under such a rate.
    rate_full_at: Option<Timestamp>,
    order: ConversationOrder,
    /// The number of the last event in the tenant's log, as far as this process knows.
    log_end: watch::Receiver<i64>,
    read_to: i64,
    /// How often this node had dropped cached events when `stale_to` was noted.
    drops: u64,
    /// Events in memory up to this number may have been erased since they were read.
    stale_to: i64,
    /// The value stored when the lease was taken: up to this number, some events have a delivery already.
    reached: i64,
    /// The last recovery. It says which of the events that are read again belong to it.
    recovery: Option<RunningRecovery>,
    ready: VecDeque<Event>,
    retries: VecDeque<Delivery>,
    /// Retries whose outcome is not stored yet.
    retrying: HashSet<DeliveryId>,
    next_due: Option<Timestamp>,
    in_flight: JoinSet<EndedAttempt>,
    /// The endpoint's part of the tenant's outgoing connections.
    share: DeliveryShare,
    /// Set while there is something to attempt and no connection for it.
    waiting: Option<WaitingPermit>,
    /// The permit that `waiting` has given, for the next attempt.
    permit: Option<Permit>,
    /// Bytes of the events in `ready` and `order`.
    queued_bytes: usize,
    /// Most facts in the next read of the log.
    batch: i64,
}

#[boxed::futures]
impl Webhooks<'_> {
    /// Takes the lease of an endpoint and delivers to it until no work is left, the lease is lost or given up, the
    /// database fails or `stop` is cancelled. Then waits for the attempts in flight and releases the lease. All of this
    /// happens in the turns of the endpoint's tenant.
    pub async fn run_dispatcher(
        &self,
        key: EndpointKey,
        when_idle: WhenIdle,
        stop: CancellationToken,
    ) -> Result<DispatcherEnd> {
        for_tenant(key.tenant, self.dispatch(key, when_idle, stop)).await
    }

    async fn dispatch(&self, key: EndpointKey, when_idle: WhenIdle, stop: CancellationToken) -> Result<DispatcherEnd> {
        // Another owner starts its own dispatcher: a lease taken here would prevent that.
        let endpoint = self.0.endpoint_directory().endpoint(key).filter(|_| self.is_owner(key.webhook));
        let Some(endpoint) = endpoint else { return Ok(DispatcherEnd::Idle) };
        let Some(state) = self.acquire_lease(key).await? else { return Ok(DispatcherEnd::NotHolder) };
        let mut dispatcher = EndpointDispatcher::new(self.0.clone(), key, endpoint, state).await?;
        let ended = dispatcher.run(when_idle, &stop).await;
        dispatcher.finish().await?;
        ended
    }

    async fn acquire_lease(&self, key: EndpointKey) -> Result<Option<DispatchState>> {
        let input = (key, self.0.node_name().to_owned(), self.0.now());
        let acquire = self.0.db().write(input, |tx, (key, node, now)| {
            Box::pin(dispatch_state::acquire(tx, key.tenant, key.webhook, node, *now, now.plus_seconds(LEASE_SECONDS)))
        });
        Ok(acquire.await?)
    }
}

impl EndpointDispatcher {
    async fn new(room: EventDelivery, key: EndpointKey, endpoint: Arc<Endpoint>, state: DispatchState) -> Result<Self> {
        let EndpointKey { tenant, webhook } = key;
        let log_end = room.events().follow(tenant);
        room.log_positions().advance(tenant, store::delivery::events::log(room.db(), tenant).await?.last);
        let blocked = if endpoint.ordered {
            store::delivery::webhooks::deliveries::open_conversations(room.db(), tenant, webhook).await?
        } else {
            Vec::new()
        };
        let answers = state.health.delivered_at.is_some() && state.health.failed_in_a_row == 0;
        let reputation = if answers { Reputation::Answers } else { Reputation::Unproven };
        let dispatcher = Self {
            share: room.outgoing().deliveries(tenant, reputation),
            next_due: store::delivery::webhooks::deliveries::next_due(room.db(), tenant, webhook).await?,
            room,
            key,
            endpoint,
            progress: Arc::new(SharedProgress::new(key, state)),
            breaker: state.health.breaker(),
            rate_full_at: None,
            order: ConversationOrder::after(blocked.iter().copied()),
            log_end,
            read_to: state.position,
            drops: 0,
            stale_to: 0,
            reached: state.reached,
            recovery: state.recovery,
            ready: VecDeque::new(),
            retries: VecDeque::new(),
            retrying: HashSet::new(),
            in_flight: JoinSet::new(),
            waiting: None,
            permit: None,
            queued_bytes: 0,
            batch: FIRST_READ,
        };
        // The previous holder may have stored a held delivery after the delivery before it had ended: release it.
        for conversation in blocked {
            dispatcher.report(DispatcherEvent::Release(conversation)).await;
        }
        Ok(dispatcher)
    }

    async fn run(&mut self, when_idle: WhenIdle, stop: &CancellationToken) -> Result<DispatcherEnd> {
        let mut version = self.room.endpoint_directory().version();
        let (mut idle_since, mut renewed) = (Instant::now(), Some(Instant::now()));
        loop {
            self.apply_recorder_events().await;
            let started = self.start_attempts().await?;
            let is_waiting = self.waiting.is_some();
            let is_busy = started || is_waiting || !self.in_flight.is_empty() || self.progress.unrecorded() > 0;
            if is_busy {
                idle_since = Instant::now();
            }
            let wake_at = self.wakes_at();
            if !is_busy && (when_idle == WhenIdle::End || (wake_at.is_none() && idle_since.elapsed() > LINGER)) {
                return Ok(DispatcherEnd::Idle);
            }
            let pause = self.pause(wake_at);
            let woken = tokio::select! {
                biased;
                () = stop.cancelled() => Woken::Stopped,
                Some(done) = self.in_flight.join_next() => done.map_or(Woken::AttemptPanicked, Woken::AttemptEnded),
                permit = permitted(&mut self.waiting), if is_waiting => Woken::Permitted(permit),
                () = self.progress.changed() => Woken::Other,
                _ = self.log_end.changed() => Woken::Other,
                Ok(()) = version.changed() => Woken::DirectoryChanged,
                () = tokio::time::sleep(pause) => Woken::Other,
            };
            match woken {
                Woken::Stopped => return Ok(DispatcherEnd::Stopped),
                Woken::AttemptEnded(attempt) => self.attempt_ended(attempt).await,
                // The event has no outcome. When the lease is given up, the next holder reads the event from the log
                // again.
                Woken::AttemptPanicked => return Ok(DispatcherEnd::NotHolder),
                Woken::Permitted(permit) => {
                    self.waiting = None;
                    self.permit = Some(permit);
                }
                Woken::DirectoryChanged => renewed = None,
                Woken::Other => {}
            }
            if renewed.is_none_or(|at| at.elapsed() >= RENEW_EVERY) {
                renewed = Some(Instant::now());
                if !self.renew_lease().await? {
                    return Ok(DispatcherEnd::NotHolder);
                }
                self.refresh_next_due().await?;
            }
        }
    }

    /// Waits for the attempts in flight and until the recorder has stored their outcomes, then stores the position and
    /// releases the lease.
    async fn finish(mut self) -> Result<()> {
        self.stop_waiting();
        while let Some(attempt) = self.in_flight.join_next().await {
            if let Ok(attempt) = attempt {
                self.attempt_ended(attempt).await;
            }
        }
        while self.progress.unrecorded() > 0 {
            self.progress.changed().await;
        }
        let input = (self.key, self.room.node_name().to_owned(), self.progress.position());
        let release = self.room.db().write(input, |tx, (key, node, position)| {
            Box::pin(dispatch_state::release(tx, key.tenant, key.webhook, node, *position))
        });
        Ok(release.await?)
    }

    async fn apply_recorder_events(&mut self) {
        for event in self.progress.take_recorder_events() {
            match event {
                RecorderEvent::Recorded(id) => drop(self.retrying.remove(&id)),
                RecorderEvent::Due(at) => self.next_due = Timestamp::earlier(self.next_due, Some(at)),
                RecorderEvent::Done(conversation) => self.ready.extend(self.order.done(conversation)),
                RecorderEvent::Failed(conversation) => {
                    for event in self.order.failed(conversation) {
                        self.queued_bytes = self.queued_bytes.saturating_sub(event.bytes());
                        self.request_hold(&event).await;
                    }
                }
                RecorderEvent::HoldStored(conversation) => self.order.hold_stored(conversation),
                RecorderEvent::Freed(conversation) => {
                    if !self.order.freed(conversation) {
                        self.report(DispatcherEvent::Release(conversation)).await;
                    }
                }
            }
        }
    }

    /// Starts as many attempts as the breaker, the limits and the budget for connections allow. Returns whether it
    /// started any.
    async fn start_attempts(&mut self) -> Result<bool> {
        let mut started = false;
        loop {
            let now = self.room.now();
            let room = self.breaker.allows(now, self.in_flight.len(), self.max_in_flight());
            if room == 0 || self.rate_allows_at() > Some(now) {
                self.stop_waiting();
                return Ok(started);
            }
            let Some(permit) = self.take_permit(now) else { return Ok(started) };
            let Some(attempt) = self.next_attempt(now).await? else { return Ok(started) };
            if let Some(bucket) = self.endpoint.max_per_second.map(Bucket::evenly) {
                self.rate_full_at = Some(bucket.after(self.rate_full_at.unwrap_or(bucket.low(now)), now));
            }
            self.start(attempt, permit);
            started = true;
        }
    }

    /// A permit for the next attempt. Without one, the dispatcher begins to wait for it if there may be something to
    /// attempt.
    fn take_permit(&mut self, now: Timestamp) -> Option<Permit> {
        if let Some(permit) = self.permit.take() {
            return Some(permit);
        }
        if self.waiting.is_some() {
            return None;
        }
        let permit = self.share.try_take();
        if permit.is_none() && self.wakes_at().is_some_and(|at| at <= now) {
            self.waiting = Some(self.share.wait());
        }
        permit
    }

    fn stop_waiting(&mut self) {
        self.waiting = None;
        self.permit = None;
    }

    /// When the endpoint's own rate allows the next attempt. Attempts start at even intervals; those that were missed
    /// within the last second are made up for.
    fn rate_allows_at(&self) -> Option<Timestamp> {
        Some(Bucket::evenly(self.endpoint.max_per_second?).gives_at(self.rate_full_at?))
    }

    fn max_in_flight(&self) -> usize {
        let own = self.endpoint.max_in_flight.and_then(|most| usize::try_from(most).ok());
        own.unwrap_or(self.room.webhook_policy().in_flight).max(1)
    }

    async fn request_hold(&self, event: &Event) {
        self.report(DispatcherEvent::Hold(DeliveryRef::new(event, self.recovery))).await;
    }

    fn start(&mut self, attempt: PendingAttempt, mut permit: Permit) {
        permit.weigh(attempt.bytes());
        let transport = Arc::clone(&self.room.webhook_policy().transport);
        let endpoint = Arc::clone(&self.endpoint);
        let file_address = self.room.file_address(self.endpoint.tenant);
        let attempt = attempt.run(transport, endpoint, self.room.clock().clone(), file_address);
        self.in_flight.spawn(async move {
            let ended = attempt.await;
            let is_answered = ended.outcome.status.is_some();
            permit.judge(if is_answered { Reputation::Answers } else { Reputation::Unproven });
            ended
        });
    }

    async fn attempt_ended(&mut self, attempt: EndedAttempt) {
        let now = self.room.now();
        match &attempt.outcome.verdict {
            Verdict::Delivered => self.breaker.succeeded(),
            Verdict::Failed { .. } => {
                self.breaker.failed(now);
                if let Some(until) = attempt.outcome.paused_until() {
                    self.breaker.pause_until(until);
                }
            }
            // The recorder disables the endpoint. The pause keeps the dispatcher from starting more attempts until it
            // gets the change, unless one in flight succeeds.
            Verdict::Gone => self.breaker.pause_until(now.plus_seconds(LEASE_SECONDS)),
        }
        self.report(DispatcherEvent::Attempted(Box::new(attempt))).await;
    }

    async fn report(&self, event: DispatcherEvent) {
        let report =
            DispatchReport { progress: Arc::clone(&self.progress), endpoint: Arc::clone(&self.endpoint), event };
        self.progress.reported();
        // The receiver is never dropped: the endpoint directory owns it.
        let _ = self.room.endpoint_directory().reports.send(report).await;
    }

    /// Renews the lease and loads the present settings of the endpoint. False when the dispatcher must end: the
    /// endpoint is no longer enabled, another node owns it, ordered delivery was switched on or off, or the lease is
    /// lost.
    async fn renew_lease(&mut self) -> Result<bool> {
        let Some(endpoint) = self.room.endpoint_directory().endpoint(self.key) else { return Ok(false) };
        if !self.room.webhooks().is_owner(self.key.webhook) || endpoint.ordered != self.endpoint.ordered {
            return Ok(false);
        }
        self.endpoint = endpoint;
        let input = (self.key, self.room.node_name().to_owned(), self.room.now());
        let renew = self.room.db().write(input, |tx, (key, node, now)| {
            Box::pin(dispatch_state::renew(tx, key.tenant, key.webhook, node, now.plus_seconds(LEASE_SECONDS)))
        });
        Ok(renew.await?)
    }

    /// The time at which the next attempt may start, as the breaker and the rate limit allow; none if there are neither
    /// new events nor retries.
    fn wakes_at(&self) -> Option<Timestamp> {
        let has_new = !self.ready.is_empty() || self.read_to < *self.log_end.borrow();
        let next = if has_new || !self.retries.is_empty() { Some(self.room.now()) } else { self.next_due };
        let limits = self.breaker.paused_until().max(self.rate_allows_at());
        next.map(|next| next.max(limits.unwrap_or(next)))
    }

    fn pause(&self, wake_at: Option<Timestamp>) -> Duration {
        let until = wake_at.map_or(i64::MAX, |at| at.micros().saturating_sub(self.room.now().micros()).max(0));
        // While requests are in flight, the end of one starts the next, and so does a permit that is waited for: the
        // pause only makes sure that the lease is renewed.
        let is_woken = !self.in_flight.is_empty() || self.waiting.is_some();
        let until = if until == 0 && is_woken { i64::MAX } else { until };
        Duration::from_micros(u64::try_from(until).unwrap_or(0)).clamp(Duration::from_millis(1), RENEW_EVERY)
    }
}

/// The permit that is waited for; never, if none is.
async fn permitted(waiting: &mut Option<WaitingPermit>) -> Permit {
    match waiting {
        Some(waiting) => waiting.await,
        None => std::future::pending().await,
    }
}
