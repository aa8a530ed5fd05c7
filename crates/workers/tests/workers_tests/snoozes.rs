//! Snoozes that the workers end.

use std::time::Duration;

use app::Command;
use domain::messaging::conversations::Conversation;
use testkit::World;
use testkit::database::TestDb;
use testkit::world::config;

const ADA: &str = "14155550132";

testkit::both_databases! {
    async fn a_short_snooze_ends_in_time(test) {
        let app = World::with_config(TestDb::alone(test.db.engine()).await, config());
        let (me, now) = (Command(app.tenant()), app.app.now().to_millis());
        let (channel, _) = app.add_channel(app.tenant(), "Support", "14155550100").await;
        let ada = app.contact(ADA, "Ada").await;
        let conversation = Conversation::new(channel.id, ada.id, now);
        let id = conversation.id;
        let insert = app.test.db.write((app.tenant(), [conversation]), |tx, (tenant, new)| {
            Box::pin(store::messaging::conversations::insert_many(tx, *tenant, new))
        });
        insert.await.unwrap();
        let workers = workers::start(app.app.clone());
        app.app.inbox().conversations().snooze(&me, ADA.into(), Some(now.plus_seconds(10))).await.unwrap();
        app.test.clock.advance(Duration::from_secs(10));
        let is_snoozed = async || {
            let found = store::messaging::conversations::by_id(&app.test.db, app.tenant(), id).await.unwrap();
            found.unwrap().snoozed_until.is_some()
        };
        // The next poll would come after 20 s.
        let awake = async { while is_snoozed().await { tokio::time::sleep(Duration::from_millis(10)).await; } };
        tokio::time::timeout(Duration::from_secs(15), awake).await.unwrap();
        workers.stop().await;
    }
}
