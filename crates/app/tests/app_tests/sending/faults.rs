//! A network that refuses, fails, drops connections and loses answers.

use domain::messaging::messages::MessageState;

use crate::sending::world::{ADA, OFFER, Sending as _, business, template_send, text_send, to};

testkit::both_databases! {
    async fn an_answer_that_is_lost_is_unknown_and_a_status_resolves_it(world = business) {
        world.fail("accept_then_reset", 1).await;
        let accepted = world.send_template(template_send(OFFER, vec![to(ADA)])).await.unwrap();
        let id = accepted.recipients[0].message_id.unwrap();
        world.drain().await;
        assert_eq!(world.state(id).await, MessageState::Unknown);
        world.drain().await;
        world.later(120).await;
        assert_eq!(world.state(id).await, MessageState::Read);
        assert_eq!(world.inbox(ADA).await.len(), 1, "it must not leave twice");
    }

    async fn a_message_whose_connection_was_cut_stays_unknown_and_is_not_sent_again(world = business) {
        world.fail("reset", 1).await;
        let accepted = world.send_template(template_send(OFFER, vec![to(ADA)])).await.unwrap();
        let id = accepted.recipients[0].message_id.unwrap();
        world.drain().await;
        world.later(3600).await;
        world.drain().await;
        assert_eq!(world.state(id).await, MessageState::Unknown);
        assert!(world.inbox(ADA).await.is_empty());
    }

    async fn a_passing_fault_is_tried_again_until_it_works(world = business) {
        world.say(ADA, "hello?").await;
        let fail = sandbox::driver::Fail {
            kind: "refuse".to_owned(), count: Some(3), code: Some(131_016), ..Default::default()
        };
        world.sandbox().fail(world.tenant(), fail).await.unwrap();
        let sent = world.send_message(text_send(ADA, "again and again")).await.unwrap();
        let before = world.now();
        world.drain().await;
        assert!(world.now().seconds() - before.seconds() >= 3, "the pauses grow");
        assert_eq!(world.state(sent.message.id).await, MessageState::Submitted);
        assert_eq!(world.inbox(ADA).await, ["again and again"]);
    }

    async fn a_refused_message_fails_with_the_networks_reason(world = business) {
        let fail = sandbox::driver::Fail {
            kind: "refuse".to_owned(), count: Some(1), code: Some(131_026), ..Default::default()
        };
        world.sandbox().fail(world.tenant(), fail).await.unwrap();
        let accepted = world.send_template(template_send(OFFER, vec![to(ADA)])).await.unwrap();
        world.drain().await;
        let message = world.message(accepted.recipients[0].message_id.unwrap()).await;
        assert_eq!(message.state, MessageState::Failed);
        assert!(message.error.unwrap().to_json().contains("131026"));
        assert!(message.failed_at.is_some());
    }

    async fn an_account_out_of_order_loses_no_message(world = business) {
        let fail = sandbox::driver::Fail {
            kind: "refuse".to_owned(), count: Some(2), code: Some(190), ..Default::default()
        };
        world.sandbox().fail(world.tenant(), fail).await.unwrap();
        let accepted = world.send_template(template_send(OFFER, vec![to(ADA)])).await.unwrap();
        let before = world.now();
        world.drain().await;
        assert!(world.now().seconds() - before.seconds() >= 120, "the number is left alone for a while");
        assert_eq!(world.state(accepted.recipients[0].message_id.unwrap()).await, MessageState::Submitted);
    }

    async fn a_server_error_without_a_reason_leaves_the_message_unknown(world = business) {
        world.fail("server_error", 1).await;
        let accepted = world.send_template(template_send(OFFER, vec![to(ADA)])).await.unwrap();
        world.drain().await;
        assert_eq!(world.state(accepted.recipients[0].message_id.unwrap()).await, MessageState::Unknown);
        assert!(world.inbox(ADA).await.is_empty());
    }
}
