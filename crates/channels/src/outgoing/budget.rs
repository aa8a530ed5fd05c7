//! Permits for outgoing connections, and waiting for them.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use domain::TenantId;
use parking_lot::{Mutex, MutexGuard};
use tokio::sync::oneshot;

use super::limits::Limits;
use super::state::{Claim, EndpointUse, Purpose, Reputation, Share, State};

/// Longest wait of a call for a connection. Then it fails without having left.
const WAIT: Duration = Duration::from_secs(10);
/// A delivery counts once for each part of its body of this many bytes.
const UNIT: usize = 64 << 10;

/// Cheap to clone.
#[derive(Debug, Clone)]
pub struct OutgoingBudget(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    limits: Limits,
    state: Mutex<State>,
}

/// The most that a node can have.
impl Default for OutgoingBudget {
    fn default() -> Self {
        Self::new(usize::MAX)
    }
}

impl OutgoingBudget {
    /// A budget of about this many connections.
    pub fn new(connections: usize) -> Self {
        let limits = Limits::of(connections);
        Self(Arc::new(Shared { limits, state: Mutex::new(State::new(limits)) }))
    }

    pub fn limit(&self) -> usize {
        self.0.limits.all
    }

    pub fn in_use(&self) -> usize {
        self.state().in_use()
    }

    /// How many requests have had to wait for a connection so far.
    pub fn waits(&self) -> u64 {
        self.state().waits()
    }

    /// How many connections a client for tenants' hosts may keep open for their next request. There are two such
    /// clients: that of webhooks, and that of files and providers.
    pub fn kept_open(&self) -> usize {
        self.limit() / 4
    }

    /// Most open files of the connections in use and of those that are kept open.
    pub fn open_files(&self) -> usize {
        self.limit() + 2 * self.kept_open()
    }

    /// A permit for a call. None after `WAIT`, or if too many calls of the share wait already.
    pub async fn call(&self, share: impl Into<Share>) -> Option<Permit> {
        let waiting = {
            let share = share.into();
            let mut state = self.state();
            if let Some(claim) = state.take(share, &Purpose::Call) {
                return Some(self.permit(claim));
            }
            if state.waiting_calls(share) >= self.0.limits.tenant {
                return None;
            }
            self.wait(&mut state, share, Purpose::Call)
        };
        tokio::time::timeout(WAIT, waiting).await.ok()
    }

    /// The part of an endpoint that is delivered to from now on.
    pub fn deliveries(&self, tenant: TenantId, reputation: Reputation) -> DeliveryShare {
        DeliveryShare {
            budget: self.clone(),
            share: Share::Tenant(tenant),
            endpoint: Arc::new(EndpointUse::new(reputation)),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.state.lock()
    }

    fn permit(&self, claim: Claim) -> Permit {
        Permit { budget: self.clone(), claim }
    }

    fn wait(&self, state: &mut State, share: Share, purpose: Purpose) -> WaitingPermit {
        let (id, claim) = state.wait(share, purpose);
        WaitingPermit { budget: self.clone(), share, id, claim }
    }

    fn release(&self, claim: &Claim) {
        let mut granted = self.state().release(claim);
        while let Some((waiter, claim)) = granted.pop() {
            // A caller that has stopped waiting meanwhile does not take its claim.
            if let Err(claim) = waiter.send(claim) {
                granted.extend(self.state().release(&claim));
            }
        }
    }
}

/// The part of an endpoint in the deliveries of its tenant. The endpoint's dispatcher holds it.
#[derive(Debug)]
pub struct DeliveryShare {
    budget: OutgoingBudget,
    share: Share,
    endpoint: Arc<EndpointUse>,
}

impl DeliveryShare {
    /// A permit, if there is one now.
    pub fn try_take(&self) -> Option<Permit> {
        let claim = self.budget.state().take(self.share, &self.purpose())?;
        Some(self.budget.permit(claim))
    }

    /// Waits for a permit for as long as the value lives.
    pub fn wait(&self) -> WaitingPermit {
        self.budget.wait(&mut self.budget.state(), self.share, self.purpose())
    }

    fn purpose(&self) -> Purpose {
        Purpose::Delivery(Arc::clone(&self.endpoint))
    }
}

/// A connection that may be used until this is dropped.
#[derive(Debug)]
pub struct Permit {
    budget: OutgoingBudget,
    claim: Claim,
}

impl Permit {
    /// Counts the body of a delivery: a large one counts several times.
    pub fn weigh(&mut self, bytes: usize) {
        let more = bytes.div_ceil(UNIT).saturating_sub(self.claim.units());
        if more > 0 {
            self.budget.0.state.lock().add(&mut self.claim, more);
        }
    }

    /// Notes whether the endpoint of a delivery has answered.
    pub fn judge(&self, reputation: Reputation) {
        if let Some(endpoint) = self.claim.endpoint() {
            endpoint.set(reputation);
        }
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        self.budget.release(&self.claim);
    }
}

/// A future permit.
#[derive(Debug)]
pub struct WaitingPermit {
    budget: OutgoingBudget,
    share: Share,
    id: u64,
    claim: oneshot::Receiver<Claim>,
}

impl Future for WaitingPermit {
    type Output = Permit;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Permit> {
        match Pin::new(&mut self.claim).poll(context) {
            Poll::Ready(Ok(claim)) => Poll::Ready(self.budget.permit(claim)),
            // The budget keeps the other side until it sends a claim.
            Poll::Ready(Err(_)) | Poll::Pending => Poll::Pending,
        }
    }
}

impl WaitingPermit {
    /// Stops waiting, and gives back a claim that has been sent already. `release` takes back one that it sends later.
    fn stop(&mut self) {
        let waiter = self.budget.state().forget(self.share, self.id);
        drop(waiter);
        self.claim.close();
        if let Ok(claim) = self.claim.try_recv() {
            self.budget.release(&claim);
        }
    }
}

impl Drop for WaitingPermit {
    fn drop(&mut self) {
        self.stop();
    }
}

#[cfg(test)]
mod tests {
    use std::task::Waker;

    use futures_util::FutureExt as _;

    use super::*;

    const A: TenantId = TenantId::FIRST;

    fn tenant(number: i64) -> TenantId {
        TenantId::from_number(1_000_000 + number)
    }

    /// Takes permits until there are no more.
    fn fill(share: &DeliveryShare) -> Vec<Permit> {
        std::iter::from_fn(|| share.try_take()).collect()
    }

    fn polled(waiting: &mut WaitingPermit) -> Option<Permit> {
        match Pin::new(waiting).poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(permit) => Some(permit),
            Poll::Pending => None,
        }
    }

    #[tokio::test]
    async fn a_tenant_has_its_share_and_leaves_calls_and_others_theirs() {
        let budget = OutgoingBudget::new(256);
        let shares: Vec<_> = (0..100).map(|_| budget.deliveries(A, Reputation::Answers)).collect();
        let held: Vec<Permit> = shares.iter().flat_map(fill).collect();
        assert!((46..=48).contains(&held.len()), "{}", held.len());
        let calls = futures_util::future::join_all((0..16).map(|_| budget.call(A))).await;
        assert!(calls.iter().all(Option::is_some), "calls have a quarter");
        let others: Vec<_> = (0..8).map(|number| budget.deliveries(tenant(number), Reputation::Unproven)).collect();
        let theirs: Vec<Vec<Permit>> = others.iter().map(fill).collect();
        assert!(theirs.iter().all(|permits| !permits.is_empty()), "eight more greedy tenants find room");
        assert!(budget.call(Share::Mail).await.is_some());
        drop((held, calls, theirs));
        assert_eq!((budget.in_use(), budget.waits()), (0, 0));
    }

    #[test]
    fn one_endpoint_leaves_room_for_another_and_silent_ones_for_those_that_answer() {
        let budget = OutgoingBudget::new(usize::MAX);
        let alone = budget.deliveries(A, Reputation::Answers);
        assert_eq!(fill(&alone).len(), 256, "the largest max_in_flight");
        let silent: Vec<_> = (0..99).map(|_| budget.deliveries(A, Reputation::Unproven)).collect();
        let held: Vec<Permit> = silent.iter().flat_map(fill).collect();
        assert_eq!(held.len(), 192);
        assert!(fill(&alone).len() >= 100, "and it gets on");
        held[0].judge(Reputation::Answers);
        assert!(silent[0].try_take().is_some());
    }

    #[test]
    fn a_free_connection_goes_to_whom_uses_the_fewest_and_waits_longest() {
        let budget = OutgoingBudget::new(16);
        let greedy = budget.deliveries(A, Reputation::Answers);
        let mut held = fill(&greedy);
        let (second, third) = (budget.deliveries(A, Reputation::Answers), budget.deliveries(A, Reputation::Answers));
        held.extend(fill(&second));
        let (mut first, mut last, mut latest) = (greedy.wait(), third.wait(), third.wait());
        assert!(polled(&mut first).is_none() && polled(&mut last).is_none());
        drop(held.pop());
        assert!(polled(&mut first).is_none(), "it uses more than the others");
        let permit = polled(&mut last).unwrap();
        drop(last);
        drop(permit);
        assert!(polled(&mut latest).is_some());
        assert_eq!(budget.waits(), 3);
    }

    #[test]
    fn who_stops_waiting_takes_nothing_with_it() {
        let budget = OutgoingBudget::new(16);
        let share = budget.deliveries(A, Reputation::Answers);
        let held = fill(&share);
        let (gone, granted) = (share.wait(), share.wait());
        drop(gone);
        drop(held);
        assert!(budget.in_use() > 0, "the one that waits has its connection already");
        drop(granted);
        assert_eq!(budget.in_use(), 0);
    }

    #[test]
    fn a_claim_that_is_sent_while_its_waiter_stops_comes_back() {
        let budget = OutgoingBudget::new(16);
        let share = budget.deliveries(A, Reputation::Answers);
        let first = budget.state().take(A.into(), &share.purpose()).unwrap();
        let mut waiting = share.wait();
        let (waiter, claim) = budget.state().release(&first).pop().unwrap();
        waiting.stop();
        let claim = waiter.send(claim).unwrap_err();
        budget.release(&claim);
        drop(waiting);
        assert_eq!(budget.in_use(), 0);
    }

    #[test]
    fn a_large_body_counts_several_times() {
        let budget = OutgoingBudget::new(usize::MAX);
        let share = budget.deliveries(A, Reputation::Answers);
        let mut permit = share.try_take().unwrap();
        permit.weigh(UNIT);
        assert_eq!(budget.in_use(), 1);
        permit.weigh(300 * UNIT);
        assert_eq!(budget.in_use(), 300);
        assert!(share.try_take().is_none(), "nothing more until it has been delivered");
        drop(permit);
        assert_eq!((budget.in_use(), fill(&share).len()), (0, 256));
    }

    #[tokio::test(start_paused = true)]
    async fn a_call_waits_for_a_while_and_too_many_calls_are_refused_at_once() {
        let budget = OutgoingBudget::new(16);
        let held = futures_util::future::join_all((0..4).map(|_| budget.call(A))).await;
        assert!(held.iter().all(Option::is_some));
        let began = tokio::time::Instant::now();
        let waiting = futures_util::future::join_all((0..5).map(|_| budget.call(A))).await;
        assert!(waiting.iter().all(Option::is_none));
        assert!(began.elapsed() >= WAIT);
        assert_eq!(budget.waits(), 4, "the fifth did not wait");
        assert!(budget.call(tenant(1)).await.is_some(), "another tenant does not wait");
    }

    #[tokio::test]
    async fn issuers_that_hang_delay_no_mail() {
        let budget = OutgoingBudget::new(16);
        let now = |share: Share| Box::pin(budget.call(share)).now_or_never().flatten();
        let held: Vec<Permit> = std::iter::from_fn(|| now(Share::Issuers)).collect();
        let of_tenant: Vec<Permit> = std::iter::from_fn(|| now(A.into())).collect();
        assert!(!held.is_empty() && !of_tenant.is_empty());
        assert!(budget.call(Share::Mail).await.is_some() && budget.call(tenant(1)).await.is_some());
    }
}
