//! Rate limits and monthly usage of a tenant. The limiter decides for each request before the operation runs.
//!
//! - SQLite: the one process counts rates in memory.
//! - PostgreSQL: a rate limit under 100 is taken one by one from the database and is exact. Of a larger limit each node
//!   leases a share ahead of its use (`terms.rs`); all nodes together exceed the limit by at most a tenth while the
//!   database can be reached and each node knows how many nodes there are.
//! - Usage is leased before it is used, on both engines, while the database can be reached.
//!
//! A request that is refused takes from none of its limits. No lock is held during a call of the database. A node that
//! crashes loses its unused shares: usage is then counted too high. While the database cannot be reached, a rate limit
//! on PostgreSQL lets requests pass unless it is known to be used up, and usage may run a hundredth of its limit ahead
//! of its leases on each node; a crash before that debt is leased counts usage too low.
//!
//! `bucket.rs` is the arithmetic of one limit, `refill.rs` leases shares, `upkeep.rs` is the background work.

mod bucket;
mod buckets;
mod meter;
mod node;
mod policy;
mod refill;
mod terms;
mod upkeep;
mod window;

use std::sync::Arc;
use std::time::Duration;

use domain::identity::plans::{Family, Plan, SESSION_RATE_FACTOR};
use domain::{AccountId, Clock, TenantId, Timestamp, TokenId};
use parking_lot::MutexGuard;
use store::platform::limits::NotTaken;
use store::{Db, Engine};

use bucket::{Availability, Bucket, BucketState};
use buckets::Buckets;
use meter::Meter;
use node::Node;
use policy::MAX_LIMITS;
pub use policy::{Granted, LimitExceeded, LimitKind, Policies, Policy};
use refill::Refills;
use terms::{Mode, Terms};
use window::Window;

/// A request to be counted against its limits.
#[derive(Debug, Clone, Copy)]
pub struct LimitRequest<'a> {
    pub tenant: TenantId,
    pub plan: &'a Plan,
    pub family: Family,
    /// The account, if the request comes from a session of the console. Its rate has a window of its own
    /// (`SESSION_RATE_FACTOR`): people do not wait for programs, and programs not for people.
    pub session: Option<AccountId>,
    /// The token and how many requests it may make in a rate window, if the token has a limit of its own.
    pub token: Option<(TokenId, i64)>,
    /// Whether the request counts towards the month's usage.
    pub counted: bool,
}

#[derive(Debug, thiserror::Error)]
pub enum LimitError {
    #[error("a limit is used up")]
    Exceeded(LimitExceeded),
    /// The month's usage is unknown: the database cannot be reached, and the debt that is allowed meanwhile is used up.
    #[error(transparent)]
    Store(#[from] store::Error),
}

/// The limiter of a process. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Limiter(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    db: Db,
    clock: Clock,
    buckets: Buckets,
    refills: Arc<Refills>,
    node: Node,
}

/// One limit that applies to a request.
#[derive(Debug)]
struct AppliedLimit {
    bucket: Arc<Bucket>,
    terms: Terms,
}

type AppliedLimits = [Option<AppliedLimit>; MAX_LIMITS];

/// What this node took without asking the database, and from which windows.
#[derive(Debug, Default)]
struct TakenLocally {
    policies: Policies,
    windows: [Option<Window>; MAX_LIMITS],
}

#[derive(Debug)]
enum LocalTake {
    Taken(TakenLocally),
    Exceeded(LimitExceeded),
    /// The limit at this index needs a lease first.
    NeedsLease(usize),
    Unknown,
}

#[boxed::futures]
impl Limiter {
    pub fn new(db: Db, clock: Clock) -> Self {
        Self::with_timeout(db, clock, refill::DATABASE_TIMEOUT)
    }

    /// With another limit on how long the database may take before it counts as unreachable.
    pub fn with_timeout(db: Db, clock: Clock, timeout: Duration) -> Self {
        let refills = Refills::new(db.clone(), clock.clone(), timeout);
        let node = Node::new(&clock);
        Self(Arc::new(Inner { db, clock, buckets: Buckets::default(), refills, node }))
    }

    /// The counted calls of a tenant in the present month, including shares that nodes have leased and not used.
    pub async fn calls_of_month(&self, tenant: TenantId, now: Timestamp) -> store::Result<i64> {
        let window = Meter::Usage.window(now);
        store::platform::limits::used(&self.0.db, tenant, &Meter::Usage.bucket(), window.start).await
    }

    /// Takes one from each limit that applies, or refuses and takes from none.
    pub async fn take(&self, request: LimitRequest<'_>) -> Result<Granted, LimitError> {
        let limits = request.limits();
        if limits.iter().all(Option::is_none) {
            return Ok(Granted::default());
        }
        let applied = self.applied(request.tenant, limits);
        loop {
            let now = self.0.clock.now();
            match self.take_locally(&applied, now) {
                LocalTake::Taken(taken) => return self.take_exact(&applied, taken, now).await,
                LocalTake::Exceeded(refused) => return Err(LimitError::Exceeded(refused)),
                LocalTake::Unknown => return Err(store::Error::Unavailable("usage cannot be leased".to_owned()).into()),
                LocalTake::NeedsLease(index) => {
                    if let Some(Some(short)) = applied.get(index) {
                        self.0.refills.lease_now(&short.bucket).await;
                    }
                }
            }
        }
    }

    fn applied(&self, tenant: TenantId, limits: [Option<(Meter, i64)>; MAX_LIMITS]) -> AppliedLimits {
        let (engine, nodes, now) = (self.0.db.engine(), self.0.node.live(), self.0.clock.now());
        limits.map(|limit| {
            let (meter, limit) = limit?;
            let terms = terms_of(meter, limit, engine, nodes);
            Some(AppliedLimit { bucket: self.0.buckets.get(tenant, meter, terms, now), terms })
        })
    }

    /// Takes from all limits in memory, or from none: holds their locks together. The order of locking is always the
    /// same, so two requests cannot deadlock.
    fn take_locally(&self, applied: &AppliedLimits, now: Timestamp) -> LocalTake {
        let mut states = applied.each_ref().map(|one| one.as_ref().map(|one| one.enter(now)));
        for (index, state) in states.iter().enumerate() {
            match state.as_ref().map_or(Availability::Available, |state| state.availability(now)) {
                Availability::Available => {}
                Availability::NeedsLease => return LocalTake::NeedsLease(index),
                Availability::Exhausted => {
                    return LocalTake::Exceeded(LimitExceeded::by(index, policies(applied, &states, now)));
                }
                Availability::Unknown => return LocalTake::Unknown,
            }
        }
        for (state, one) in states.iter_mut().flatten().zip(applied.iter().flatten()) {
            state.take();
            if state.runs_low(now) {
                self.0.refills.request(&one.bucket);
            }
        }
        let windows = states.each_ref().map(|state| state.as_ref().map(|state| state.window));
        LocalTake::Taken(TakenLocally { policies: policies(applied, &states, now), windows })
    }

    /// Takes the exact limits from the database, all of them or none. When the database fails, the request passes
    /// without them.
    async fn take_exact(
        &self,
        applied: &AppliedLimits,
        taken: TakenLocally,
        now: Timestamp,
    ) -> Result<Granted, LimitError> {
        let exact = |one: &AppliedLimit| one.terms.mode == Mode::Exact && !one.bucket.lock().in_outage(now);
        let indexes: Vec<usize> = (0..MAX_LIMITS).filter(|&index| applied[index].as_ref().is_some_and(exact)).collect();
        if indexes.is_empty() {
            return Ok(Granted { policies: taken.policies });
        }
        let demands = indexes.iter().filter_map(|&index| {
            let (one, window) = (applied[index].as_ref()?, taken.windows[index]?);
            Some(one.bucket.demand(window, 1, one.terms.limit))
        });
        let answer = self.0.refills.in_time(store::platform::limits::take_all(&self.0.db, demands.collect())).await;
        match answer {
            Ok(used) => Ok(apply_used(applied, &taken, &indexes, &used)),
            Err(NotTaken::Full(demand)) => {
                let index = indexes.get(demand).copied().unwrap_or_default();
                Err(LimitError::Exceeded(give_back_taken(applied, &taken, index)))
            }
            Err(NotTaken::Store(error)) => {
                self.0.refills.warn_outage(&error, now);
                for one in indexes.iter().filter_map(|&index| applied[index].as_ref()) {
                    one.bucket.lock().database_failed(now);
                }
                Ok(Granted { policies: taken.policies })
            }
        }
    }
}

impl LimitRequest<'_> {
    fn limits(&self) -> [Option<(Meter, i64)>; MAX_LIMITS] {
        let signed = |limit: u64| i64::try_from(limit).unwrap_or(i64::MAX);
        let family = self.plan.rates.get(&self.family).map(|&limit| match self.session {
            Some(account) => (Meter::Session(account, self.family), signed(limit.saturating_mul(SESSION_RATE_FACTOR))),
            None => (Meter::Family(self.family), signed(limit)),
        });
        let token = self.token.map(|(id, limit)| (Meter::Token(id), limit));
        let usage = self.plan.monthly_calls.filter(|_| self.counted).map(|limit| (Meter::Usage, signed(limit)));
        [family, token, usage]
    }
}

impl AppliedLimit {
    fn enter(&self, now: Timestamp) -> MutexGuard<'_, BucketState> {
        let mut state = self.bucket.lock();
        state.enter(self.bucket.meter.window(now), self.terms);
        state
    }
}

fn terms_of(meter: Meter, limit: i64, engine: Engine, nodes: i64) -> Terms {
    match meter.kind() {
        LimitKind::Rate => Terms::rate(engine, limit, nodes),
        LimitKind::Usage => Terms::usage(limit),
    }
}

fn policies(
    applied: &AppliedLimits,
    states: &[Option<MutexGuard<'_, BucketState>>; MAX_LIMITS],
    now: Timestamp,
) -> Policies {
    let mut policies = Policies::default();
    for ((policy, one), state) in policies.0.iter_mut().zip(applied).zip(states) {
        if let (Some(one), Some(state)) = (one, state) {
            *policy = Some(one.bucket.meter.policy(one.terms.limit, state.remaining(), state.window, now));
        }
    }
    policies
}

fn apply_used(applied: &AppliedLimits, taken: &TakenLocally, indexes: &[usize], used: &[i64]) -> Granted {
    let mut policies = taken.policies;
    for (&index, &used) in indexes.iter().zip(used) {
        if let (Some(one), Some(window)) = (&applied[index], taken.windows[index]) {
            one.bucket.lock().set_used(window, used);
            if let Some(policy) = &mut policies.0[index] {
                policy.remaining = (one.terms.limit - used).max(0);
            }
        }
    }
    Granted { policies }
}

/// Gives back what was taken from all limits, after the database refused the limit at index `full`.
fn give_back_taken(applied: &AppliedLimits, taken: &TakenLocally, full: usize) -> LimitExceeded {
    let mut policies = taken.policies;
    for (index, one) in applied.iter().enumerate() {
        let (Some(one), Some(window)) = (one, taken.windows[index]) else { continue };
        let mut state = one.bucket.lock();
        state.undo_take(window);
        if index == full {
            state.set_used(window, one.terms.limit);
        }
        if let Some(policy) = &mut policies.0[index] {
            policy.remaining = state.remaining().clamp(0, policy.quota);
        }
    }
    LimitExceeded::by(full, policies)
}
