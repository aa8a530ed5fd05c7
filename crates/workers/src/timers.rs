//! The loop of timers: fires them when they are due (`app/src/timers.rs`).
//!
//! The loop sleeps until the earliest timer is due. A timer that this process sets is a wake-up, so that an earlier one
//! is not missed; timers of other nodes are found by a poll, in case the node that set them has died.

use std::sync::Arc;
use std::time::Duration;

use app::App;
use domain::Timestamp;
use parking_lot::Mutex;

use crate::round::Rounds;

/// Poll for timers that another node has set.
pub(crate) const EVERY: Duration = Duration::from_secs(20);

/// The loop looks at the clock this often, because the clock may be set.
const LOOK_AT_CLOCK_EVERY: Duration = Duration::from_secs(1);

/// The application, and when its next timer is due, unless its timers have not been read yet.
#[derive(Debug, Clone)]
struct TimerLoop {
    app: App,
    next: Arc<Mutex<NextTimer>>,
}

#[derive(Debug, Clone, Copy)]
enum NextTimer {
    /// No round has run yet.
    Unknown,
    At(Option<Timestamp>),
}

pub(crate) fn run(rounds: Rounds, app: App) -> impl Future<Output = ()> + Send {
    let timers = TimerLoop { app, next: Arc::new(Mutex::new(NextTimer::Unknown)) };
    rounds.run(timers, due, fire)
}

/// Returns when the next timer is due, or when this process has set one.
async fn due(timers: TimerLoop) {
    let next = *timers.next.lock();
    let is_due = async {
        match next {
            NextTimer::At(Some(at)) => {
                while timers.app.now() < at {
                    let wait = at.micros() - timers.app.now().micros();
                    let wait = Duration::from_micros(wait.max(0).cast_unsigned());
                    tokio::time::sleep(wait.min(LOOK_AT_CLOCK_EVERY)).await;
                }
            }
            NextTimer::At(None) | NextTimer::Unknown => std::future::pending().await,
        }
    };
    tokio::select! {
        () = is_due => {}
        () = timers.app.db().timer_set() => {}
    }
}

async fn fire(timers: TimerLoop) -> app::Result<()> {
    let is_first = matches!(*timers.next.lock(), NextTimer::Unknown);
    let missing = if is_first { timers.app.set_missing_timers().await } else { Ok(()) };
    // Timers of reachable tenants fire, too, while a part of the database is away.
    let next = timers.app.fire_timers().await?;
    missing?;
    *timers.next.lock() = NextTimer::At(next);
    Ok(())
}
