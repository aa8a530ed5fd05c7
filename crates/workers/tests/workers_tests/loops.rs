//! Loops that are added to those that every server has.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use testkit::World;
use tokio::sync::Notify;

/// Longer than any test, so that only a wake-up causes another round.
const EVERY: Duration = Duration::from_hours(1);

#[derive(Clone, Default)]
struct Bell {
    rung: Arc<Notify>,
    heard: Arc<Notify>,
    rounds: Arc<AtomicUsize>,
}

testkit::both_databases! {
    async fn an_added_loop_works_at_once_and_when_woken_and_ends_with_the_others(app = World::alone) {
        let mut workers = workers::start(app.app.clone());
        let bell = Bell::default();
        let wake = async |bell: Bell| bell.rung.notified().await;
        let work = async |bell: Bell| {
            bell.rounds.fetch_add(1, Ordering::SeqCst);
            bell.heard.notify_one();
            Ok(())
        };
        workers.run("test", EVERY, bell.clone(), wake, work);
        bell.heard.notified().await;
        bell.rung.notify_one();
        bell.heard.notified().await;
        tokio::time::timeout(Duration::from_secs(20), workers.stop()).await.unwrap();
        bell.rung.notify_one();
        tokio::task::yield_now().await;
        assert_eq!((bell.rounds.load(Ordering::SeqCst), Arc::strong_count(&bell.rounds)), (2, 1), "the loop has ended");
    }
}
