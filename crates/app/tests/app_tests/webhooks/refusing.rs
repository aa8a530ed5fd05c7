//! Unusual answers, and endpoints that cannot be reached.

use domain::delivery::webhooks::DeliveryState;
use testkit::World;
use testkit::receiver::{Receiver, Reply};

use crate::webhooks::world::Webhooks as _;

testkit::both_databases! {
    async fn the_status_of_an_answer_decides_and_not_its_body(world = World::alone) {
        let large = Receiver::answering(|_| Reply::With { status: 200, headers: Vec::new(), body: "x".repeat(64 << 10) }).await;
        let endless = Receiver::answering(|_| Reply::Endless).await;
        let (large_hook, _) = world.endpoint(large.url("/")).await;
        let (endless_hook, _) = world.endpoint(endless.url("/")).await;
        world.calls(0..3).await;
        world.deliver().await;
        for hook in [large_hook.id, endless_hook.id] {
            let deliveries = world.deliveries(hook).await;
            assert_eq!(deliveries.len(), 3);
            for delivery in deliveries {
                assert_eq!(delivery.state, DeliveryState::Delivered);
                assert_eq!(delivery.excerpt.unwrap().len(), 500);
            }
        }
    }

    async fn an_endpoint_that_cannot_be_reached_has_an_error_with_the_reason(world = World::alone) {
        let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let plain = Receiver::start().await;
        let tls = plain.url("/").replace("http://", "https://");
        for (url, error) in [
            (format!("http://127.0.0.1:{port}/"), "no connection"),
            (tls, "no connection"),
            ("https://nowhere.invalid/".to_owned(), "no connection"),
        ] {
            let (webhook, _) = world.endpoint(url.clone()).await;
            world.append_call("one").await;
            world.deliver().await;
            let delivery = world.deliveries(webhook.id).await.remove(0);
            assert_eq!((delivery.state, delivery.status), (DeliveryState::Retrying, None));
            let attempt = world.attempts(webhook.id, delivery.id).await.remove(0);
            assert!(attempt.error.starts_with(error), "{url}: {}", attempt.error);
            world.app.delivery().webhooks().delete(&world.me(), webhook.id).await.unwrap();
        }
    }
}
