//! Stopping a broadcast: waiting messages are not sent, a broadcast is stopped only once, and only in the caller's
//! tenant.

use app::{Command, Error};
use domain::messaging::broadcasts::RecipientStatus;

use crate::broadcasts::world::{Broadcasts as _, campaigner, people, standing};
use crate::callers::TestCaller;

testkit::both_databases! {
    async fn scheduled_messages_are_stopped_and_never_sent(world = campaigner) {
        let soon = world.now().plus_seconds(3600);
        let id = world.campaign(Some(soon)).await.broadcast_id;
        assert_eq!(standing(&world.find(id).await.statistics.by_status), [(RecipientStatus::Pending, 12), (RecipientStatus::Failed, 2)]);
        let stopped = world.app.messaging().broadcasts().cancel(&world.me(), id).await.unwrap();
        assert_eq!(standing(&stopped.statistics.by_status), [(RecipientStatus::Failed, 2), (RecipientStatus::Stopped, 12)]);
        assert_eq!(stopped.view.broadcast.stopped_at, Some(world.now().to_millis()));
        world.later(3600).await;
        world.leave().await;
        for person in &people() {
            let inbox = world.sandbox().inbox(world.tenant(), person, 10).await.unwrap();
            assert!(inbox.messages.is_empty(), "{person}");
        }
        let again = world.app.messaging().broadcasts().cancel(&world.me(), id).await;
        assert!(matches!(again, Err(Error::Conflict { ref message, .. }) if message.contains("already stopped")));
    }

    async fn a_broadcast_is_queued_at_its_scheduled_time(world = campaigner) {
        let soon = world.now().plus_seconds(60);
        let id = world.campaign(Some(soon)).await.broadcast_id;
        world.later(60).await;
        assert_eq!(standing(&world.find(id).await.statistics.by_status), [(RecipientStatus::Queued, 12), (RecipientStatus::Failed, 2)]);
    }

    async fn sent_messages_cannot_be_stopped(world = campaigner) {
        let id = world.campaign(None).await.broadcast_id;
        world.leave().await;
        let late = world.app.messaging().broadcasts().cancel(&world.me(), id).await;
        assert!(matches!(late, Err(Error::Conflict { ref place, .. }) if place.to_string() == "id"), "{late:?}");
        let shown = world.find(id).await;
        assert_eq!(shown.view.broadcast.stopped_at, None);
        assert_eq!(shown.statistics.get(RecipientStatus::Stopped), 0);
    }

    async fn of_many_concurrent_requests_to_stop_one_succeeds(world = campaigner) {
        let id = world.campaign(None).await.broadcast_id;
        let cancel = || async { world.app.messaging().broadcasts().cancel(&world.me(), id).await.is_ok() };
        let outcomes = futures_util::future::join_all((0..20).map(|_| cancel())).await;
        assert_eq!(outcomes.into_iter().filter(|stopped| *stopped).count(), 1);
    }

    async fn the_same_request_again_after_a_crash_has_the_same_answer(world = campaigner) {
        let id = world.campaign(None).await.broadcast_id;
        let caller = TestCaller::keyed(&world, "cancel_broadcast");
        let _lock = caller.lock_key(&world).await;
        let first = world.app.messaging().broadcasts().cancel(&caller, id).await.unwrap();
        let again = world.app.messaging().broadcasts().cancel(&caller, id).await.unwrap();
        assert_eq!((first.statistics, first.view.broadcast), (again.statistics, again.view.broadcast));
    }

    async fn a_broadcast_of_another_tenant_does_not_exist(world = campaigner) {
        let id = world.campaign(None).await.broadcast_id;
        let foreign = Command(world.test.new_tenant("unlimited").await);
        let broadcasts = world.app.messaging().broadcasts();
        assert!(matches!(broadcasts.find(&foreign, id).await, Err(Error::NotFound(app::Thing::Broadcast))));
        assert!(matches!(broadcasts.cancel(&foreign, id).await, Err(Error::NotFound(app::Thing::Broadcast))));
        assert_eq!(world.find(id).await.statistics.get(RecipientStatus::Queued), 12);
    }
}
