//! Consumers of the event log: an event that a handler cannot process stops neither the log nor the other events.

use domain::delivery::consumers::ConsumerGroup;
use domain::delivery::events::{EventTypes, FactKind};
use domain::platform::activity::ActivityMetric;
use serde_json::json;
use store::{Engine, Statement};
use testkit::World;
use testkit::world::OnWorld;

use crate::conversations::activity::Acting as _;
use crate::conversations::world::{ADA, Talks as _};

trait Refusing: OnWorld {
    /// Executes one of two statements of the schema, by engine.
    async fn alter(self, sqlite: &str, postgres: &str) {
        let text = if self.test.db.engine() == Engine::Sqlite { sqlite } else { postgres }.to_owned();
        let alter = self.test.db.write(text, |tx, text| {
            Box::pin(async move {
                tx.execute(&Statement::composed("test.alter", text.clone()), &[]).await?;
                Ok::<_, store::Error>(())
            })
        });
        alter.await.unwrap();
    }

    /// Makes the database refuse to count clicks.
    async fn refuse_clicks(self) {
        self.alter(
            "CREATE TRIGGER refuse BEFORE INSERT ON daily_activity WHEN NEW.metric = 'clicked'
             BEGIN SELECT RAISE(ABORT, 'refused by the test'); END",
            "ALTER TABLE daily_activity ADD CONSTRAINT refuse CHECK (metric <> 'clicked')",
        )
        .await;
    }

    async fn accept_clicks(self) {
        self.alter("DROP TRIGGER refuse", "ALTER TABLE daily_activity DROP CONSTRAINT refuse").await;
    }

    async fn amounts(self) -> Vec<(ActivityMetric, i64)> {
        let mut counts = self.count().await;
        counts.sort_unstable_by_key(|(_, metric, _)| metric.name());
        counts.into_iter().map(|(_, metric, amount)| (metric, amount)).collect()
    }
}

impl Refusing for &World {}

testkit::both_databases! {
    async fn an_event_that_cannot_be_processed_is_parked_and_stops_nothing(world = World::alone) {
        let support = world.open_channel("Support", "14155550100").await;
        let ada = world.person(ADA, "Ada").await;
        let one = world.said(&support, &ada, "hi").await;
        world.refuse_clicks().await;
        for kind in [FactKind::Received, FactKind::Clicked, FactKind::Received, FactKind::Delivered] {
            world.happened(kind, &one, world.now(), json!({})).await;
        }
        let consumers = world.app.delivery().consumers();
        let without = [(ActivityMetric::Delivered, 1), (ActivityMetric::Received, 2)];
        assert_eq!(world.amounts().await, without, "in the second round, nothing is left to process");
        let parked = consumers.parked(&world.me()).await.unwrap();
        let [click] = parked.as_slice() else { panic!("one event is parked: {parked:?}") };
        assert_eq!((click.consumer.as_str(), click.handler.as_str()), ("projections", "activity"));
        let log = world.app.delivery().events().pull(&world.me(), 0, EventTypes::all(), 100).await.unwrap();
        let event = log.events.into_iter().find(|event| event.number == click.number).unwrap();
        assert!(event.kind.name().starts_with("ctaUrlClicked"), "{}", event.kind);

        let (processed, failure) = consumers.retry_parked(&world.me()).await.unwrap();
        assert_eq!((processed, failure.is_some()), (0, true), "the database still refuses");
        world.accept_clicks().await;
        let (processed, failure) = consumers.retry_parked(&world.me()).await.unwrap();
        assert_eq!((processed, failure.is_some()), (1, false));
        assert!(consumers.parked(&world.me()).await.unwrap().is_empty());
        let with = [(ActivityMetric::Clicked, 1), (ActivityMetric::Delivered, 1), (ActivityMetric::Received, 2)];
        assert_eq!(world.amounts().await, with);
        assert_eq!(consumers.retry_parked(&world.me()).await.unwrap().0, 0);
        assert_eq!(world.amounts().await, with, "a repeat changes nothing");
    }

    async fn a_log_that_grows_is_processed_without_a_search(world = World::alone) {
        let support = world.open_channel("Support", "14155550100").await;
        let ada = world.person(ADA, "Ada").await;
        let one = world.said(&support, &ada, "hi").await;
        let consumers = world.app.delivery().consumers();
        world.happened(FactKind::Received, &one, world.now(), json!({})).await;
        world.app.delivery().events().number_log(world.tenant()).await.unwrap();
        consumers.moved(ConsumerGroup::Projections).await;
        consumers.process_moved(ConsumerGroup::Projections).await.unwrap();
        let log = store::platform::queues::consumer(&world.test.db, world.tenant(), ConsumerGroup::Projections);
        assert_eq!(log.await.unwrap().count, 0, "the group is at the end of the log");
        consumers.process_behind(ConsumerGroup::Projections).await.unwrap();
        assert_eq!(world.amounts().await, [(ActivityMetric::Received, 1)]);
    }

    async fn counting_goes_on_where_an_earlier_version_ended(world = World::alone) {
        let support = world.open_channel("Support", "14155550100").await;
        let ada = world.person(ADA, "Ada").await;
        let one = world.said(&support, &ada, "hi").await;
        for _ in 0..3 {
            world.happened(FactKind::Delivered, &one, world.now(), json!({})).await;
        }
        world.app.delivery().events().number_log(world.tenant()).await.unwrap();
        let tenant = world.tenant();
        // Each of these facts has two events.
        let insert = format!("INSERT INTO activity_positions (tenant_id, position) VALUES ({tenant}, 4)");
        world.alter(&insert, &insert).await;
        assert_eq!(world.amounts().await, [(ActivityMetric::Delivered, 1)], "only the third one");
    }
}
