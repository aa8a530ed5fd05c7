//! A deleted contact is erased from the event log, and from what endpoints answered. The numbers have no gaps.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use domain::delivery::events::{Event, EventTypes};
use store::delivery::events::Leader;
use store::{Statement, params};
use testkit::World;
use testkit::receiver::{Receiver, Reply};

use crate::webhooks::world::Webhooks as _;

const ADA: &str = "14155550132";
const BEN: &str = "442079460123";
const SECRET: &str = "my door code is 4711";

/// Everything that is stored about events, numbered or not, and about erasures.
static STORED: Statement = Statement::new(
    "test.stored_events",
    "SELECT body FROM events WHERE tenant_id = $1 UNION ALL SELECT body FROM events_new WHERE tenant_id = $1
     UNION ALL SELECT person FROM erasures WHERE tenant_id = $1
     UNION ALL SELECT COALESCE(excerpt, '') FROM webhook_deliveries WHERE tenant_id = $1
     UNION ALL SELECT COALESCE(excerpt, '') FROM webhook_attempts WHERE tenant_id = $1",
);

async fn stored(world: &World) -> String {
    world.test.db.rows(&STORED, params![world.tenant()], store::read::<String>).await.unwrap().join("\n")
}

async fn pulled(world: &World, app: &app::App) -> Vec<Event> {
    app.delivery().events().pull(&world.me(), 0, EventTypes::all(), 10_000).await.unwrap().events
}

fn numbers(events: &[Event]) -> Vec<i64> {
    events.iter().map(|event| event.number).collect()
}

fn tell_secret(events: &[Event]) -> bool {
    events.iter().any(|event| event.payload().contains(SECRET))
}

testkit::both_databases! {
    async fn a_deleted_contact_is_erased_from_the_log_and_from_deliveries(world = World::simulated) {
        let answer = |post: &testkit::receiver::Post| Reply::With { status: 500, headers: Vec::new(), body: post.body.clone() };
        let receiver = Receiver::answering(answer).await;
        let (webhook, _) = world.endpoint_of(receiver.url("/"), &["message"], |_| {}).await;
        world.say(ADA, SECRET).await;
        world.say(BEN, "see you tomorrow").await;
        world.deliver().await;
        let other = world.another_node();
        let before = pulled(&world, &world.app).await;
        assert!(tell_secret(&before) && tell_secret(&pulled(&world, &other).await) && stored(&world).await.contains(SECRET));
        let posted = receiver.posts().len();
        assert_eq!(posted, 2);

        let ada = world.app.people().contacts().delete(&world.me(), ADA).await.unwrap();
        assert!(world.app.platform().erasures().begin(&world.me(), ada).await);
        let left = stored(&world).await;
        for word in [SECRET, ADA, "Ada Winter", "ada.winter"] {
            assert!(!left.contains(word), "{word} in {left}");
        }
        assert!(left.contains("see you tomorrow") && left.contains(BEN));
        // As the other node's worker does twice a second.
        other.delivery().webhooks().refresh().await.unwrap();
        for app in [&world.app, &other] {
            let after = pulled(&world, app).await;
            assert_eq!(numbers(&after), numbers(&before));
            assert!(!tell_secret(&after));
        }
        // The delivery that failed is made again, with what is left of the event.
        world.advance(3600);
        world.deliver().await;
        let posts = receiver.posts();
        assert_eq!(posts.len(), posted + 2);
        assert!(posts[posted..].iter().all(|post| !post.body.contains(SECRET) && !post.body.contains(ADA)));
        assert_eq!(world.deliveries(webhook.id).await.len(), 2);
    }

    async fn an_erasure_leaves_what_the_person_does_after_the_deletion(world = World::simulated) {
        let erasures = world.app.platform().erasures();
        world.say(ADA, SECRET).await;
        let ada = world.app.people().contacts().delete(&world.me(), ADA).await.unwrap();
        // The server stops when the erasure has begun: it knows the end of the log, and has examined nothing.
        let asked = AtomicUsize::new(0);
        erasures.complete(&|| asked.fetch_add(1, Ordering::SeqCst) > 0).await.unwrap();
        assert!(stored(&world).await.contains(SECRET));
        world.advance(1);
        world.say(ADA, "hello?").await;
        world.number().await;
        assert!(erasures.begin(&world.me(), ada).await);
        let left = stored(&world).await;
        assert!(!left.contains(SECRET) && left.contains("hello?"), "{left}");
    }

    async fn erasures_of_a_tenant_share_one_pass_and_leave_endpoints_alone(world = World::simulated) {
        let other = world.another_node();
        for person in [ADA, BEN] {
            world.say(person, SECRET).await;
        }
        world.number().await;
        assert!(tell_secret(&pulled(&world, &other).await));
        other.delivery().webhooks().refresh().await.unwrap();
        for person in [ADA, BEN] {
            world.app.people().contacts().delete(&world.me(), person).await.unwrap();
        }
        let asked = AtomicUsize::new(0);
        let count = || {
            asked.fetch_add(1, Ordering::SeqCst);
            false
        };
        world.app.platform().erasures().complete(&count).await.unwrap();
        assert_eq!(asked.into_inner(), 2, "once for the tenant, and once for its only page");
        assert!(!stored(&world).await.contains(SECRET));
        assert!(!other.delivery().webhooks().refresh().await.unwrap(), "no endpoint has changed");
        assert!(!tell_secret(&pulled(&world, &other).await));
    }

    async fn events_that_wait_in_a_dispatcher_are_posted_with_what_is_left_of_them(world = World::simulated) {
        let receiver = Receiver::answering(|_| Reply::With {
            status: 429,
            headers: vec![("retry-after", "120".to_owned())],
            body: String::new(),
        }).await;
        let one_at_a_time = |request: &mut app::delivery::webhooks::WebhookRequest| request.max_in_flight = domain::Change::Set(1);
        world.endpoint_of(receiver.url("/"), &["message"], one_at_a_time).await;
        world.say(BEN, "see you tomorrow").await;
        world.say(ADA, SECRET).await;
        let running = world.start_delivering().await;
        while receiver.posts().is_empty() {
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
        let ada = world.app.people().contacts().delete(&world.me(), ADA).await.unwrap();
        assert!(world.app.platform().erasures().begin(&world.me(), ada).await);
        while receiver.posts().iter().all(|post| post.body.contains("see you tomorrow")) {
            world.advance(130);
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        drop(running);
        assert!(receiver.posts().iter().all(|post| !post.body.contains(SECRET)));
    }

    async fn an_erasure_that_is_not_complete_says_so_and_goes_on(world = World::simulated) {
        // Another node leads the log, and does not number what Ada writes.
        let (db, now) = (world.app.db(), world.now());
        let leader = Leader { node: "other", now, until: now.plus_seconds(60) };
        store::delivery::events::number(db, world.tenant(), &leader, 10).await.unwrap();
        world.say(ADA, SECRET).await;
        let ada = world.app.people().contacts().delete(&world.me(), ADA).await.unwrap();
        assert!(!world.app.platform().erasures().begin(&world.me(), ada).await);
        world.app.platform().erasures().complete(&|| false).await.unwrap();
        assert!(stored(&world).await.contains(SECRET));
        world.advance(60);
        world.app.platform().erasures().complete(&|| true).await.unwrap();
        assert!(stored(&world).await.contains(SECRET), "a server that stops does nothing");
        world.app.platform().erasures().complete(&|| false).await.unwrap();
        assert!(!stored(&world).await.contains(SECRET));
        assert_eq!(store::people::contacts::erasures_of(db, world.tenant()).await.unwrap(), []);
        assert!(world.app.platform().erasures().begin(&world.me(), ada).await);
    }
}
