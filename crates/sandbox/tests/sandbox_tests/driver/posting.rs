//! Posting: in order for each channel, until accepted, by any node.

use std::time::Duration;

use domain::Timestamp;
use futures_util::FutureExt as _;
use http::header;

use crate::driver::world::{self, START, Street, another_channel, street, texts};

const LEASE: &str = "sandbox/post";

testkit::both_databases! {
    async fn messages_are_posted_once_signed_and_in_order(world = street) {
        for text in ["one", "two", "three"] {
            world.says(text).await;
        }
        let posts = world.posts().await;
        assert_eq!(posts.len(), 1);
        assert_eq!(posts[0].uri, format!("http://127.0.0.1:9/hooks/whatsapp/{}", world.channel.id));
        assert_eq!(posts[0].headers[header::HOST], "switchboard.example");
        assert_eq!(texts(&posts[0].records()), ["one", "two", "three"]);
        let body = posts[0].json();
        assert_eq!(body["entry"].as_array().unwrap().len(), 1);
        assert_eq!(body["entry"][0]["id"], *world.channel.account_id);
        assert_eq!(posts[0].time, Some(Duration::from_secs(5)));
        assert!(world.posts().await.is_empty(), "taken once");
    }

    async fn another_address_gets_all_webhooks_signed_with_the_channels_secret(world = street) {
        let elsewhere = world.posting_to("https://app.example:8443/webhooks/meta?of=sandbox");
        world.says("one").await;
        world.business.will_answer(&[Some(500)]);
        elsewhere.post_due().await.unwrap();
        world.advance(1);
        world.test.clock.advance(Duration::from_micros(1));
        elsewhere.post_due().await.unwrap();
        let posts = world.business.take();
        assert_eq!(posts.len(), 2, "a refused webhook is posted again");
        for post in &posts {
            assert_eq!(post.uri, "https://app.example:8443/webhooks/meta?of=sandbox");
            assert!(!post.headers.contains_key(header::HOST), "the address names its own host: {:?}", post.headers);
            assert_eq!(texts(&post.records()), ["one"], "the signature is checked here too");
        }
        assert_eq!(posts[0].body, posts[1].body);
    }

    async fn a_retry_has_the_same_bytes(world = street) {
        world.says("one").await;
        world.says("two").await;
        world.business.will_answer(&[Some(500)]);
        let refused = world.posts().await.remove(0);
        world.advance(1);
        world.test.clock.advance(Duration::from_micros(1));
        world.says("three").await;
        let posts = world.posts().await;
        let again = posts.iter().find(|post| post.body == refused.body);
        let others: Vec<String> = posts.iter().filter(|post| post.body != refused.body).flat_map(|post| texts(&post.records())).collect();
        assert!(again.is_some(), "{posts:?}");
        assert_eq!(others, ["three"], "what is new goes by itself");
    }

    async fn the_lease_holder_keeps_its_lease_without_needless_writes(world = street) {
        let held = async || store::base::leases::live(&world.test.db, LEASE, world.test.clock.now()).await.unwrap();
        world.sandbox.post_due().await.unwrap();
        assert_eq!(held().await, 0, "there was nothing to post");
        world.says("one").await;
        assert_eq!((world.posts().await.len(), held().await), (1, 1));
        world.advance(60);
        world.sandbox.post_due().await.unwrap();
        assert_eq!(held().await, 0, "it was not extended for nothing");
        world.says("two").await;
        let until = world.test.clock.now().plus_seconds(10);
        let other = world.test.db.write((world.test.clock.now(), until), |tx, (now, until)| {
            Box::pin(store::base::leases::acquire(tx, LEASE, "another node", *now, *until))
        });
        assert!(other.await.unwrap().is_some());
        assert_eq!(world.sandbox.post_due().await.unwrap(), Some(world.test.clock.now().plus_seconds(1)));
        assert!(world.business.take().is_empty(), "the other node posts");
        world.advance(10);
        assert_eq!(texts(&world.records().await), ["two"]);
    }

    async fn an_act_that_schedules_nothing_sends_no_wake_up(world = street) {
        world.says("hi").await;
        world.posts().await;
        world.sandbox.wait_due().await;
        world.look_up(&world.channel.phone_number_id).await;
        let number = format!("{}/messages", world.channel.phone_number_id);
        world.ask_graph(&number, serde_json::json!({ "to": "nobody" })).await;
        assert!(world.sandbox.wait_due().now_or_never().is_none());
        world.send_message(serde_json::json!({ "to": world::ADA, "type": "text", "text": { "body": "hello" } })).await;
        assert!(world.sandbox.wait_due().now_or_never().is_some());
    }

    async fn refused_webhooks_are_retried_after_growing_pauses(world = street) {
        world.says("one").await;
        world.says("two").await;
        world.business.will_answer(&[Some(500), None, Some(404)]);
        assert_eq!(world.posts().await.len(), 1);
        for (pause, answered) in [(1, false), (5, true), (30, true)] {
            world.advance(pause - 1);
            assert!(world.posts().await.is_empty(), "too early: {pause}");
            world.advance(1);
            // Rows that were postponed together are one microsecond apart.
            world.test.clock.advance(Duration::from_micros(10));
            let posts = world.posts().await;
            assert_eq!(posts.len(), usize::from(answered), "{pause}");
            if answered {
                assert_eq!(texts(&posts[0].records()), ["one", "two"], "{pause}");
            }
        }
        world.advance(1_000_000);
        assert!(world.posts().await.is_empty());
    }

    async fn retries_keep_their_order(world = street) {
        let hello = serde_json::json!({ "to": world::ADA, "type": "text", "text": { "body": "hello" } });
        world.says("hi").await;
        world.posts().await;
        world.send_message(hello).await;
        world.advance(1);
        world.business.will_answer(&[Some(503)]);
        assert_eq!(world.posts().await.len(), 1);
        world.advance(2);
        let states: Vec<String> = world.records().await.iter().filter_map(world::state).collect();
        assert_eq!(states, ["sent", "delivered", "read"]);
    }

    async fn webhooks_are_given_up_after_a_week(world = street) {
        world.says("one").await;
        world.business.will_answer(&[Some(500); 50]);
        let mut tries = 0;
        while let Some(next) = world.sandbox.post_due().await.unwrap() {
            let wait = next.micros() - world.test.clock.now().micros();
            world.test.clock.advance(Duration::from_micros(wait.try_into().unwrap()));
            tries += 1;
            assert!(tries < 40);
        }
        let passed = world.test.clock.now().seconds_since(START);
        assert!((7 * 86_400..9 * 86_400).contains(&passed), "{passed}");
    }

    async fn channels_do_not_wait_for_each_other(world = street) {
        let other = another_channel(&world, "14155550101").await;
        world.says("one").await;
        let say = |text: &str| sandbox::driver::Say {
            text: Some(text.to_owned()),
            channel: Some(other.id.to_string()),
            ..Default::default()
        };
        world.sandbox.say(world.tenant(), world::ADA, say("two")).await.unwrap();
        world.business.will_answer(&[Some(500)]);
        let posts = world.posts().await;
        assert_eq!(posts.len(), 2);
        assert_eq!(texts(&posts[1].records()), ["two"]);
        assert_eq!(posts[1].json()["entry"][0]["id"], *other.account_id);
    }

    async fn the_next_time_is_answered_and_scheduling_wakes(world = street) {
        assert_eq!(world.sandbox.post_due().await.unwrap(), None);
        let call = sandbox::driver::PlaceCall { seconds: Some(20), ..Default::default() };
        let called = world.sandbox.call(world.tenant(), world::ADA, call).await.unwrap();
        // `wait_due` would not return if nothing had been scheduled.
        world.sandbox.wait_due().await;
        let next: Option<Timestamp> = world.sandbox.post_due().await.unwrap();
        assert_eq!(next, Some(called.ends_at));
    }

    async fn another_process_takes_over(world = street) {
        world.says("before").await;
        world.business.will_answer(&[None]);
        assert!(world.posts().await.is_empty());
        let next = world.restarted(8);
        world.advance(2);
        next.post_due().await.unwrap();
        let posts = world.business.take();
        assert_eq!(texts(&posts[0].records()), ["before"]);
    }

    async fn webhooks_of_a_removed_channel_are_dropped(world = street) {
        world.says("one").await;
        let (tenant, id) = (world.tenant(), world.channel.id);
        let gone = world.test.db.write((tenant, id), |tx, (tenant, id)| {
            Box::pin(store::messaging::channels::remove(tx, *tenant, *id))
        });
        gone.await.unwrap();
        assert!(world.posts().await.is_empty());
        assert_eq!(world.sandbox.post_due().await.unwrap(), None);
    }

    async fn the_same_seed_and_calls_give_the_same_bytes(world = street) {
        let tell = async |world: &Street| {
            world.says("hello").await;
            let call = sandbox::driver::PlaceCall { seconds: Some(20), ..Default::default() };
            world.sandbox.call(world.tenant(), world::ADA, call).await.unwrap();
            let mut posts = world.posts().await;
            world.advance(60);
            posts.extend(world.posts().await);
            posts.into_iter().map(|post| neutral(&post, world)).collect::<Vec<_>>()
        };
        let other = Street::new(world.test.db.engine(), 7).await;
        assert_eq!(tell(&world).await, tell(&other).await);
        let third = Street::new(world.test.db.engine(), 8).await;
        assert_ne!(tell(&third).await, tell(&Street::new(world.test.db.engine(), 7).await).await);
    }
}

/// The body of a post without values that follow from the tenant, which is random in tests.
fn neutral(post: &world::Post, world: &Street) -> String {
    let people = [world::ADA];
    let mut body = post.json();
    for change in body["entry"][0]["changes"].as_array_mut().unwrap() {
        change["value"]["contacts"] = people[0].into();
        for member in ["messages", "calls"] {
            if let Some(first) = change["value"].get_mut(member).and_then(|list| list.get_mut(0)) {
                first["from_user_id"] = world.channel.phone_number.clone().into();
            }
        }
    }
    body.to_string()
}
