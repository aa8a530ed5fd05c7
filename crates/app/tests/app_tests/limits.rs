//! Rate limits and monthly usage on a manual clock: exact where the API promises it, within a tenth otherwise.

use std::time::Duration;

use app::platform::limits::{Granted, LimitError, LimitExceeded, LimitKind, LimitRequest, Limiter, Policy};
use domain::base::time::Moment;
use domain::identity::plans::{Family, Plan};
use domain::{Clock, Id, TenantId, Timestamp};
use proptest::prelude::*;
use store::{Db, Engine, Location};
use testkit::database::{TestDb, random_tenant};

fn plan(rate: Option<u64>, monthly_calls: Option<u64>) -> Plan {
    let rates = rate.map(|limit| (Family::Contacts, limit)).into_iter().collect();
    Plan { name: "test".to_owned(), monthly_calls, rates, ..Plan::default() }
}

fn ask(tenant: TenantId, plan: &Plan) -> LimitRequest<'_> {
    LimitRequest { tenant, plan, family: Family::Contacts, session: None, token: None, counted: true }
}

/// A limiter that is exact however slow the machine is: one whose database takes too long grants more.
fn limiter(test: &TestDb) -> Limiter {
    patient(test.another_handle(), test.clock.clone())
}

fn patient(db: Db, clock: Clock) -> Limiter {
    Limiter::with_timeout(db, clock, Duration::from_mins(10))
}

/// Limiters of nodes that share one database: three on PostgreSQL, one on SQLite.
fn nodes(test: &TestDb) -> Vec<Limiter> {
    let count = if test.db.engine() == Engine::Postgres { 3 } else { 1 };
    (0..count).map(|_| limiter(test)).collect()
}

async fn granted(limiter: &Limiter, ask: LimitRequest<'_>) -> Granted {
    limiter.take(ask).await.expect("there is room")
}

async fn refused(limiter: &Limiter, ask: LimitRequest<'_>) -> LimitExceeded {
    match limiter.take(ask).await {
        Err(LimitError::Exceeded(refused)) => refused,
        other => panic!("not refused: {other:?}"),
    }
}

async fn count_granted(limiter: &Limiter, ask: LimitRequest<'_>, asks: usize) -> i64 {
    let mut count = 0;
    for _ in 0..asks {
        match limiter.take(ask).await {
            Ok(_) => count += 1,
            Err(LimitError::Exceeded(_)) => {}
            Err(LimitError::Store(error)) => panic!("{error}"),
        }
        tokio::task::yield_now().await;
    }
    count
}

/// Makes many concurrent requests on every node. Returns how many were granted.
async fn hammer(nodes: &[Limiter], tenant: TenantId, plan: &Plan, tasks: usize, asks: usize) -> i64 {
    let hammering = nodes.iter().flat_map(|node| {
        (0..tasks).map(move |_| {
            let (node, plan) = (node.clone(), plan.clone());
            tokio::spawn(async move { count_granted(&node, ask(tenant, &plan), asks).await })
        })
    });
    let mut sum = 0;
    for task in hammering.collect::<Vec<_>>() {
        sum += task.await.unwrap();
    }
    sum
}

/// Runs the limiter's background work until the handle is aborted.
fn maintained(node: &Limiter) -> tokio::task::JoinHandle<()> {
    let node = node.clone();
    tokio::spawn(async move {
        loop {
            node.maintain().await.unwrap();
            node.refill_wanted().await;
        }
    })
}

fn policy(granted: &Granted, name: &str) -> Policy {
    *granted.policies.iter().find(|policy| policy.name == name).unwrap()
}

async fn used(test: &TestDb, bucket: &str, window: Timestamp) -> i64 {
    store::platform::limits::used(&test.db, test.tenant, bucket, window).await.unwrap()
}

async fn used_this_month(test: &TestDb) -> i64 {
    used(test, "usage", test.clock.now().start_of_month()).await
}

/// Advances the manual clock to the start of a rate window that is not near the end of a month, so that neither ends
/// within a test unless the test advances the clock.
fn window_start(test: &TestDb) -> Timestamp {
    if test.clock.now().plus_seconds(600) >= test.clock.now().next_month() {
        test.clock.advance(Duration::from_mins(10));
    }
    let into = test.clock.now().micros().rem_euclid(10_000_000);
    test.clock.advance(Duration::from_micros(u64::try_from(10_000_000 - into).unwrap()));
    test.clock.now()
}

testkit::both_databases! {
    async fn without_limits_nothing_applies(test) {
        window_start(&test);
        let granted = granted(&limiter(&test), ask(test.tenant, &plan(None, None))).await;
        assert!(granted.policies.is_empty());
        assert_eq!(granted.policies.policy_header(), None);
        assert_eq!(used_this_month(&test).await, 0);
    }

    async fn small_limits_are_exact_on_all_nodes_together(test) {
        window_start(&test);
        let (nodes, plan) = (nodes(&test), plan(Some(10), None));
        assert_eq!(hammer(&nodes, test.tenant, &plan, 10, 5).await, 10);
        let refused = refused(&nodes[0], ask(test.tenant, &plan)).await;
        assert_eq!((refused.kind, refused.retry_after_seconds), (LimitKind::Rate, 10));
        assert_eq!(refused.policies.policy_header().unwrap(), "\"contacts\";q=10;w=10");
        assert_eq!(refused.policies.limit_header().unwrap(), "\"contacts\";r=0;t=10");
    }

    async fn the_largest_exact_limit_is_exact(test) {
        window_start(&test);
        assert_eq!(hammer(&nodes(&test), test.tenant, &plan(Some(99), None), 4, 30).await, 99);
    }

    async fn headers_count_down_and_the_next_window_begins_anew(test) {
        window_start(&test);
        let (limiter, plan) = (limiter(&test), plan(Some(3), None));
        for remaining in [2, 1, 0] {
            let header = granted(&limiter, ask(test.tenant, &plan)).await.policies.limit_header().unwrap();
            assert_eq!(header, format!("\"contacts\";r={remaining};t=10"));
        }
        test.clock.advance(Duration::from_millis(9_999));
        assert_eq!(refused(&limiter, ask(test.tenant, &plan)).await.retry_after_seconds, 1);
        test.clock.advance(Duration::from_millis(1));
        assert_eq!(count_granted(&limiter, ask(test.tenant, &plan), 5).await, 3);
    }

    async fn large_limits_are_shared_within_a_tenth(test) {
        window_start(&test);
        let (nodes, plan) = (nodes(&test), plan(Some(400), None));
        let background: Vec<_> = nodes.iter().map(maintained).collect();
        for round in 0..3 {
            let sum = hammer(&nodes, test.tenant, &plan, 4, 150).await;
            assert!((360..=440).contains(&sum), "{sum} in round {round}");
            let refused = refused(&nodes[0], ask(test.tenant, &plan)).await;
            assert_eq!(refused.policies.limit_header().unwrap(), "\"contacts\";r=0;t=10");
            test.clock.advance(Duration::from_secs(10));
        }
        let first = granted(&nodes[0], ask(test.tenant, &plan)).await;
        assert_eq!(policy(&first, "contacts").quota, 400);
        assert!((360..400).contains(&policy(&first, "contacts").remaining), "{first:?}");
        background.iter().for_each(tokio::task::JoinHandle::abort);
    }

    async fn a_burst_on_one_node_gets_nearly_all_of_a_large_limit(test) {
        window_start(&test);
        let (node, plan) = (limiter(&test), plan(Some(400), None));
        let sum = hammer(std::slice::from_ref(&node), test.tenant, &plan, 500, 1).await;
        assert!((360..=440).contains(&sum), "{sum} without background work");
    }

    async fn a_month_ends_on_the_first(test) {
        window_start(&test);
        let (limiter, plan) = (limiter(&test), plan(None, Some(250)));
        assert_eq!(count_granted(&limiter, ask(test.tenant, &plan), 300).await, 250);
        let refused = refused(&limiter, ask(test.tenant, &plan)).await;
        assert_eq!(refused.kind, LimitKind::Usage);
        let (now, next) = (test.clock.now(), test.clock.now().next_month());
        assert!(now.plus_seconds(refused.retry_after_seconds) >= next);
        assert!(now.plus_seconds(refused.retry_after_seconds - 1) < next);
        let wait = u64::try_from(refused.retry_after_seconds).unwrap();
        test.clock.advance(Duration::from_secs(wait));
        assert_eq!(test.clock.now().start_of_month(), next);
        let first = granted(&limiter, ask(test.tenant, &plan)).await;
        assert_eq!(policy(&first, "usage").remaining, 249);
        assert_eq!(policy(&first, "usage").window_seconds, next.next_month().seconds_since(next));
    }

    async fn usage_survives_a_crash_and_is_never_counted_too_low(test) {
        window_start(&test);
        let plan = plan(None, Some(1000));
        let mut sum = 0;
        for crash in 1..=5 {
            let limiter = limiter(&test);
            sum += count_granted(&limiter, ask(test.tenant, &plan), 33).await;
            let counted = used_this_month(&test).await;
            assert!((sum..=sum + crash * 10).contains(&counted), "{sum} used, {counted} counted");
        }
        assert_eq!(sum, 165);
        sum += count_granted(&limiter(&test), ask(test.tenant, &plan), 1000).await;
        assert!((950..=1000).contains(&sum), "{sum}");
        assert_eq!(refused(&limiter(&test), ask(test.tenant, &plan)).await.kind, LimitKind::Usage);
    }

    async fn a_clean_stop_gives_back_what_was_not_used(test) {
        window_start(&test);
        let plan = plan(None, Some(1000));
        for sum in [33, 66, 99] {
            let limiter = limiter(&test);
            assert_eq!(count_granted(&limiter, ask(test.tenant, &plan), 33).await, 33);
            limiter.give_back().await.unwrap();
            assert_eq!(used_this_month(&test).await, sum);
        }
    }

    async fn usage_is_leased_in_the_background_when_half_is_used(test) {
        window_start(&test);
        let (limiter, plan) = (limiter(&test), plan(None, Some(10_000)));
        assert_eq!(count_granted(&limiter, ask(test.tenant, &plan), 49).await, 49);
        assert_eq!(used_this_month(&test).await, 100);
        granted(&limiter, ask(test.tenant, &plan)).await;
        limiter.refill_wanted().await;
        assert_eq!(used_this_month(&test).await, 100, "the request itself writes nothing");
        limiter.maintain().await.unwrap();
        assert_eq!(used_this_month(&test).await, 150);
    }

    async fn small_months_are_exact_on_all_nodes_together(test) {
        window_start(&test);
        let (nodes, plan) = (nodes(&test), plan(None, Some(7)));
        assert_eq!(hammer(&nodes, test.tenant, &plan, 5, 5).await, 7);
        assert_eq!(used_this_month(&test).await, 7);
    }

    async fn a_refused_request_takes_nothing(test) {
        let start = window_start(&test);
        let limiter = limiter(&test);
        let (rated, monthly) = (plan(Some(5), Some(100)), plan(Some(5), Some(2)));
        assert_eq!(count_granted(&limiter, ask(test.tenant, &rated), 9).await, 5);
        limiter.give_back().await.unwrap();
        assert_eq!(used_this_month(&test).await, 5, "a refused rate is no usage");

        test.clock.advance(Duration::from_secs(10));
        assert_eq!(refused(&limiter, ask(test.tenant, &monthly)).await.kind, LimitKind::Usage);
        assert_eq!(used(&test, "rate:contacts", start.plus_seconds(10)).await, 0);
        let first = granted(&limiter, LimitRequest { counted: false, ..ask(test.tenant, &rated) }).await;
        assert_eq!(first.policies.limit_header().unwrap(), "\"contacts\";r=4;t=10");
    }

    async fn a_limit_that_another_node_used_up_costs_this_node_nothing(test) {
        window_start(&test);
        let (nodes, plan) = (nodes(&test), plan(Some(5), Some(1000)));
        let (first, last) = (&nodes[0], &nodes[nodes.len() - 1]);
        assert_eq!(count_granted(first, ask(test.tenant, &plan), 5).await, 5);
        let token = Some((Id::new(test.clock.now()), 2000));
        assert_eq!(refused(last, LimitRequest { token, ..ask(test.tenant, &plan) }).await.kind, LimitKind::Rate);
        first.give_back().await.unwrap();
        last.give_back().await.unwrap();
        assert_eq!(used_this_month(&test).await, 5);
        let next = granted(last, LimitRequest { token, family: Family::Other, ..ask(test.tenant, &plan) }).await;
        assert_eq!(policy(&next, "token").remaining, 1999);
    }

    async fn rate_is_checked_before_usage(test) {
        window_start(&test);
        let (limiter, plan) = (limiter(&test), plan(Some(4), Some(4)));
        assert_eq!(count_granted(&limiter, ask(test.tenant, &plan), 4).await, 4);
        assert_eq!(refused(&limiter, ask(test.tenant, &plan)).await.kind, LimitKind::Rate);
        test.clock.advance(Duration::from_secs(10));
        assert_eq!(refused(&limiter, ask(test.tenant, &plan)).await.kind, LimitKind::Usage);
    }

    async fn a_token_can_have_a_lower_limit(test) {
        window_start(&test);
        let (limiter, plan) = (limiter(&test), plan(Some(10), None));
        let (one, other) = (Id::new(test.clock.now()), Id::new(test.clock.now()));
        let by = |token, limit| LimitRequest { token: Some((token, limit)), ..ask(test.tenant, &plan) };
        let first = granted(&limiter, by(one, 2)).await;
        assert_eq!(first.policies.policy_header().unwrap(), "\"contacts\";q=10;w=10, \"token\";q=2;w=10");
        assert_eq!(first.policies.limit_header().unwrap(), "\"contacts\";r=9;t=10, \"token\";r=1;t=10");
        assert_eq!(count_granted(&limiter, by(one, 2), 9).await, 1);
        let full = refused(&limiter, by(one, 2)).await;
        assert_eq!(full.policies.limit_header().unwrap(), "\"contacts\";r=8;t=10, \"token\";r=0;t=10");
        assert_eq!(count_granted(&limiter, by(other, 200), 20).await, 8, "the tenant's own limit holds too");
        assert_eq!(count_granted(&limiter, LimitRequest { family: Family::Other, ..by(one, 2) }, 5).await, 0, "in all families");
    }

    async fn an_account_has_a_rate_of_its_own_in_the_console_and_takes_usage(test) {
        window_start(&test);
        let (limiter, plan) = (limiter(&test), plan(Some(1), Some(30)));
        let (one, other) = (Id::new(test.clock.now()), Id::new(test.clock.now()));
        let by = |account| LimitRequest { session: Some(account), ..ask(test.tenant, &plan) };
        assert_eq!(count_granted(&limiter, by(one), 20).await, 10);
        assert_eq!(count_granted(&limiter, by(other), 20).await, 10);
        assert_eq!(count_granted(&limiter, ask(test.tenant, &plan), 20).await, 1, "the rate of credentials is untouched");
        assert_eq!(refused(&limiter, by(one)).await.kind, LimitKind::Rate);
        limiter.give_back().await.unwrap();
        assert_eq!(used_this_month(&test).await, 21);
        test.clock.advance(Duration::from_secs(10));
        assert_eq!(count_granted(&limiter, by(one), 20).await, 9, "the month ends for both");
        assert_eq!(refused(&limiter, ask(test.tenant, &plan)).await.kind, LimitKind::Usage);
    }

    async fn a_request_that_is_not_counted_takes_no_usage(test) {
        window_start(&test);
        let (limiter, plan) = (limiter(&test), plan(None, Some(1)));
        let exempt = LimitRequest { counted: false, ..ask(test.tenant, &plan) };
        assert_eq!(count_granted(&limiter, exempt, 5).await, 5);
        assert_eq!(count_granted(&limiter, ask(test.tenant, &plan), 5).await, 1);
        assert_eq!(count_granted(&limiter, exempt, 5).await, 5);
    }

    async fn a_changed_plan_applies_at_once(test) {
        window_start(&test);
        let limiter = limiter(&test);
        let (small, large) = (plan(Some(50), Some(5)), plan(Some(50), Some(8)));
        assert_eq!(count_granted(&limiter, ask(test.tenant, &small), 9).await, 5);
        assert_eq!(count_granted(&limiter, ask(test.tenant, &large), 9).await, 3);
        let slow = plan(Some(4), None);
        assert_eq!(refused(&limiter, ask(test.tenant, &slow)).await.kind, LimitKind::Rate);
    }

    async fn tenants_do_not_share_limits(test) {
        window_start(&test);
        let (limiter, plan) = (limiter(&test), plan(Some(3), Some(3)));
        let other = test.new_tenant("unlimited").await;
        assert_eq!(count_granted(&limiter, ask(test.tenant, &plan), 5).await, 3);
        assert_eq!(count_granted(&limiter, ask(other, &plan), 5).await, 3);
    }

    async fn a_limit_of_zero_refuses_everything(test) {
        let limiter = limiter(&test);
        assert_eq!(refused(&limiter, ask(test.tenant, &plan(Some(0), None))).await.kind, LimitKind::Rate);
        assert_eq!(refused(&limiter, ask(test.tenant, &plan(None, Some(0)))).await.kind, LimitKind::Usage);
    }

    async fn upkeep_counts_the_nodes_and_deletes_old_months(test) {
        let nodes = nodes(&test);
        let old = test.clock.now().plus_months(-2).start_of_month();
        let want = store::platform::limits::Demand { tenant: test.tenant, bucket: "usage".to_owned(), window: old, amount: 4, limit: 9 };
        store::platform::limits::take_all(&test.db, vec![want]).await.unwrap();
        assert_eq!(used(&test, "usage", old).await, 4);
        for node in &nodes {
            node.maintain().await.unwrap();
        }
        assert_eq!(used(&test, "usage", old).await, 0);
        let live = store::base::leases::live(&test.db, "node:", test.clock.now()).await.unwrap();
        let expected = if test.db.engine() == Engine::Postgres { nodes.len() } else { 0 };
        assert!(live >= i64::try_from(expected).unwrap());
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn threads_do_not_overrun_a_limit_in_memory() {
    let test = TestDb::sqlite().await;
    window_start(&test);
    let nodes = [limiter(&test)];
    let plan = plan(Some(5000), Some(20_000));
    assert_eq!(hammer(&nodes, test.tenant, &plan, 8, 1000).await, 5000);
    nodes[0].give_back().await.unwrap();
    assert_eq!(used_this_month(&test).await, 5000);
}

/// A database at an address where nothing listens.
fn unreachable() -> Db {
    let url = "postgres://nobody@127.0.0.1:1/nothing".to_owned();
    Db::open(&Location::Postgres { url, connections: 1 }).unwrap()
}

#[tokio::test]
async fn without_the_database_rates_are_not_limited_and_usage_continues_for_a_hundredth() {
    let clock = Clock::manual(Moment::parse("2026-04-24T10:00:00Z").unwrap().first());
    let limiter = Limiter::new(unreachable(), clock);
    let tenant = random_tenant();
    for limit in [10, 400] {
        assert_eq!(count_granted(&limiter, ask(tenant, &plan(Some(limit), None)), 500).await, 500);
    }
    let month = plan(None, Some(10_000));
    assert_eq!(count_granted(&limiter, ask(tenant, &month), 100).await, 100);
    assert!(matches!(limiter.take(ask(tenant, &month)).await, Err(LimitError::Store(_))));
}

#[derive(Debug, Clone, Copy)]
enum Step {
    Take { family: Family, token: bool, counted: bool },
    Wait(u64),
    Maintain,
    Restart,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let family = prop_oneof![Just(Family::Contacts), Just(Family::Other)];
    let take = (family, any::<bool>(), any::<bool>());
    let step = prop_oneof![
        12 => take.prop_map(|(family, token, counted)| Step::Take { family, token, counted }),
        1 => (1_u64..9).prop_map(Step::Wait),
        1 => Just(Step::Maintain),
        1 => Just(Step::Restart),
    ];
    proptest::collection::vec(step, 1..120)
}

/// Computes the expected decisions with plain counters, for a limiter that stops cleanly before every restart.
#[derive(Debug, Default)]
struct Model {
    window: i64,
    families: [i64; 2],
    token: i64,
    month: i64,
}

struct Limits {
    family: i64,
    token: i64,
    month: i64,
}

impl Model {
    /// Whether the request must be granted; if so, counts it.
    fn take(&mut self, now: Timestamp, limits: &Limits, family: Family, token: bool, counted: bool) -> bool {
        let window = now.seconds().div_euclid(10);
        if window != self.window {
            *self = Self { window, month: self.month, ..Self::default() };
        }
        let place = usize::from(family == Family::Other);
        let free = self.families[place] < limits.family
            && (!token || self.token < limits.token)
            && (!counted || self.month < limits.month);
        if free {
            self.families[place] += 1;
            self.token += i64::from(token);
            self.month += i64::from(counted);
        }
        free
    }
}

async fn walk(test: &TestDb, limits: &Limits, steps: &[Step]) {
    let (tenant, id) = (random_tenant(), Id::new(test.clock.now()));
    let unsigned = |limit: i64| u64::try_from(limit).unwrap();
    let mut plan = plan(Some(unsigned(limits.family)), Some(unsigned(limits.month)));
    plan.rates.insert(Family::Other, unsigned(limits.family));
    let (mut limiter, mut model) = (patient(test.db.clone(), test.clock.clone()), Model::default());
    for &step in steps {
        match step {
            Step::Wait(seconds) => test.clock.advance(Duration::from_secs(seconds)),
            Step::Maintain => limiter.maintain().await.unwrap(),
            Step::Restart => {
                limiter.give_back().await.unwrap();
                limiter = patient(test.db.clone(), test.clock.clone());
                model = Model { month: model.month, ..Model::default() };
            }
            Step::Take { family, token, counted } => {
                let token_limit = token.then_some((id, limits.token));
                let ask = LimitRequest { tenant, plan: &plan, family, session: None, token: token_limit, counted };
                let outcome = limiter.take(ask).await;
                let expected = model.take(test.clock.now(), limits, family, token, counted);
                assert_eq!(outcome.is_ok(), expected, "{model:?}");
                check(outcome, &model);
            }
        }
    }
}

/// Asserts that no remaining number is negative, and that a refusal names a limit with nothing left.
fn check(outcome: Result<Granted, LimitError>, model: &Model) {
    let policies = match outcome {
        Ok(granted) => granted.policies,
        Err(LimitError::Exceeded(refused)) => {
            assert!(refused.policies.iter().any(|policy| policy.kind == refused.kind && policy.remaining == 0));
            assert!(refused.retry_after_seconds >= 1);
            refused.policies
        }
        Err(LimitError::Store(error)) => panic!("{error}"),
    };
    for policy in policies.iter() {
        assert!((0..=policy.quota).contains(&policy.remaining), "{policy:?}");
        assert!((0..=policy.window_seconds).contains(&policy.reset_seconds), "{policy:?}");
        if policy.name == "usage" && policy.remaining != policy.quota - model.month {
            // Before the first lease the limiter does not know what an earlier process used.
            assert_ne!(policy.remaining, 0, "{policy:?} {model:?}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    #[test]
    fn one_process_counts_like_plain_counters(
        family in 0_i64..12,
        token in 0_i64..8,
        month in prop_oneof![0_i64..40, 100_i64..400],
        steps in steps(),
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let test = TestDb::sqlite().await;
            window_start(&test);
            walk(&test, &Limits { family, token, month }, &steps).await;
        });
    }
}
