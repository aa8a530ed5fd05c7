//! One background loop: a round of work, a wait, and again until the server stops.
//!
//! The wait ends at a wake-up, but not before `least_pause`, or after a fixed time. After a failure a wake-up does not
//! end it, so that wake-ups do not flood a broken database. The wait is then the fixed time, doubled with each failure in a row, but at most
//! `LONGEST_PAUSE`, so that an hourly loop tries again sooner than usual. A panic counts as a failure and does not end
//! the loop.
//!
//! A failure is logged once: again only when its kind changes, or after a round has succeeded `STEADY` or longer after
//! the last failure. Every failure counts in `switchboard_worker_failures_total`.

use std::any::Any;
use std::future::Future;
use std::mem::{Discriminant, discriminant};
use std::panic::AssertUnwindSafe;
use std::time::Duration;

use app::App;
use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// Once a round succeeds this long or longer after the last failure, the next failure is logged, even one of the same
/// kind. An earlier success proves little, since a round without work may not touch what failed.
const STEADY: Duration = Duration::from_secs(15);
/// Longest pause after a failed round: a loop tries again at the latest this long after a failure.
const LONGEST_PAUSE: Duration = Duration::from_secs(5);

/// Least time between two polls that ask all workers of a distributed database. What this process causes is a wake-up, so
/// such a poll finds only what another node or a dead one has left.
const ACROSS_EVERY: Duration = Duration::from_secs(20);

/// The time between two polls that read across tenants. While a worker is away, as often as usual, so that what its
/// tenants have missed is found soon after its return.
pub(crate) fn paced(app: &App, every: Duration) -> Duration {
    if app.db().is_distributed() && app.db().away().is_empty() { every.max(ACROSS_EVERY) } else { every }
}

#[derive(Debug)]
pub(crate) struct Rounds {
    name: &'static str,
    every: Duration,
    least_pause: Duration,
    /// Set if a round reads across tenants.
    paced_for: Option<App>,
    stop: CancellationToken,
    /// Failures in a row.
    failures: u32,
    logged: Option<FailureKind>,
    failed_last: Instant,
}

/// The kind of a failure: a failure of the same kind as the last logged one is not logged again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FailureKind {
    Database(Discriminant<store::Error>),
    Failed(Discriminant<app::Error>),
    Panicked,
}

type Start<T> = Box<dyn FnMut() -> BoxFuture<'static, T> + Send>;
type Outcome = Result<app::Result<()>, Box<dyn Any + Send>>;

impl Rounds {
    pub fn new(name: &'static str, every: Duration, stop: CancellationToken) -> Self {
        let least_pause = Duration::ZERO;
        Self { name, every, least_pause, paced_for: None, stop, failures: 0, logged: None, failed_last: Instant::now() }
    }

    /// Leaves at least this time between two rounds, also if a wake-up comes earlier: the work of frequent wake-ups is
    /// done together.
    pub fn with_least_pause(self, least_pause: Duration) -> Self {
        Self { least_pause, ..self }
    }

    /// For rounds that read across tenants: they are rarer on a distributed database.
    pub fn across(self, app: &App) -> Self {
        Self { paced_for: Some(app.clone()), ..self }
    }

    /// Runs a round at once, then whenever `wake` returns or the time is up, until the loop is stopped. A running round
    /// is completed before the loop stops.
    pub fn run<C, W, R>(
        self,
        context: C,
        wake: impl Fn(C) -> W + Send + 'static,
        work: impl Fn(C) -> R + Send + 'static,
    ) -> impl Future<Output = ()> + Send
    where
        C: Clone + Send + 'static,
        W: Future<Output = ()> + Send + 'static,
        R: Future<Output = app::Result<()>> + Send + 'static,
    {
        let wake_context = context.clone();
        self.repeat(
            Box::new(move || wake(wake_context.clone()).boxed()),
            Box::new(move || work(context.clone()).boxed()),
        )
    }

    async fn repeat(mut self, mut wake: Start<()>, mut work: Start<app::Result<()>>) {
        loop {
            // Inside the block, so that a panic before the first await is caught too.
            let round = async { app::in_background(work()).await };
            let outcome = AssertUnwindSafe(round).catch_unwind().await;
            self.record(&outcome);
            if self.wait(wake()).await == Next::Stopped {
                return;
            }
        }
    }

    /// Waits for the next round. After a failure, a wake-up does not end the wait.
    async fn wait(&mut self, wake: BoxFuture<'static, ()>) -> Next {
        let every = self.paced_for.as_ref().map_or(self.every, |app| paced(app, self.every));
        let pause = pause(every, self.failures);
        let failing = self.failures > 0;
        let woken = async {
            tokio::time::sleep(self.least_pause).await;
            wake.await;
        };
        tokio::select! {
            biased;
            () = self.stop.cancelled() => Next::Stopped,
            () = tokio::time::sleep(pause) => Next::Round,
            () = woken, if !failing => Next::Round,
        }
    }

    fn record(&mut self, outcome: &Outcome) {
        let kind = match outcome {
            Ok(Ok(())) => return self.succeeded(),
            Ok(Err(app::Error::Store(error))) => FailureKind::Database(discriminant(error)),
            Ok(Err(error)) => FailureKind::Failed(discriminant(error)),
            Err(_) => FailureKind::Panicked,
        };
        self.failures = self.failures.saturating_add(1);
        self.failed_last = Instant::now();
        metrics::counter!("switchboard_worker_failures_total", "worker" => self.name).increment(1);
        if self.logged.replace(kind) == Some(kind) {
            return;
        }
        if let Ok(Err(error)) = outcome {
            tracing::warn!(worker = self.name, %error, "a worker failed; it tries again");
        } else {
            tracing::error!(worker = self.name, "a worker panicked; it goes on with the next round");
        }
    }

    fn succeeded(&mut self) {
        self.failures = 0;
        if self.logged.is_some() && self.failed_last.elapsed() >= STEADY {
            self.logged = None;
            tracing::info!(worker = self.name, "a worker works again");
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Next {
    Round,
    Stopped,
}

/// The wait after a round. Without failures it is `every`; after failures `every` doubled once for each failure in a
/// row, at most `LONGEST_PAUSE`, less up to a quarter at random, so that nodes do not retry together.
fn pause(every: Duration, failures: u32) -> Duration {
    if failures == 0 {
        return every;
    }
    let grown = every.saturating_mul(1_u32 << failures.min(10)).min(LONGEST_PAUSE);
    grown.mul_f64(rand::random_range(0.75..1.0))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    const EVERY: Duration = Duration::from_hours(1);

    #[test]
    fn pauses_grow_and_stay_bounded() {
        assert_eq!(pause(EVERY, 0), EVERY);
        for failures in [1, 5, 40, u32::MAX] {
            assert!(pause(EVERY, failures) <= LONGEST_PAUSE, "{failures}");
        }
        let (short, long) = (pause(Duration::from_millis(100), 1), pause(Duration::from_millis(100), 4));
        assert!(short >= Duration::from_millis(150) && short < long, "{short:?} {long:?}");
    }

    #[tokio::test(start_paused = true)]
    async fn failures_and_panics_do_not_end_the_loop() {
        let stop = CancellationToken::new();
        let rounds = Arc::new(AtomicUsize::new(0));
        let work = async |rounds: Arc<AtomicUsize>| match rounds.fetch_add(1, Ordering::SeqCst) {
            0 => Err(store::Error::Unavailable("gone".to_owned()).into()),
            1 => panic!("a round panics"),
            _ => Ok(()),
        };
        let never = |_| std::future::pending::<()>();
        let running = tokio::spawn(Rounds::new("test", EVERY, stop.clone()).run(rounds.clone(), never, work));
        while rounds.load(Ordering::SeqCst) < 4 {
            tokio::time::sleep(LONGEST_PAUSE).await;
        }
        stop.cancel();
        running.await.unwrap();
    }

    #[tokio::test(start_paused = true)]
    async fn a_failure_is_logged_once_for_each_kind() {
        let mut rounds = Rounds::new("test", EVERY, CancellationToken::new());
        let unavailable = || Ok(Err(store::Error::Unavailable(String::new()).into()));
        rounds.record(&unavailable());
        let first = rounds.logged;
        rounds.record(&unavailable());
        assert_eq!((rounds.logged, rounds.failures), (first, 2));
        rounds.record(&Ok(Err(store::Error::Panicked.into())));
        assert_ne!(rounds.logged, first);
        rounds.record(&Ok(Ok(())));
        assert_eq!(rounds.failures, 0);
        assert!(rounds.logged.is_some(), "one successful round is no proof");
        tokio::time::advance(STEADY).await;
        rounds.record(&Ok(Ok(())));
        assert_eq!(rounds.logged, None);
    }

    type Shared = Arc<(tokio::sync::Notify, AtomicUsize)>;

    #[tokio::test(start_paused = true)]
    async fn a_wake_up_brings_the_next_round_forward() {
        let stop = CancellationToken::new();
        let shared = Arc::new((tokio::sync::Notify::new(), AtomicUsize::new(0)));
        let work = async |shared: Shared| {
            shared.1.fetch_add(1, Ordering::SeqCst);
            Ok(())
        };
        let wake = async |shared: Shared| shared.0.notified().await;
        let began = Instant::now();
        let running = tokio::spawn(Rounds::new("test", EVERY, stop.clone()).run(shared.clone(), wake, work));
        while shared.1.load(Ordering::SeqCst) < 3 {
            shared.0.notify_one();
            tokio::task::yield_now().await;
        }
        assert!(began.elapsed() < EVERY);
        stop.cancel();
        running.await.unwrap();
    }
}
