//! Who uses how many connections, and who waits for one. Nothing here waits: `budget.rs` does.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use domain::TenantId;
use tokio::sync::oneshot;

use super::limits::Limits;

/// An endpoint may have this many times as many deliveries in flight as are left of its tenant's.
const GREED: usize = 2;

/// Who uses a connection. Each has a part of the budget, so that none delays another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Share {
    Tenant(TenantId),
    /// Mails of all tenants and of the installation, to its one mail server.
    Mail,
    /// Fetched keys of those issuers of tokens that belong to several tenants.
    Issuers,
}

impl From<TenantId> for Share {
    fn from(tenant: TenantId) -> Self {
        Self::Tenant(tenant)
    }
}

/// What a connection is used for.
#[derive(Debug, Clone)]
pub(super) enum Purpose {
    Call,
    Delivery(Arc<EndpointUse>),
}

/// Whether an endpoint has answered its last request, with any status.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reputation {
    Answers,
    Unproven,
}

/// What the budget knows about an endpoint.
#[derive(Debug)]
pub(super) struct EndpointUse {
    held: AtomicUsize,
    answers: AtomicBool,
}

impl EndpointUse {
    pub fn new(reputation: Reputation) -> Self {
        Self { held: AtomicUsize::new(0), answers: AtomicBool::new(reputation == Reputation::Answers) }
    }

    pub fn set(&self, reputation: Reputation) {
        self.answers.store(reputation == Reputation::Answers, Ordering::Relaxed);
    }

    fn answers(&self) -> bool {
        self.answers.load(Ordering::Relaxed)
    }

    fn held(&self) -> usize {
        self.held.load(Ordering::Relaxed)
    }
}

/// A connection in use, as it is counted. It must be given back with `State::release`.
#[derive(Debug)]
pub(super) struct Claim {
    share: Share,
    purpose: Purpose,
    is_unproven: bool,
    units: usize,
}

impl Claim {
    pub fn endpoint(&self) -> Option<&EndpointUse> {
        match &self.purpose {
            Purpose::Call => None,
            Purpose::Delivery(endpoint) => Some(endpoint),
        }
    }

    pub const fn units(&self) -> usize {
        self.units
    }
}

/// A claim for a caller that waited for it.
pub(super) type Granted = (oneshot::Sender<Claim>, Claim);

#[derive(Debug, Default, Clone, Copy)]
struct Used {
    all: usize,
    deliveries: usize,
    unproven: usize,
}

#[derive(Debug, Default)]
struct ShareState {
    used: Used,
    calls: VecDeque<Waiter>,
    deliveries: Vec<Waiter>,
}

impl ShareState {
    fn is_idle(&self) -> bool {
        self.used.all == 0 && self.calls.is_empty() && self.deliveries.is_empty()
    }
}

#[derive(Debug)]
pub(super) struct Waiter {
    /// Rises with time.
    id: u64,
    purpose: Purpose,
    granted: oneshot::Sender<Claim>,
}

impl Waiter {
    fn held(&self) -> usize {
        match &self.purpose {
            Purpose::Call => 0,
            Purpose::Delivery(endpoint) => endpoint.held(),
        }
    }
}

#[derive(Debug)]
pub(super) struct State {
    limits: Limits,
    used: Used,
    /// Those that use a connection or wait for one.
    shares: HashMap<Share, ShareState>,
    waiting: usize,
    /// How many callers have had to wait so far.
    waits: u64,
}

impl State {
    pub fn new(limits: Limits) -> Self {
        Self { limits, used: Used::default(), shares: HashMap::new(), waiting: 0, waits: 0 }
    }

    pub const fn in_use(&self) -> usize {
        self.used.all
    }

    pub const fn waits(&self) -> u64 {
        self.waits
    }

    pub fn waiting_calls(&self, share: Share) -> usize {
        self.shares.get(&share).map_or(0, |state| state.calls.len())
    }

    pub fn take(&mut self, share: Share, purpose: &Purpose) -> Option<Claim> {
        let used = self.shares.get(&share).map(|state| state.used).unwrap_or_default();
        self.allows(used, purpose).then(|| self.claim(share, purpose.clone()))
    }

    /// Adds a caller to those that wait. Returns its id and what it gets when it is its turn.
    pub fn wait(&mut self, share: Share, purpose: Purpose) -> (u64, oneshot::Receiver<Claim>) {
        let (granted, claim) = oneshot::channel();
        self.waits += 1;
        self.waiting += 1;
        let id = self.waits;
        let state = self.shares.entry(share).or_default();
        match purpose {
            Purpose::Call => state.calls.push_back(Waiter { id, purpose, granted }),
            Purpose::Delivery(_) => state.deliveries.push(Waiter { id, purpose, granted }),
        }
        (id, claim)
    }

    /// Removes a caller from those that wait; none if it does not wait.
    pub fn forget(&mut self, share: Share, id: u64) -> Option<Waiter> {
        let state = self.shares.get_mut(&share)?;
        let waiter = if let Some(place) = state.calls.iter().position(|waiter| waiter.id == id) {
            state.calls.remove(place)?
        } else {
            let place = state.deliveries.iter().position(|waiter| waiter.id == id)?;
            state.deliveries.remove(place)
        };
        self.waiting -= 1;
        self.drop_idle(share);
        Some(waiter)
    }

    /// Counts more units of a claim, also beyond the limits: then nothing else is allowed until enough is released.
    pub fn add(&mut self, claim: &mut Claim, units: usize) {
        claim.units += units;
        let state = self.shares.entry(claim.share).or_default();
        for used in [&mut self.used, &mut state.used] {
            used.all += units;
            if claim.endpoint().is_some() {
                used.deliveries += units;
                used.unproven += if claim.is_unproven { units } else { 0 };
            }
        }
        if let Some(endpoint) = claim.endpoint() {
            endpoint.held.fetch_add(units, Ordering::Relaxed);
        }
    }

    /// Ends a claim. Returns the claims of those whose turn it is now.
    pub fn release(&mut self, claim: &Claim) -> Vec<Granted> {
        let units = claim.units;
        let state = self.shares.entry(claim.share).or_default();
        for used in [&mut self.used, &mut state.used] {
            used.all = used.all.saturating_sub(units);
            if claim.endpoint().is_some() {
                used.deliveries = used.deliveries.saturating_sub(units);
                used.unproven = used.unproven.saturating_sub(if claim.is_unproven { units } else { 0 });
            }
        }
        if let Some(endpoint) = claim.endpoint() {
            endpoint.held.fetch_sub(units, Ordering::Relaxed);
        }
        self.drop_idle(claim.share);
        let mut granted = Vec::new();
        while self.waiting > 0
            && let Some((share, id)) = self.next_turn()
            && let Some(Waiter { purpose, granted: waiter, .. }) = self.forget(share, id)
        {
            granted.push((waiter, self.claim(share, purpose)));
        }
        granted
    }

    fn allows(&self, used: Used, purpose: &Purpose) -> bool {
        let limits = &self.limits;
        let free = limits.all.saturating_sub(self.used.all);
        if used.all >= limits.tenant.min(free) {
            return false;
        }
        let Purpose::Delivery(endpoint) = purpose else { return true };
        let left = limits.tenant_deliveries.saturating_sub(used.deliveries);
        let left_unproven = limits.tenant_unproven.saturating_sub(used.unproven);
        let left = if endpoint.answers() { left } else { left.min(left_unproven) };
        let left_in_all = limits.deliveries.saturating_sub(self.used.deliveries);
        endpoint.held() < GREED * left && used.deliveries < left_in_all
    }

    fn claim(&mut self, share: Share, purpose: Purpose) -> Claim {
        let is_unproven = matches!(&purpose, Purpose::Delivery(endpoint) if !endpoint.answers());
        let mut claim = Claim { share, purpose, is_unproven, units: 0 };
        self.add(&mut claim, 1);
        claim
    }

    /// The caller whose turn it is.
    fn next_turn(&self) -> Option<(Share, u64)> {
        if self.used.all >= self.limits.all {
            return None;
        }
        let turns =
            self.shares.iter().filter_map(|(share, state)| Some((*share, self.next_of(state)?, state.used.all)));
        turns.min_by_key(|(_, id, used)| (*used, *id)).map(|(share, id, _)| (share, id))
    }

    fn next_of(&self, state: &ShareState) -> Option<u64> {
        let may = |waiter: &&Waiter| self.allows(state.used, &waiter.purpose);
        let call = state.calls.front().filter(may);
        let delivery = state.deliveries.iter().filter(may).min_by_key(|waiter| (waiter.held(), waiter.id));
        call.into_iter().chain(delivery).map(|waiter| waiter.id).min()
    }

    fn drop_idle(&mut self, share: Share) {
        if self.shares.get(&share).is_some_and(ShareState::is_idle) {
            self.shares.remove(&share);
        }
    }
}
