//! Messages that wait in the outbox, and what may change before they leave.

use domain::messaging::messages::MessageState;
use sandbox::driver::Review;
use testkit::World;

use crate::sending::world::{ADA, BEN, CODE, OFFER, Sending as _, business, template_send, text_send, to};

fn first(accepted: &app::messaging::messages::AcceptedBroadcast) -> domain::MessageId {
    accepted.recipients[0].message_id.unwrap()
}

testkit::both_databases! {
    async fn a_scheduled_message_leaves_at_its_time(world = business) {
        let mut later = template_send(OFFER, vec![to(ADA)]);
        later.scheduled_at = Some(world.now().plus_seconds(3600));
        let accepted = world.send_template(later).await.unwrap();
        assert_eq!(world.state(first(&accepted)).await, MessageState::Accepted);
        assert!(world.due_accounts().await.is_empty());
        world.later(3599).await;
        assert!(world.due_accounts().await.is_empty());
        world.later(1).await;
        world.drain().await;
        assert_eq!(world.state(first(&accepted)).await, MessageState::Submitted);
        let mut past = template_send(OFFER, vec![to(ADA)]);
        past.scheduled_at = Some(world.now());
        assert!(world.send_template(past).await.is_err());
    }

    async fn a_stopped_message_does_not_leave(world = business) {
        let accepted = world.send_template(template_send(OFFER, vec![to(ADA), to(BEN)])).await.unwrap();
        let input = (world.tenant(), accepted.broadcast_id);
        let stop = world.app.db().write(input, |tx, (tenant, broadcast)| {
            Box::pin(store::messaging::outbox::stop_broadcast(tx, *tenant, *broadcast))
        });
        assert_eq!(stop.await.unwrap(), 2);
        world.drain().await;
        assert_eq!(world.state(first(&accepted)).await, MessageState::Stopped);
        assert!(world.inbox(ADA).await.is_empty());
    }

    async fn messages_of_a_suspended_tenant_wait_until_it_is_resumed(world = business) {
        let tenant = world.tenant();
        let accepted = world.send_template(template_send(OFFER, vec![to(ADA)])).await.unwrap();
        let account = world.sending_account();
        world.app.platform().tenants().suspend(&app::Command(tenant)).await.unwrap();
        assert!(world.due_accounts().await.is_empty());
        // A sender that began before the suspension claims nothing either.
        let progress = world.app.messaging().send_due(&account, &|| false).await.unwrap();
        assert_eq!(progress, app::messaging::messages::SendProgress::Empty);
        assert!(world.inbox(ADA).await.is_empty());
        world.say(ADA, "hello?").await;
        world.app.platform().tenants().resume(&app::Command(tenant)).await.unwrap();
        world.drain().await;
        assert_eq!(world.state(first(&accepted)).await, MessageState::Submitted);
        assert_eq!(world.inbox(ADA).await.len(), 1);
    }

    async fn a_contact_that_is_blocked_or_opts_out_before_it_leaves_gets_nothing(world = business) {
        let accepted = world.send_template(template_send(OFFER, vec![to(ADA), to(BEN)])).await.unwrap();
        let update = app::people::contacts::ConsentUpdate { opted_in: Some(false), ..Default::default() };
        world.app.people().contacts().set_consent(&world.me(), ADA, update).await.unwrap();
        world.drain().await;
        let message = world.message(first(&accepted)).await;
        assert_eq!(message.state, MessageState::Failed);
        assert!(message.error.unwrap().to_json().contains("contact_opted_out"));
        assert_eq!(world.inbox(BEN).await.len(), 1);
    }

    async fn a_session_message_expires_when_its_window_closes(world = business) {
        world.say(ADA, "hello?").await;
        let sent = world.send_message(text_send(ADA, "too late")).await.unwrap();
        world.test.clock.advance(std::time::Duration::from_hours(25));
        world.drain().await;
        assert_eq!(world.state(sent.message.id).await, MessageState::Expired);
        assert!(world.inbox(ADA).await.is_empty());
    }

    async fn a_code_expires_after_ten_minutes(world = business) {
        let accepted = world.send_template(template_send(CODE, vec![to(ADA)])).await.unwrap();
        world.advance(601);
        world.drain().await;
        assert_eq!(world.state(first(&accepted)).await, MessageState::Expired);
    }

    async fn messages_wait_for_a_paused_template_and_fail_with_a_disabled_one(world = business) {
        let accepted = world.send_template(template_send(OFFER, vec![to(ADA)])).await.unwrap();
        review(&world, "paused").await;
        let before = world.now();
        world.leave().await;
        assert!(world.state(first(&accepted)).await.is_waiting());
        review(&world, "approved").await;
        world.drain().await;
        assert!(world.now().seconds() - before.seconds() >= 300);
        assert_eq!(world.state(first(&accepted)).await, MessageState::Submitted);
        let accepted = world.send_template(template_send(OFFER, vec![to(BEN)])).await.unwrap();
        review(&world, "disabled").await;
        world.drain().await;
        assert_eq!(world.state(first(&accepted)).await, MessageState::Failed);
        assert!(world.send_template(template_send(OFFER, vec![to(BEN)])).await.is_err());
    }
}

async fn review(world: &World, verdict: &str) {
    let review = serde_json::json!({"name": OFFER, "verdict": verdict});
    let review: Review = serde_json::from_value(review).unwrap();
    world.sandbox().review(world.tenant(), review).await.unwrap();
    world.later(5).await;
}
