//! One loop: wait, work, and go on whatever happens. A failure is said once until its kind changes or it has worked
//! again for a while.

use std::any::Any;
use std::future::Future;
use std::mem::{Discriminant, discriminant};
use std::panic::AssertUnwindSafe;
use std::time::Duration;

use futures_util::FutureExt as _;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// Many rounds find nothing to do and so cannot fail: one that goes well does not mean that the trouble is over.
const STEADY: Duration = Duration::from_secs(15);
/// Nobody who repairs a database should wait longer than this for the loops to notice.
const LONGEST_PAUSE: Duration = Duration::from_secs(5);

#[derive(Debug)]
pub(crate) struct Rounds {
    name: &'static str,
    every: Duration,
    stop: CancellationToken,
    /// In a row.
    failures: u32,
    said: Option<Kind>,
    failed_last: Instant,
}

/// What went wrong, as far as it decides whether it was said already.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Database(Discriminant<store::Error>),
    Failed(Discriminant<app::Error>),
    Panicked,
}

type Outcome = Result<app::Result<()>, Box<dyn Any + Send>>;

impl Rounds {
    pub fn new(name: &'static str, every: Duration, stop: CancellationToken) -> Self {
        Self { name, every, stop, failures: 0, said: None, failed_last: Instant::now() }
    }

    /// Works at once, then whenever `wake` comes back or the time is up, until it is stopped.
    pub async fn run<C, W, R>(mut self, context: C, wake: impl Fn(C) -> W, work: impl Fn(C) -> R)
    where
        C: Clone,
        W: Future,
        R: Future<Output = app::Result<()>>,
    {
        loop {
            // Also a panic before the first await must not end the loop.
            let round = async { work(context.clone()).await };
            let outcome = AssertUnwindSafe(round).catch_unwind().await;
            self.note(&outcome);
            if self.wait(wake(context.clone())).await == Next::Stopped {
                return;
            }
        }
    }

    /// After a failure only time helps: a wake-up would make a broken database busy.
    async fn wait(&mut self, wake: impl Future) -> Next {
        let pause = pause(self.every, self.failures);
        let failing = self.failures > 0;
        tokio::select! {
            biased;
            () = self.stop.cancelled() => Next::Stopped,
            () = tokio::time::sleep(pause) => Next::Round,
            _ = wake, if !failing => Next::Round,
        }
    }

    fn note(&mut self, outcome: &Outcome) {
        let kind = match outcome {
            Ok(Ok(())) => return self.works(),
            Ok(Err(app::Error::Store(error))) => Kind::Database(discriminant(error)),
            Ok(Err(error)) => Kind::Failed(discriminant(error)),
            Err(_) => Kind::Panicked,
        };
        self.failures = self.failures.saturating_add(1);
        self.failed_last = Instant::now();
        metrics::counter!("switchboard_worker_failures_total", "worker" => self.name).increment(1);
        if self.said.replace(kind) == Some(kind) {
            return;
        }
        if let Ok(Err(error)) = outcome {
            tracing::warn!(worker = self.name, %error, "a worker fails; it is tried again");
        } else {
            tracing::error!(worker = self.name, "a worker panicked; it is started again");
        }
    }

    fn works(&mut self) {
        self.failures = 0;
        if self.said.is_some() && self.failed_last.elapsed() >= STEADY {
            self.said = None;
            tracing::info!(worker = self.name, "a worker works again");
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Next {
    Round,
    Stopped,
}

/// Doubles with every failure, with jitter so that nodes do not come back together.
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
    async fn a_failure_is_said_once_for_each_kind() {
        let mut rounds = Rounds::new("test", EVERY, CancellationToken::new());
        let unavailable = || Ok(Err(store::Error::Unavailable(String::new()).into()));
        rounds.note(&unavailable());
        let first = rounds.said;
        rounds.note(&unavailable());
        assert_eq!((rounds.said, rounds.failures), (first, 2));
        rounds.note(&Ok(Err(store::Error::Panicked.into())));
        assert_ne!(rounds.said, first);
        rounds.note(&Ok(Ok(())));
        assert_eq!(rounds.failures, 0);
        assert!(rounds.said.is_some(), "one idle round is no proof");
        tokio::time::advance(STEADY).await;
        rounds.note(&Ok(Ok(())));
        assert_eq!(rounds.said, None);
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
