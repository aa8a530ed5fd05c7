//! Recoveries with an end, their progress and cancellation; what is stored of each attempt; the summary of a day.

use std::sync::Arc;
use std::sync::atomic::{AtomicU16, Ordering};

use app::Error;
use domain::delivery::webhooks::{DeliveryState, Header, RecoveryState, RecoveryWindow, WebhookStatus};
use domain::{Timestamp, WebhookId};
use testkit::World;
use testkit::receiver::{Receiver, Reply};
use testkit::world::OnWorld;

use crate::webhooks::world::Webhooks as _;

/// A receiver that answers with headers and with the status that the test sets.
async fn switched() -> (Receiver, Arc<AtomicU16>) {
    let status = Arc::new(AtomicU16::new(200));
    let present = Arc::clone(&status);
    let receiver = Receiver::answering(move |_| Reply::With {
        status: present.load(Ordering::SeqCst),
        headers: vec![("x-served-by", "blue".to_owned()), ("set-cookie", "session=s3cret".to_owned())],
        body: "said".to_owned(),
    });
    (receiver.await, status)
}

fn since(since: Timestamp) -> RecoveryWindow {
    RecoveryWindow { since, until: None }
}

fn calls(receiver: &Receiver) -> Vec<String> {
    let call = |post: &testkit::receiver::Post| post.json()["call_id"].as_str().unwrap().to_owned();
    receiver.posts().iter().map(call).collect()
}

trait Recovering: OnWorld {
    async fn recover(self, id: WebhookId, window: RecoveryWindow) -> app::delivery::webhooks::RecoveryResult {
        self.app.delivery().webhooks().recover(&self.me(), id, window).await.unwrap()
    }

    async fn progress(self, id: WebhookId) -> domain::delivery::webhooks::RecoveryProgress {
        self.app.delivery().webhooks().recovery(&self.me(), id).await.unwrap()
    }

    async fn set_status(self, id: WebhookId, status: &str) {
        let request = app::delivery::webhooks::WebhookRequest { status: Some(status.to_owned()), ..Default::default() };
        self.app.delivery().webhooks().update(&self.me(), id, request).await.unwrap();
    }

    /// Appends calls an hour apart and attempts to deliver each; the receiver's status decides whether that succeeds.
    /// Returns their times.
    async fn hours(self, names: &[&str]) -> Vec<Timestamp> {
        let mut times = Vec::new();
        for name in names {
            times.push(self.now());
            self.append_call(name).await;
            self.deliver().await;
            self.advance(3600);
        }
        times
    }
}

impl Recovering for &World {}

testkit::both_databases! {
    async fn an_attempt_keeps_its_headers_without_secrets(world = World::alone) {
        let (receiver, status) = switched().await;
        let (webhook, _) = world.endpoint_of(receiver.url("/"), &["call.status"], |request| {
            request.headers = Some(vec![Header { name: "Authorization".to_owned(), value: "Bearer s3cret".to_owned() }]);
        }).await;
        status.store(500, Ordering::SeqCst);
        world.append_call("one").await;
        world.deliver().await;
        status.store(200, Ordering::SeqCst);
        world.advance(10);
        world.deliver().await;
        let id = world.deliveries(webhook.id).await[0].id;
        world.app.delivery().webhooks().retry(&world.me(), webhook.id, id).await.unwrap();
        world.deliver().await;
        let shown = world.app.delivery().webhooks().delivery(&world.me(), webhook.id, id).await.unwrap();
        assert_eq!(shown.attempts.len(), 3, "the failed one, and both that succeeded");
        assert_eq!(shown.attempts.iter().map(|one| (one.attempt, one.error.is_some())).collect::<Vec<_>>(), [(1, true), (2, false), (3, false)]);
        for (attempt, post) in shown.attempts.iter().zip(receiver.posts()) {
            let trace = attempt.trace.clone().unwrap();
            for header in trace.request_headers(id, attempt.at) {
                let sent = post.header(&header.name);
                assert!(header.value == sent || (header.name == "authorization" && header.value == "***"), "{header:?} {sent}");
            }
            assert_eq!(trace.request_headers(id, attempt.at).len(), 6);
            let kept = |name: &str| trace.response.iter().find(|one| one.0 == name).map(|one| one.1.as_str());
            assert_eq!((kept("x-served-by"), kept("set-cookie")), (Some("blue"), Some("***")));
            assert!(!format!("{trace:?}").contains("s3cret"));
        }
        let redelivered: Vec<bool> = shown.attempts.iter().map(|one| one.trace.as_ref().unwrap().redelivery).collect();
        assert_eq!(redelivered, [false, false, true], "only the last was asked for");
    }

    async fn a_window_brings_what_happened_in_it_and_nothing_else(world = World::alone) {
        let (receiver, status) = switched().await;
        let (webhook, _) = world.endpoint(receiver.url("/")).await;
        status.store(500, Ordering::SeqCst);
        let times = world.hours(&["a", "b", "c"]).await;
        // Disabling the endpoint parks the deliveries, so that no schedule retries them.
        world.set_status(webhook.id, "Disabled").await;
        world.set_status(webhook.id, "Enabled").await;
        status.store(200, Ordering::SeqCst);
        let before = receiver.posts().len();
        let window = RecoveryWindow { since: times[1], until: Some(times[1].plus_seconds(60)) };
        let preview = world.app.delivery().webhooks().preview_recovery(&world.me(), webhook.id, window).await.unwrap();
        assert_eq!((preview.deliveries, preview.given_up), (1, 0));
        assert!(matches!(world.app.delivery().webhooks().recovery(&world.me(), webhook.id).await, Err(Error::NotFound(_))), "a preview starts nothing");
        let done = world.recover(webhook.id, window).await;
        assert_eq!((done.deliveries, done.events), (1, preview.events));
        let running = world.progress(webhook.id).await;
        assert_eq!((running.state, running.total, running.delivered, running.failed), (RecoveryState::Running, 1, 0, 0));
        world.deliver().await;
        let posts = calls(&receiver);
        assert_eq!(posts[before..], ["b"], "neither the earlier nor the later one");
        let ended = world.progress(webhook.id).await;
        assert_eq!((ended.state, ended.total, ended.delivered, ended.failed), (RecoveryState::Done, 1, 1, 0));
        assert_eq!(ended.window, RecoveryWindow { since: window.since, until: window.until });
        // New events are delivered as before.
        world.append_call("d").await;
        world.deliver().await;
        assert_eq!(calls(&receiver)[before..], ["b", "d"]);
    }

    async fn events_that_were_never_tried_are_brought_up_to_the_end(world = World::alone) {
        let (receiver, _) = switched().await;
        let (webhook, _) = world.endpoint(receiver.url("/")).await;
        world.set_status(webhook.id, "Disabled").await;
        let times = world.hours(&["a", "b", "c", "d"]).await;
        world.set_status(webhook.id, "Enabled").await;
        world.deliver().await;
        assert!(receiver.posts().is_empty(), "it gets what happens from now on");
        let window = RecoveryWindow { since: times[1], until: Some(times[2].plus_seconds(5)) };
        let done = world.recover(webhook.id, window).await;
        assert_eq!((done.deliveries, done.events), (0, 2));
        world.deliver().await;
        assert_eq!(calls(&receiver), ["b", "c"]);
        let ended = world.progress(webhook.id).await;
        assert_eq!((ended.state, ended.total, ended.delivered), (RecoveryState::Done, 2, 2));
        let shown = world.app.delivery().webhooks().delivery(&world.me(), webhook.id, world.deliveries(webhook.id).await[0].id).await.unwrap();
        assert!(shown.attempts[0].trace.as_ref().unwrap().redelivery);
        world.append_call("e").await;
        world.deliver().await;
        assert_eq!(calls(&receiver), ["b", "c", "e"], "and what comes later is not skipped");
        world.recover(webhook.id, since(times[0])).await;
        world.deliver().await;
        let mut all = calls(&receiver);
        all.sort();
        assert_eq!(all, ["a", "b", "c", "d", "e"], "without an end it brings the rest, and nothing twice");
    }

    async fn a_defective_endpoint_gets_the_window_and_then_what_is_new(world = World::alone) {
        let (receiver, status) = switched().await;
        let (webhook, _) = world.endpoint(receiver.url("/")).await;
        status.store(500, Ordering::SeqCst);
        let first = world.hours(&["a"]).await[0];
        let input = (world.tenant(), webhook.id);
        world.app.db().write(input, |tx, (tenant, id)| Box::pin(async move {
            let mut stored = store::delivery::webhooks::for_update(tx, *tenant, *id).await?.unwrap();
            stored.status = WebhookStatus::Defective;
            store::delivery::webhooks::deliveries::park(tx, *tenant, *id).await?;
            store::delivery::webhooks::update(tx, &stored).await
        })).await.unwrap();
        let times = world.hours(&["b", "c"]).await;
        status.store(200, Ordering::SeqCst);
        let before = receiver.posts().len();
        let window = RecoveryWindow { since: first, until: Some(times[0].plus_seconds(5)) };
        let done = world.recover(webhook.id, window).await;
        assert_eq!((done.status, done.deliveries), (WebhookStatus::Enabled, 1));
        world.append_call("d").await;
        world.deliver().await;
        let mut brought = calls(&receiver)[before..].to_vec();
        brought.sort();
        assert_eq!(brought, ["a", "b", "d"], "c lies behind the end");
    }

    async fn a_recovery_that_fails_again_is_done_and_says_so(world = World::alone) {
        let (receiver, status) = switched().await;
        let (webhook, _) = world.endpoint(receiver.url("/")).await;
        status.store(500, Ordering::SeqCst);
        let times = world.hours(&["a", "b"]).await;
        world.recover(webhook.id, since(times[0])).await;
        world.deliver().await;
        let progress = world.progress(webhook.id).await;
        assert_eq!((progress.state, progress.total, progress.delivered, progress.failed), (RecoveryState::Done, 2, 0, 2));
        status.store(200, Ordering::SeqCst);
        world.advance(3600);
        world.deliver().await;
        let progress = world.progress(webhook.id).await;
        assert_eq!((progress.delivered, progress.failed), (2, 0), "the schedule brought them later");
    }

    async fn a_canceled_recovery_gives_up_what_it_reopened_and_leaves_the_rest(world = World::alone) {
        let (receiver, status) = switched().await;
        let (webhook, _) = world.endpoint(receiver.url("/")).await;
        status.store(500, Ordering::SeqCst);
        let times = world.hours(&["a", "b"]).await;
        world.set_status(webhook.id, "Disabled").await;
        world.set_status(webhook.id, "Enabled").await;
        let waiting = world.hours(&["c"]).await;
        let before = receiver.posts().len();
        world.recover(webhook.id, since(times[0])).await;
        let webhooks = world.app.delivery().webhooks();
        assert_eq!(webhooks.cancel_recovery(&world.me(), webhook.id).await.unwrap(), 2);
        let states: Vec<DeliveryState> = world.deliveries(webhook.id).await.iter().map(|one| one.state).collect();
        assert_eq!(states, [DeliveryState::Retrying, DeliveryState::Failed, DeliveryState::Failed], "newest first: c waited before");
        assert_eq!(world.progress(webhook.id).await.state, RecoveryState::Canceled);
        status.store(200, Ordering::SeqCst);
        world.deliver().await;
        assert_eq!(calls(&receiver)[before..], ["c"]);
        let again = webhooks.cancel_recovery(&world.me(), webhook.id).await;
        assert!(matches!(again, Err(Error::Conflict { .. })), "{again:?}");
        // Deliveries of a canceled recovery can be recovered again.
        world.recover(webhook.id, RecoveryWindow { since: times[0], until: Some(waiting[0]) }).await;
        world.deliver().await;
        let mut brought = calls(&receiver)[before..].to_vec();
        brought.sort();
        assert_eq!(brought, ["a", "b", "c"]);
    }

    async fn canceling_keeps_unread_events_unread(world = World::alone) {
        let (receiver, _) = switched().await;
        let (webhook, _) = world.endpoint(receiver.url("/")).await;
        world.set_status(webhook.id, "Disabled").await;
        let times = world.hours(&["a", "b"]).await;
        world.set_status(webhook.id, "Enabled").await;
        world.recover(webhook.id, since(times[0])).await;
        world.app.delivery().webhooks().cancel_recovery(&world.me(), webhook.id).await.unwrap();
        world.append_call("c").await;
        world.deliver().await;
        assert_eq!(calls(&receiver), ["c"]);
    }

    async fn a_summary_counts_the_last_day(world = World::alone) {
        let (receiver, status) = switched().await;
        let (webhook, _) = world.endpoint(receiver.url("/")).await;
        let summary = async || world.app.delivery().webhooks().summary(&world.me(), webhook.id).await.unwrap();
        let empty = summary().await;
        assert_eq!((empty.hours, empty.delivered, empty.failed_at_first, empty.waiting, empty.p99), (24, 0, 0, 0, None));
        world.hours(&["old"]).await;
        world.advance(24 * 3600);
        world.hours(&["a", "b"]).await;
        status.store(500, Ordering::SeqCst);
        world.hours(&["c"]).await;
        status.store(200, Ordering::SeqCst);
        world.deliver().await;
        status.store(500, Ordering::SeqCst);
        world.append_call("d").await;
        world.deliver().await;
        world.app.delivery().webhooks().test(&world.me(), webhook.id, None).await.unwrap();
        let shown = summary().await;
        assert_eq!((shown.delivered, shown.failed_at_first, shown.waiting), (3, 2, 1), "{shown:?}");
        assert!(shown.p99.is_some() && shown.since == world.now().plus_seconds(-24 * 3600).to_millis());
        // A delivery that succeeded at once does not count as failed because a client asked for it again.
        status.store(200, Ordering::SeqCst);
        let a = world.deliveries(webhook.id).await.into_iter().find(|one| one.state == DeliveryState::Delivered && one.attempts == 1).unwrap();
        world.app.delivery().webhooks().retry(&world.me(), webhook.id, a.id).await.unwrap();
        world.deliver().await;
        assert_eq!(summary().await.failed_at_first, 2);
    }
}
