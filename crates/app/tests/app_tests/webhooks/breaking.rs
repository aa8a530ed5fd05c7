//! Failing endpoints: paused, taken out of service, recovered.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use domain::delivery::events::EventType;
use domain::delivery::webhooks::{DeliveryState, WebhookStatus};
use testkit::World;
use testkit::receiver::{Receiver, Reply};

use crate::webhooks::world::Webhooks as _;

testkit::both_databases! {
    async fn a_dead_endpoint_is_probed_and_gets_everything_when_it_is_back(world = World::alone) {
        let dead = Arc::new(AtomicBool::new(true));
        let is_dead = Arc::clone(&dead);
        let receiver = Receiver::answering(move |_| Reply::Status(if is_dead.load(Ordering::SeqCst) { 500 } else { 200 })).await;
        let (webhook, _) = world.endpoint_of(receiver.url("/"), &["call.status"], |request| request.max_in_flight = domain::Change::Set(1)).await;
        world.calls(0..200).await;
        world.deliver().await;
        assert_eq!(receiver.posts().len(), 5, "five failures open the breaker");
        for _ in 0..10 {
            world.advance(60);
            world.deliver().await;
        }
        assert_eq!(receiver.posts().len(), 15, "one request for each probe");
        dead.store(false, Ordering::SeqCst);
        world.advance(60);
        world.deliver().await;
        world.advance(600);
        world.deliver().await;
        let deliveries = world.deliveries(webhook.id).await;
        assert_eq!(deliveries.len(), 200);
        assert!(deliveries.iter().all(|one| one.state == DeliveryState::Delivered));
        assert_eq!(world.view(webhook.id).await.health.failed_in_a_row, 0);
    }

    async fn a_retry_after_of_the_endpoint_is_kept(world = World::alone) {
        let receiver = Receiver::answering(|_| Reply::With {
            status: 429,
            headers: vec![("retry-after", "120".to_owned())],
            body: String::new(),
        }).await;
        world.endpoint_of(receiver.url("/"), &["call.status"], |request| request.max_in_flight = domain::Change::Set(1)).await;
        world.calls(0..10).await;
        world.deliver().await;
        world.advance(119);
        world.deliver().await;
        assert_eq!(receiver.posts().len(), 1);
        world.advance(2);
        world.deliver().await;
        assert_eq!(receiver.posts().len(), 2);
    }

    async fn an_endpoint_that_is_gone_is_disabled_and_its_deliveries_are_parked(world = World::alone) {
        let receiver = Receiver::answering(|_| Reply::Status(410)).await;
        let (webhook, _) = world.endpoint_of(receiver.url("/"), &["call.status"], |request| request.max_in_flight = domain::Change::Set(1)).await;
        world.calls(0..10).await;
        world.deliver().await;
        let now = world.view(webhook.id).await;
        assert_eq!((now.status, now.reason.as_deref()), (WebhookStatus::Disabled, Some("the endpoint answered 410 Gone")));
        world.advance(4000);
        world.deliver().await;
        assert_eq!(receiver.posts().len(), 1);
        assert_eq!(world.deliveries(webhook.id).await[0].state, DeliveryState::Parked);
    }

    async fn a_day_of_failures_makes_it_defective_once_and_recovery_brings_everything(world = World::alone) {
        let watcher = Receiver::start().await;
        world.endpoint_of(watcher.url("/"), &["webhookDefective"], |_| {}).await;
        let dead = Arc::new(AtomicBool::new(true));
        let is_dead = Arc::clone(&dead);
        let receiver = Receiver::answering(move |_| Reply::Status(if is_dead.load(Ordering::SeqCst) { 500 } else { 200 })).await;
        let (webhook, _) = world.endpoint(receiver.url("/")).await;
        let began = world.now();
        world.calls(0..20).await;
        for _ in 0..(25 * 4) {
            world.deliver().await;
            world.advance(900);
        }
        let now = world.view(webhook.id).await;
        assert_eq!(now.status, WebhookStatus::Defective, "{:?}", now.health);
        assert_eq!(world.log_of(EventType::WebhookDefective).await.len(), 1);
        world.deliver().await;
        assert_eq!(watcher.posts().len(), 1);
        assert_eq!(watcher.posts()[0].json()["webhookId"], webhook.id.to_string());
        let tried = receiver.posts().len();
        world.calls(20..30).await;
        world.advance(4000);
        world.deliver().await;
        assert_eq!(receiver.posts().len(), tried, "no attempts while it is defective");
        dead.store(false, Ordering::SeqCst);
        let window = domain::delivery::webhooks::RecoveryWindow { since: began, until: None };
        world.app.delivery().webhooks().recover(&world.me(), webhook.id, window).await.unwrap();
        world.deliver().await;
        let deliveries = world.deliveries(webhook.id).await;
        assert_eq!(deliveries.len(), 30);
        assert!(deliveries.iter().all(|one| one.state == DeliveryState::Delivered), "{deliveries:?}");
        assert_eq!(world.view(webhook.id).await.status, WebhookStatus::Enabled);
    }

    async fn a_delivery_that_never_succeeds_is_given_up_after_a_day_and_can_be_retried(world = World::alone) {
        let tries = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&tries);
        let receiver = Receiver::answering(move |post| {
            let is_poison = post.body.contains("\"poison\"");
            Reply::Status(if is_poison && counted.fetch_add(1, Ordering::SeqCst) < 150 { 500 } else { 200 })
        }).await;
        let (webhook, _) = world.endpoint(receiver.url("/")).await;
        world.append_call("poison").await;
        for round in 0..(24 * 12 + 10) {
            world.append_call(&format!("good-{round}")).await;
            world.deliver().await;
            world.advance(300);
        }
        let poison = world.deliveries(webhook.id).await.into_iter().find(|one| one.number == 1).unwrap();
        assert_eq!(poison.state, DeliveryState::Failed);
        assert!(poison.attempts >= 100, "{} attempts", poison.attempts);
        assert_eq!(world.view(webhook.id).await.status, WebhookStatus::Enabled, "the other deliveries succeeded");
        tries.store(1000, Ordering::SeqCst);
        world.app.delivery().webhooks().retry(&world.me(), webhook.id, poison.id).await.unwrap();
        world.deliver().await;
        let poison = world.deliveries(webhook.id).await.into_iter().find(|one| one.number == 1).unwrap();
        assert_eq!(poison.state, DeliveryState::Delivered);
    }
}
