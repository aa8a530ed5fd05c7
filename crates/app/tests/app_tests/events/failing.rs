//! Messages that do not arrive: told once, with the reason.

use std::time::Duration;

use domain::events::EventType;
use sandbox::driver::Fail;
use serde_json::json;

use crate::sending::world::{ADA, BEN, CODE, OFFER, World, template_send, to};

const FAILED: &str = "templateMessageFailed";

async fn strikes(world: &World, kind: &str, code: i64) {
    let fail = Fail { kind: kind.to_owned(), count: Some(1), code: Some(code), ..Fail::default() };
    world.wired.sandbox.fail(world.wired.tenant, fail).await.unwrap();
}

testkit::both_databases! {
    async fn a_refusal_is_told_with_the_networks_code(test) {
        let world = World::new(test).await;
        strikes(&world, "refuse", 131_026).await;
        let id = world.accepted(OFFER, ADA).await;
        world.drain().await;
        assert_eq!(world.told_of(id).await, [FAILED]);
        let told = world.told_as(EventType::TemplateMessageFailed).await;
        assert_eq!((&told[0]["failedCode"], &told[0]["whatsappMessageId"]), (&json!(131_026), &json!(null)));
        assert!(told[0]["failedDetail"].is_string());
    }

    async fn a_failure_after_the_answer_is_told_after_the_sending(test) {
        let world = World::new(test).await;
        world.say(ADA, "hello").await;
        strikes(&world, "fail", 131_026).await;
        let id = world.written(ADA, "hi").await;
        world.drain().await;
        world.advance(120).await;
        assert_eq!(world.told_of(id).await, ["sessionMessageSent", "sessionMessageFailed"]);
        let told = world.told_as(EventType::SessionMessageFailed).await;
        assert_eq!((&told[0]["type"], &told[0]["failedCode"]), (&json!("session"), &json!(131_026)));
    }

    async fn a_failure_is_told_once_and_so_is_that_it_arrived_after_all(test) {
        let world = World::new(test).await;
        let id = world.accepted(OFFER, ADA).await;
        for status in ["failed", "failed", "sent", "delivered", "failed", "delivered"] {
            world.status("wamid.1", Some(id), status).await;
        }
        assert_eq!(world.told_of(id).await, ["templateMessageSent", FAILED, "sentMessageDELIVERED"]);
    }

    async fn what_has_arrived_does_not_fail_any_more(test) {
        let world = World::new(test).await;
        let id = world.accepted(OFFER, ADA).await;
        for status in ["delivered", "failed"] {
            world.status("wamid.1", Some(id), status).await;
        }
        assert_eq!(world.told_of(id).await, ["templateMessageSent", "sentMessageDELIVERED"]);
    }

    async fn what_cannot_leave_in_time_is_told_as_failed(test) {
        let world = World::new(test).await;
        let code = world.accepted(CODE, ADA).await;
        world.say(BEN, "hello?").await;
        let free = world.written(BEN, "too late").await;
        world.wired.advance(Duration::from_hours(25));
        world.drain().await;
        assert_eq!(world.told_of(code).await, [FAILED]);
        assert_eq!(world.told_of(free).await, ["sessionMessageFailed"]);
        let told = world.told_as(EventType::TemplateMessageFailed).await;
        assert_eq!(told[0]["failedDetail"], "it could not leave in time");
    }

    async fn what_may_not_leave_any_more_is_told_as_failed(test) {
        let world = World::new(test).await;
        let accepted = world.send_template(template_send(OFFER, vec![to(ADA), to(BEN)])).await.unwrap();
        let [to_ada, to_ben] = [0, 1].map(|place: usize| accepted.recipients[place].message_id.unwrap());
        let update = app::contacts::ConsentUpdate { opted_in: Some(false), ..Default::default() };
        world.app().contacts().set_consent(&world.caller(), ADA, update).await.unwrap();
        world.drain().await;
        assert_eq!(world.told_of(to_ada).await, [FAILED]);
        assert_eq!(world.told_of(to_ben).await, ["templateMessageSent"]);
        assert_eq!(world.told_as(EventType::TemplateMessageFailed).await[0]["failedCode"], 131_050);
    }

    async fn what_is_tried_again_or_unknown_is_no_failure(test) {
        let world = World::new(test).await;
        strikes(&world, "refuse", 131_016).await;
        let again = world.accepted(OFFER, ADA).await;
        world.drain().await;
        assert_eq!(world.told_of(again).await, ["templateMessageSent"]);
        world.fail("reset", 1).await;
        let unknown = world.accepted(OFFER, BEN).await;
        world.drain().await;
        world.advance(3600).await;
        assert!(world.told_of(unknown).await.is_empty());
    }
}
