//! Messages that do not arrive emit one event, with the reason.

use std::time::Duration;

use domain::delivery::events::EventType;
use sandbox::driver::Fail;
use serde_json::json;
use testkit::World;

use crate::events::log::Published as _;
use crate::sending::world::{ADA, BEN, CODE, OFFER, Sending as _, business, template_send, to};

const FAILED: &str = "templateMessageFailed";

async fn strikes(world: &World, kind: &str, code: i64) {
    let fail = Fail { kind: kind.to_owned(), count: Some(1), code: Some(code), ..Fail::default() };
    world.sandbox().fail(world.tenant(), fail).await.unwrap();
}

testkit::both_databases! {
    async fn a_refusal_is_published_with_the_code_of_the_network(world = business) {
        strikes(&world, "refuse", 131_026).await;
        let id = world.accepted(OFFER, ADA).await;
        world.drain().await;
        assert_eq!(world.event_names_of(id).await, [FAILED]);
        let events = world.payloads_of(EventType::TemplateMessageFailed).await;
        assert_eq!((&events[0]["failedCode"], &events[0]["whatsappMessageId"]), (&json!("131026"), &json!(null)));
        assert!(events[0]["failedDetail"].is_string());
    }

    async fn a_failure_after_the_answer_is_published_after_the_sent_event(world = business) {
        world.say(ADA, "hello").await;
        strikes(&world, "fail", 131_026).await;
        let id = world.written(ADA, "hi").await;
        world.drain().await;
        world.later(120).await;
        assert_eq!(world.event_names_of(id).await, ["sessionMessageSent", "sessionMessageFailed"]);
        let events = world.payloads_of(EventType::SessionMessageFailed).await;
        assert_eq!((&events[0]["type"], &events[0]["failedCode"]), (&json!("session"), &json!("131026")));
    }

    async fn a_failure_is_published_once_and_so_is_a_later_delivery(world = business) {
        let id = world.accepted(OFFER, ADA).await;
        for status in ["failed", "failed", "sent", "delivered", "failed", "delivered"] {
            world.status("wamid.1", Some(id), status).await;
        }
        assert_eq!(world.event_names_of(id).await, ["templateMessageSent", FAILED, "sentMessageDELIVERED"]);
    }

    async fn a_delivered_message_does_not_fail_any_more(world = business) {
        let id = world.accepted(OFFER, ADA).await;
        for status in ["delivered", "failed"] {
            world.status("wamid.1", Some(id), status).await;
        }
        assert_eq!(world.event_names_of(id).await, ["templateMessageSent", "sentMessageDELIVERED"]);
    }

    async fn a_message_that_cannot_leave_in_time_is_published_as_failed(world = business) {
        let code = world.accepted(CODE, ADA).await;
        world.say(BEN, "hello?").await;
        let free = world.written(BEN, "too late").await;
        world.test.clock.advance(Duration::from_hours(25));
        world.drain().await;
        assert_eq!(world.event_names_of(code).await, [FAILED]);
        assert_eq!(world.event_names_of(free).await, ["sessionMessageFailed"]);
        let events = world.payloads_of(EventType::TemplateMessageFailed).await;
        assert_eq!(events[0]["failedDetail"], "it could not be sent in time");
    }

    async fn a_message_that_may_not_leave_any_more_is_published_as_failed(world = business) {
        let accepted = world.send_template(template_send(OFFER, vec![to(ADA), to(BEN)])).await.unwrap();
        let [to_ada, to_ben] = [0, 1].map(|place: usize| accepted.recipients[place].message_id.unwrap());
        let update = app::people::contacts::ConsentUpdate { opted_in: Some(false), ..Default::default() };
        world.app.people().contacts().set_consent(&world.me(), ADA, update).await.unwrap();
        world.drain().await;
        assert_eq!(world.event_names_of(to_ada).await, [FAILED]);
        assert_eq!(world.event_names_of(to_ben).await, ["templateMessageSent"]);
        assert_eq!(world.payloads_of(EventType::TemplateMessageFailed).await[0]["failedCode"], "131050");
    }

    async fn a_retry_or_an_unknown_outcome_is_no_failure(world = business) {
        strikes(&world, "refuse", 131_016).await;
        let again = world.accepted(OFFER, ADA).await;
        world.drain().await;
        assert_eq!(world.event_names_of(again).await, ["templateMessageSent"]);
        world.fail("reset", 1).await;
        let unknown = world.accepted(OFFER, BEN).await;
        world.drain().await;
        world.later(3600).await;
        assert!(world.event_names_of(unknown).await.is_empty());
    }
}
