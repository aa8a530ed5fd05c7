//! How often a tenant may call and how much in a month: decides for each request, before it does anything.
//!
//! One process on SQLite counts rates in memory. Nodes that share PostgreSQL take small limits one by one from it, and
//! lease shares of larger ones ahead of their use. Usage is always leased ahead, so that a crash can only count too
//! much, never too little. No lock is held while the database is asked.

mod bucket;
mod buckets;
mod meter;
mod policy;
mod refill;
mod terms;
mod upkeep;
mod window;

use std::sync::Arc;

use domain::plans::{Family, Plan};
use domain::{Clock, TenantId, Timestamp, TokenId};
use parking_lot::MutexGuard;
use store::limits::NotTaken;
use store::{Db, Engine};

use bucket::{Bucket, Room, State};
use buckets::Buckets;
use meter::Meter;
use policy::MOST;
pub use policy::{Granted, Kind, Policies, Policy, Refused};
use refill::Refills;
use terms::{Mode, Terms};
use upkeep::Node;
use window::Window;

/// A request that wants to be counted.
#[derive(Debug, Clone, Copy)]
pub struct Ask<'a> {
    pub tenant: TenantId,
    pub plan: &'a Plan,
    pub family: Family,
    /// The token it came with, if that has a limit of its own (per window).
    pub token: Option<(TokenId, i64)>,
    /// Whether it counts towards the month.
    pub counted: bool,
}

#[derive(Debug, thiserror::Error)]
pub enum LimitError {
    #[error("a limit is used up")]
    Refused(Refused),
    /// The month's usage cannot be known: the database is away for longer than can be bridged.
    #[error(transparent)]
    Store(#[from] store::Error),
}

/// Cheap to clone; one for each process.
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
struct Applied {
    bucket: Arc<Bucket>,
    terms: Terms,
}

type AppliedAll = [Option<Applied>; MOST];

/// What was taken locally, and of which windows.
#[derive(Debug, Default)]
struct Taken {
    policies: Policies,
    windows: [Option<Window>; MOST],
}

#[derive(Debug)]
enum Attempt {
    Taken(Taken),
    Refused(Refused),
    /// The limit at this place needs a lease first.
    Short(usize),
    Unknown,
}

impl Limiter {
    pub fn new(db: Db, clock: Clock) -> Self {
        let refills = Refills::new(db.clone(), clock.clone());
        let node = Node::new(&clock);
        Self(Arc::new(Inner { db, clock, buckets: Buckets::default(), refills, node }))
    }

    /// Takes one of every limit that applies, or of none.
    pub async fn take(&self, ask: Ask<'_>) -> Result<Granted, LimitError> {
        let limits = ask.limits();
        if limits.iter().all(Option::is_none) {
            return Ok(Granted::default());
        }
        let applied = self.applied(ask.tenant, limits);
        loop {
            let now = self.0.clock.now();
            match self.attempt(&applied, now) {
                Attempt::Taken(taken) => return self.take_exact(&applied, taken, now).await,
                Attempt::Refused(refused) => return Err(LimitError::Refused(refused)),
                Attempt::Unknown => return Err(store::Error::Unavailable("usage cannot be leased".to_owned()).into()),
                Attempt::Short(place) => {
                    if let Some(Some(short)) = applied.get(place) {
                        self.0.refills.fill(&short.bucket).await;
                    }
                }
            }
        }
    }

    fn applied(&self, tenant: TenantId, limits: [Option<(Meter, i64)>; MOST]) -> AppliedAll {
        let (engine, nodes, now) = (self.0.db.engine(), self.0.node.live(), self.0.clock.now());
        limits.map(|limit| {
            let (meter, limit) = limit?;
            let terms = terms_of(meter, limit, engine, nodes);
            Some(Applied { bucket: self.0.buckets.get(tenant, meter, terms, now), terms })
        })
    }

    /// All limits are locked together, always in the same order: either all have room, or none is touched.
    fn attempt(&self, applied: &AppliedAll, now: Timestamp) -> Attempt {
        let mut states = applied.each_ref().map(|one| one.as_ref().map(|one| one.enter(now)));
        for (place, state) in states.iter().enumerate() {
            match state.as_ref().map_or(Room::Free, |state| state.room(now)) {
                Room::Free => {}
                Room::Short => return Attempt::Short(place),
                Room::Full => return Attempt::Refused(Refused::by(place, policies(applied, &states, now))),
                Room::Unknown => return Attempt::Unknown,
            }
        }
        for (state, one) in states.iter_mut().flatten().zip(applied.iter().flatten()) {
            state.take();
            if state.runs_low(now) {
                self.0.refills.ask(&one.bucket);
            }
        }
        let windows = states.each_ref().map(|state| state.as_ref().map(|state| state.window));
        Attempt::Taken(Taken { policies: policies(applied, &states, now), windows })
    }

    /// Asks the database for the limits that are shared exactly, all of them or none.
    async fn take_exact(&self, applied: &AppliedAll, taken: Taken, now: Timestamp) -> Result<Granted, LimitError> {
        let exact = |one: &Applied| one.terms.mode == Mode::Exact && !one.bucket.lock().in_outage(now);
        let places: Vec<usize> = (0..MOST).filter(|&place| applied[place].as_ref().is_some_and(exact)).collect();
        if places.is_empty() {
            return Ok(Granted { policies: taken.policies });
        }
        let wants = places.iter().filter_map(|&place| {
            let (one, window) = (applied[place].as_ref()?, taken.windows[place]?);
            Some(one.bucket.want(window, 1, one.terms.limit))
        });
        let answer = self.0.refills.in_time(store::limits::take_all(&self.0.db, wants.collect())).await;
        match answer {
            Ok(used) => Ok(learned(applied, &taken, &places, &used)),
            Err(NotTaken::Full(index)) => {
                let place = places.get(index).copied().unwrap_or_default();
                Err(LimitError::Refused(untaken(applied, &taken, place)))
            }
            Err(NotTaken::Store(error)) => {
                self.0.refills.say(&error, now);
                for one in places.iter().filter_map(|&place| applied[place].as_ref()) {
                    one.bucket.lock().lose_database(now);
                }
                Ok(Granted { policies: taken.policies })
            }
        }
    }
}

impl Ask<'_> {
    fn limits(&self) -> [Option<(Meter, i64)>; MOST] {
        let signed = |limit: u64| i64::try_from(limit).unwrap_or(i64::MAX);
        let family = self.plan.rates.get(&self.family).map(|&limit| (Meter::Family(self.family), signed(limit)));
        let token = self.token.map(|(id, limit)| (Meter::Token(id), limit));
        let usage = self.plan.monthly_calls.filter(|_| self.counted).map(|limit| (Meter::Usage, signed(limit)));
        [family, token, usage]
    }
}

impl Applied {
    fn enter(&self, now: Timestamp) -> MutexGuard<'_, State> {
        let mut state = self.bucket.lock();
        state.enter(self.bucket.meter.window(now), self.terms);
        state
    }
}

fn terms_of(meter: Meter, limit: i64, engine: Engine, nodes: i64) -> Terms {
    match meter.kind() {
        Kind::Rate => Terms::rate(engine, limit, nodes),
        Kind::Usage => Terms::usage(limit),
    }
}

fn policies(applied: &AppliedAll, states: &[Option<MutexGuard<'_, State>>; MOST], now: Timestamp) -> Policies {
    let mut policies = Policies::default();
    for ((policy, one), state) in policies.0.iter_mut().zip(applied).zip(states) {
        if let (Some(one), Some(state)) = (one, state) {
            *policy = Some(one.bucket.meter.policy(one.terms.limit, state.remaining(), state.window, now));
        }
    }
    policies
}

fn learned(applied: &AppliedAll, taken: &Taken, places: &[usize], used: &[i64]) -> Granted {
    let mut policies = taken.policies;
    for (&place, &used) in places.iter().zip(used) {
        if let (Some(one), Some(window)) = (&applied[place], taken.windows[place]) {
            one.bucket.lock().learn(window, used);
            if let Some(policy) = &mut policies.0[place] {
                policy.remaining = (one.terms.limit - used).max(0);
            }
        }
    }
    Granted { policies }
}

/// The database refused at this place: what was taken of the other limits goes back.
fn untaken(applied: &AppliedAll, taken: &Taken, full: usize) -> Refused {
    let mut policies = taken.policies;
    for (place, one) in applied.iter().enumerate() {
        let (Some(one), Some(window)) = (one, taken.windows[place]) else { continue };
        let mut state = one.bucket.lock();
        state.untake(window);
        if place == full {
            state.learn(window, one.terms.limit);
        }
        if let Some(policy) = &mut policies.0[place] {
            policy.remaining = state.remaining().clamp(0, policy.quota);
        }
    }
    Refused::by(full, policies)
}
