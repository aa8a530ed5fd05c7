//! One limit of one tenant on this node: the arithmetic of what may be taken now. Calls no database and awaits nothing.

use std::sync::Arc;

use domain::{TenantId, Timestamp};
use parking_lot::{Mutex, MutexGuard};
use store::platform::limits::{Demand, Leased};
use tokio::sync::Notify;

use super::meter::Meter;
use super::terms::{Mode, Terms};
use super::window::Window;

/// Seconds without leases, and without takes from exact limits, after the database failed.
const OUTAGE_SECONDS: i64 = 5;
/// Seconds without leases of a month that is used up. A node that stops gives unused shares back, so there may be room
/// later.
const RECHECK_MONTH_SECONDS: i64 = 10;

#[derive(Debug)]
pub(super) struct Bucket {
    pub(super) tenant: TenantId,
    pub(super) meter: Meter,
    state: Mutex<BucketState>,
    /// Notified when a lease has ended, also when it failed.
    pub(super) filled: Notify,
}

#[derive(Debug)]
pub(super) struct BucketState {
    pub(super) window: Window,
    terms: Terms,
    /// What all nodes have taken, including unused shares, as far as this node knows.
    used: i64,
    /// Leased and not used yet; negative is debt.
    unused: i64,
    exhausted: Option<Exhausted>,
    outage_until: Option<Timestamp>,
    lease_pending: bool,
    /// Whether the bucket waits in the queue of `Refills`.
    queued: bool,
}

/// The database granted less than was requested under `limit`. What was granted can still be used. No more is leased
/// before `until` (the window's end; for a month, a short pause), unless the limit is raised.
#[derive(Debug, Clone, Copy)]
struct Exhausted {
    limit: i64,
    until: Timestamp,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Availability {
    Available,
    /// More must be leased first.
    NeedsLease,
    Exhausted,
    /// Only for usage: a lease is needed, the database cannot be reached, and the debt that is allowed meanwhile is
    /// used up.
    Unknown,
}

/// The result of `begin_lease`.
#[derive(Debug)]
pub(super) enum LeaseStart {
    Begun(PendingLease),
    UnderWay,
    NotNeeded,
}

/// A lease that was begun. When it is dropped, tasks that wait for `Bucket::filled` are notified.
#[derive(Debug)]
pub(super) struct PendingLease {
    pub(super) bucket: Arc<Bucket>,
    window: Window,
    amount: i64,
    limit: i64,
}

impl Bucket {
    pub(super) fn new(tenant: TenantId, meter: Meter, terms: Terms, now: Timestamp) -> Self {
        let state = BucketState::new(meter.window(now), terms);
        Self { tenant, meter, state: Mutex::new(state), filled: Notify::new() }
    }

    /// Locks the state. A panic of a holder does not poison this lock, so one failed request does not stop all others
    /// of the limit.
    pub(super) fn lock(&self) -> MutexGuard<'_, BucketState> {
        self.state.lock()
    }

    pub(super) fn demand(&self, window: Window, amount: i64, limit: i64) -> Demand {
        Demand { tenant: self.tenant, bucket: self.meter.bucket(), window: window.start, amount, limit }
    }

    pub(super) fn begin_lease(self: &Arc<Self>, now: Timestamp) -> LeaseStart {
        let mut state = self.lock();
        state.queued = false;
        if state.lease_pending {
            return LeaseStart::UnderWay;
        }
        let amount = state.terms.share.saturating_sub(state.unused);
        if amount <= 0 || state.is_exhausted(now) || state.terms.mode != Mode::Leased {
            return LeaseStart::NotNeeded;
        }
        state.lease_pending = true;
        let (window, limit) = (state.window, state.terms.limit);
        LeaseStart::Begun(PendingLease { bucket: Arc::clone(self), window, amount, limit })
    }
}

impl PendingLease {
    pub(super) fn demand(&self) -> Demand {
        self.bucket.demand(self.window, self.amount, self.limit)
    }

    pub(super) fn finish(self, leased: Option<Leased>, now: Timestamp) {
        let mut state = self.bucket.lock();
        // A lease of a window that has passed is worth nothing.
        if state.window == self.window {
            let until = match self.bucket.meter {
                Meter::Usage => now.plus_seconds(RECHECK_MONTH_SECONDS),
                Meter::Family(_) | Meter::Session(..) | Meter::Token(_) => self.window.end,
            };
            state.receive(self.amount, leased, Exhausted { limit: self.limit, until });
        }
    }

    pub(super) fn fail(self, now: Timestamp) {
        self.bucket.lock().database_failed(now);
    }
}

impl Drop for PendingLease {
    fn drop(&mut self) {
        self.bucket.lock().lease_pending = false;
        self.bucket.filled.notify_waiters();
    }
}

impl BucketState {
    pub(super) const fn new(window: Window, terms: Terms) -> Self {
        Self {
            window,
            terms,
            used: 0,
            unused: 0,
            exhausted: None,
            outage_until: None,
            lease_pending: false,
            queued: false,
        }
    }

    /// Sets the terms, and moves to `window` with zero counts if it is later than the present one. After the clock was
    /// set back the bucket stays in its window.
    pub(super) fn enter(&mut self, window: Window, terms: Terms) {
        self.terms = terms;
        if window.start > self.window.start {
            self.window = window;
            (self.used, self.unused, self.exhausted) = (0, 0, None);
        }
    }

    pub(super) fn availability(&self, now: Timestamp) -> Availability {
        let free = match self.terms.mode {
            Mode::Counted | Mode::Exact => self.used < self.terms.limit,
            Mode::Leased => return self.leased_availability(now),
        };
        if free { Availability::Available } else { Availability::Exhausted }
    }

    fn leased_availability(&self, now: Timestamp) -> Availability {
        let may_owe = |most: i64| self.unused > most.saturating_neg();
        if self.unused > 0 {
            Availability::Available
        } else if self.terms.limit == 0 || self.is_exhausted(now) {
            Availability::Exhausted
        } else if may_owe(self.terms.debt) {
            Availability::Available
        } else if !self.in_outage(now) {
            Availability::NeedsLease
        } else if may_owe(self.terms.debt_in_outage) {
            Availability::Available
        } else {
            Availability::Unknown
        }
    }

    /// Takes one. The caller must have seen `Availability::Available`. An exact limit is taken in the database instead.
    pub(super) fn take(&mut self) {
        match self.terms.mode {
            Mode::Counted => self.used += 1,
            Mode::Leased => self.unused -= 1,
            Mode::Exact => {}
        }
    }

    pub(super) fn undo_take(&mut self, window: Window) {
        if self.window != window {
            return;
        }
        match self.terms.mode {
            Mode::Counted => self.used -= 1,
            Mode::Leased => self.unused += 1,
            Mode::Exact => {}
        }
    }

    /// Stores how much of an exact limit is used, as the database returned it.
    pub(super) fn set_used(&mut self, window: Window, used: i64) {
        if self.window == window {
            self.used = self.used.max(used);
        }
    }

    pub(super) fn remaining(&self) -> i64 {
        let unused = if self.terms.mode == Mode::Leased { self.unused } else { 0 };
        self.terms.limit - self.used + unused
    }

    /// Whether a lease should be requested for the background. If it returns true, it marks the bucket as queued, so
    /// that it returns false until that lease has ended.
    pub(super) fn runs_low(&mut self, now: Timestamp) -> bool {
        let low = self.terms.mode == Mode::Leased && self.terms.ahead && self.unused <= self.terms.share / 2;
        let requested = self.queued || self.lease_pending;
        if !low || requested || self.is_exhausted(now) || self.in_outage(now) {
            return false;
        }
        self.queued = true;
        true
    }

    fn receive(&mut self, wanted: i64, leased: Option<Leased>, exhausted: Exhausted) {
        let (granted, used) = leased.map_or((0, exhausted.limit), |leased| (leased.granted, leased.used));
        self.unused += granted;
        self.used = used;
        self.outage_until = None;
        self.exhausted = (granted < wanted).then_some(exhausted);
    }

    /// Removes the unused units (negative: the debt) and returns their number with the window.
    pub(super) fn take_unused(&mut self) -> (Window, i64) {
        (self.window, std::mem::take(&mut self.unused))
    }

    pub(super) const fn is_lease_pending(&self) -> bool {
        self.lease_pending
    }

    fn is_exhausted(&self, now: Timestamp) -> bool {
        self.exhausted.is_some_and(|exhausted| now < exhausted.until && self.terms.limit <= exhausted.limit)
    }

    pub(super) fn database_failed(&mut self, now: Timestamp) {
        self.outage_until = Some(now.plus_seconds(OUTAGE_SECONDS));
    }

    pub(super) fn in_outage(&self, now: Timestamp) -> bool {
        self.outage_until.is_some_and(|until| now < until)
    }
}
