//! Deliveries are signed and filtered, made once if nothing fails, and retried if something does.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use domain::Change;
use domain::delivery::webhooks::{DeliveryState, Header, signature};
use testkit::World;
use testkit::receiver::{Receiver, Reply};

use crate::webhooks::world::Webhooks as _;

testkit::both_databases! {
    async fn every_event_is_posted_once_signed_and_recorded(world = World::alone) {
        let receiver = Receiver::start().await;
        let headers = |request: &mut app::delivery::webhooks::WebhookRequest| {
            request.headers = Some(vec![Header { name: "X-Team".to_owned(), value: "blue".to_owned() }]);
        };
        world.append_call("before").await;
        world.number().await;
        let (webhook, secret) = world.endpoint_of(receiver.url("/hook"), &["call.status"], headers).await;
        world.calls(0..300).await;
        world.deliver().await;
        let posts = receiver.posts();
        assert_eq!(posts.len(), 300);
        assert_eq!(posts.iter().map(|post| post.id().to_owned()).collect::<BTreeSet<_>>().len(), 300);
        for post in &posts {
            assert_eq!((post.path.as_str(), post.header("x-team")), ("/hook", "blue"));
            assert_eq!(post.header("content-type"), "application/json");
            assert!(post.header("user-agent").starts_with("switchboard/"));
            let at = domain::Timestamp::from_seconds(post.header("webhook-timestamp").parse().unwrap());
            assert_eq!(post.header("webhook-signature"), signature([&secret], post.id().parse().unwrap(), at, &post.body));
            assert_eq!(post.json()["eventType"], "call.status");
        }
        let deliveries = world.deliveries(webhook.id).await;
        assert_eq!(deliveries.len(), 300);
        assert!(deliveries.iter().all(|one| one.state == DeliveryState::Delivered && one.attempts == 1 && one.status == Some(200)));
        world.deliver().await;
        assert_eq!(receiver.posts().len(), 300, "nothing is delivered twice");
    }

    async fn events_of_a_suspended_tenant_are_delivered_when_it_is_resumed(world = World::alone) {
        let receiver = Receiver::start().await;
        world.endpoint(receiver.url("/hook")).await;
        world.deliver().await;
        world.app.platform().tenants().suspend(&app::Command(world.tenant())).await.unwrap();
        world.calls(0..3).await;
        world.deliver().await;
        assert!(receiver.posts().is_empty());
        world.app.platform().tenants().resume(&app::Command(world.tenant())).await.unwrap();
        world.deliver().await;
        assert_eq!(receiver.posts().len(), 3);
    }

    async fn an_endpoint_gets_only_the_types_and_the_channel_that_it_asks_for(world = World::alone) {
        let (channel, _) = world.add_channel(world.tenant(), "Support", "14155552671").await;
        let (other, _) = world.add_channel(world.tenant(), "Sales", "14155552672").await;
        let (all, one, none) = (Receiver::start().await, Receiver::start().await, Receiver::start().await);
        world.endpoint(all.url("/")).await;
        world.endpoint_of(one.url("/"), &["call.status"], |request| request.channel = Change::Set("Support".to_owned())).await;
        world.endpoint_of(none.url("/"), &["message", "templateReviewed"], |_| {}).await;
        for (call, channel) in [("a", Some(channel.id)), ("b", Some(other.id)), ("c", None)] {
            let fact = domain::delivery::events::Fact { channel_id: channel, ..world.fact(call, None) };
            world.append(vec![fact]).await;
        }
        world.deliver().await;
        let calls = |receiver: &Receiver| {
            let mut calls: Vec<String> = receiver.posts().iter().map(|post| post.json()["call_id"].as_str().unwrap().to_owned()).collect();
            calls.sort();
            calls
        };
        assert_eq!((calls(&all), calls(&one)), (vec!["a".into(), "b".into(), "c".into()], vec!["a".into(), "c".into()]));
        assert!(none.posts().is_empty());
    }

    async fn a_failed_delivery_is_retried_on_schedule_with_the_same_id_and_body(world = World::alone) {
        let tries = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&tries);
        let receiver = Receiver::answering(move |_| {
            let body = "sorry\u{0}, not now".to_owned();
            match counted.fetch_add(1, Ordering::SeqCst) {
                0 => Reply::With { status: 503, headers: Vec::new(), body },
                1 => Reply::Status(302),
                _ => Reply::Status(204),
            }
        }).await;
        let (webhook, _) = world.endpoint(receiver.url("/")).await;
        world.append_call("one").await;
        world.deliver().await;
        world.advance(3);
        world.deliver().await;
        assert_eq!(receiver.posts().len(), 1, "not before its time");
        world.advance(3);
        world.deliver().await;
        world.advance(40);
        world.deliver().await;
        world.advance(4000);
        world.deliver().await;
        let posts = receiver.posts();
        assert_eq!(posts.len(), 3);
        assert!(posts.iter().all(|post| post.id() == posts[0].id() && post.body == posts[0].body));
        assert_ne!(posts[0].header("webhook-timestamp"), posts[2].header("webhook-timestamp"));
        let delivery = world.deliveries(webhook.id).await.remove(0);
        assert_eq!((delivery.state, delivery.attempts, delivery.status), (DeliveryState::Delivered, 3, Some(204)));
        let attempts = world.attempts(webhook.id, delivery.id).await;
        let failed: Vec<_> = attempts.iter().map(|one| (one.attempt, one.status, one.error.as_str(), one.excerpt.as_deref())).collect();
        assert_eq!(failed, [
            (1, Some(503), "answered 503", Some("sorry , not now")),
            (2, Some(302), "answered 302: redirects are not followed", None),
        ]);
    }

    async fn the_next_lease_holder_skips_what_was_delivered_and_delivers_the_rest(world = World::alone) {
        let failing = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&failing);
        // One of the first events fails; its delivery is stored as retrying.
        let receiver = Receiver::answering(move |post| {
            let fails = post.body.contains("\"call-2\"") && counted.fetch_add(1, Ordering::SeqCst) == 0;
            Reply::Status(if fails { 500 } else { 200 })
        }).await;
        let (webhook, _) = world.endpoint(receiver.url("/")).await;
        world.calls(0..10).await;
        world.deliver().await;
        assert_eq!(receiver.posts().len(), 10);
        // As after a crash before the position was stored.
        let back = world.app.db().write((world.tenant(), webhook.id), |tx, (tenant, webhook)| {
            Box::pin(async move {
                store::delivery::webhooks::dispatch_state::reset_to(tx, *tenant, *webhook, 0).await
            })
        });
        back.await.unwrap();
        world.calls(10..12).await;
        // The lease of the first node ends.
        world.advance(4);
        let node = world.another_node();
        world.deliver_with(&node).await;
        assert_eq!(receiver.posts().len(), 12, "only new events");
        world.advance(10);
        world.deliver_with(&node).await;
        assert_eq!(receiver.posts().len(), 13, "and the retry when it is due");
    }

    async fn a_dead_endpoint_delays_no_other(world = World::alone) {
        let (good, hanging) = (Receiver::start().await, Receiver::answering(|_| Reply::Hang).await);
        let (bad, _) = world.endpoint(hanging.url("/")).await;
        world.endpoint(good.url("/")).await;
        world.calls(0..50).await;
        world.number().await;
        world.app.delivery().webhooks().refresh().await.unwrap();
        let stop = tokio_util::sync::CancellationToken::new();
        let run = |key| {
            let (app, stop) = (world.app.clone(), stop.clone());
            tokio::spawn(async move { app.delivery().webhooks().run_dispatcher(key, app::delivery::webhooks::WhenIdle::Linger, stop).await })
        };
        let recorder = tokio::spawn({
            let app = world.app.clone();
            async move { app.delivery().webhooks().run_recorder().await }
        });
        let dispatchers: Vec<_> = world.app.delivery().webhooks().owned().into_iter().map(run).collect();
        assert_eq!(dispatchers.len(), 2);
        while good.posts().len() < 50 {
            tokio::task::yield_now().await;
        }
        assert!(world.deliveries(bad.id).await.is_empty());
        for dispatcher in &dispatchers {
            dispatcher.abort();
        }
        recorder.abort();
    }

    async fn a_search_through_a_long_log_lets_other_tasks_run_between_its_reads(world = World::alone) {
        world.endpoint_of("https://example.com/hook".to_owned(), &["message"], |_| {}).await;
        world.append((0..3000).map(|number| world.fact(&format!("call-{number}"), None)).collect()).await;
        world.number().await;
        // A node that has none of the events in memory.
        let (node, most) = (world.another_node(), Arc::new(AtomicUsize::new(0)));
        let other = tokio::spawn({
            let (node, most) = (node.clone(), Arc::clone(&most));
            async move {
                let mut before = node.db().traffic();
                loop {
                    tokio::task::yield_now().await;
                    let now = node.db().traffic();
                    most.fetch_max(usize::try_from(now.since(before).rows_read).unwrap(), Ordering::SeqCst);
                    before = now;
                }
            }
        });
        world.deliver_with(&node).await;
        other.abort();
        let most = most.load(Ordering::SeqCst);
        assert!((1..=600).contains(&most), "{most} rows were read before another task ran");
    }

    async fn both_secrets_sign_during_a_rotation(world = World::alone) {
        let receiver = Receiver::start().await;
        let (webhook, old) = world.endpoint(receiver.url("/")).await;
        let (_, new) = world.app.delivery().webhooks().rotate_secret(&world.me(), webhook.id).await.unwrap();
        world.append_call("during").await;
        world.deliver().await;
        world.advance(25 * 3600);
        world.append_call("after").await;
        world.deliver().await;
        let posts = receiver.posts();
        let at = |post: &testkit::receiver::Post| domain::Timestamp::from_seconds(post.header("webhook-timestamp").parse().unwrap());
        let signed = |post: &testkit::receiver::Post, secrets: &[&domain::delivery::webhooks::Secret]| {
            signature(secrets.iter().copied(), post.id().parse().unwrap(), at(post), &post.body)
        };
        assert_eq!(posts[0].header("webhook-signature"), signed(&posts[0], &[&new, &old]));
        assert_eq!(posts[1].header("webhook-signature"), signed(&posts[1], &[&new]));
    }
}
