//! Opening links: their targets, the classes of hits, and one event for each link.

use std::collections::HashSet;

use app::messaging::clicks::LinkRefused;
use domain::delivery::events::EventType;
use domain::messaging::clicks::ClickClass::{Human, Preview, Repeat};
use serde_json::json;
use store::Statement;
use testkit::{Engine, World};

use crate::clicks::world::{ADA, Clicks as _, PHONE, PREVIEW, single, tracked};
use crate::templates::bad::params;

testkit::both_databases! {
    async fn a_person_is_redirected_and_the_click_emitted(world = World::simulated) {
        let template = world.template(tracked(), None).await;
        let message = world.send_usual(&template).await;
        let opened = world.opens(ADA, "Track it", false).await;
        assert_eq!(opened.hops[0].status, Some(302));
        assert!(opened.hops[0].url.starts_with("http://switchboard.test/c/"), "{opened:?}");
        assert_eq!(opened.hops[1].url, "https://shop.example/orders/17%20%26%204");
        let payloads = world.click_payloads().await;
        assert_eq!(payloads.len(), 1);
        let one = &payloads[0];
        let stored = store::messaging::messages::find(world.app.db(), world.tenant(), message).await.unwrap().unwrap();
        assert_eq!(one["eventType"], "ctaUrlClicked_bsuid");
        assert_eq!(one["localMessageId"], json!(stored.local_id()));
        assert_eq!(one["whatsappMessageId"], json!(stored.network_id));
        assert_eq!(one["conversationId"], json!(stored.conversation_id));
        assert_eq!(one["ticketId"], json!(stored.ticket_id));
        assert_eq!((&one["templateId"], &one["templateName"]), (&json!(template.id), &json!("order_update")));
        assert_eq!((&one["displayText"], &one["waId"]), (&json!("Track it"), &json!(ADA)));
        assert_eq!(one["buttonUrl"], "https://shop.example/orders/17%20%26%204");
        assert_eq!(one["text"], "Hi Ada, your order is on its way.");
        assert_eq!((&one["type"], &one["statusString"]), (&json!("template"), &json!("SENT")));
        assert_eq!((&one["sourceType"], &one["operatorEmail"]), (&json!("API"), &json!("")));
        assert_eq!((&one["channelId"], &one["channelPhoneNumber"]), (&json!(null), &json!("14155550100")));
        let created = one["created"].as_str().unwrap();
        assert_eq!((created.len(), created.as_bytes()[10]), (19, b'T'));
        assert_eq!(world.payloads(&[EventType::CtaUrlClicked]).await[0]["waId"], json!(ADA));
    }

    async fn each_button_emits_one_event_also_when_programs_open_it(world = World::simulated) {
        let template = world.template(tracked(), None).await;
        world.send_usual(&template).await;
        let codes = world.codes(ADA).await;
        assert_eq!(codes.len(), 2);
        for (code, agent) in [(0, PREVIEW), (0, PHONE), (0, PHONE), (0, PREVIEW), (1, PHONE), (1, PHONE)] {
            world.advance(1);
            world.open(&codes[code], agent).await.unwrap();
        }
        assert_eq!(world.classes().await, [Preview, Human, Repeat, Preview, Human, Repeat]);
        let urls: Vec<_> = world.click_payloads().await.into_iter().map(|payload| payload["buttonUrl"].clone()).collect();
        assert_eq!(urls, ["https://shop.example/orders/17%20%26%204", "https://shop.example/"]);
    }

    async fn many_hits_at_once_on_two_nodes_emit_one_event(world = World::simulated) {
        let template = world.template(tracked(), None).await;
        world.send_usual(&template).await;
        let codes = world.codes(ADA).await;
        let nodes = [world.app.clone(), world.another_node()];
        let opens = (0..60).map(|number| {
            let (node, code) = (nodes[number % 2].clone(), codes[number / 2 % 2].clone());
            tokio::spawn(async move { node.messaging().clicks().open(&code, &crate::clicks::world::visit(PHONE)).await.unwrap() })
        });
        let led: HashSet<String> = futures_util::future::join_all(opens).await.into_iter().map(Result::unwrap).collect();
        assert_eq!(led.len(), 2);
        let classes = world.classes().await;
        assert_eq!(classes.len(), 60);
        assert_eq!(classes.iter().filter(|class| **class == Human).count(), 2);
        assert_eq!(world.click_payloads().await.len(), 2);
    }

    async fn buttons_of_cards_are_counted_apart(world = World::simulated) {
        let template = world.template(cards(), None).await;
        let given = params(&[("1", "Ada"), ("card_0_1", "b"), ("card_1_1", "c")]);
        world.deliver(&template, ADA, None, given).await;
        let codes = world.codes(ADA).await;
        assert!(codes.len() >= 2, "{codes:?}");
        for code in &codes {
            world.open(code, PHONE).await.unwrap();
        }
        assert_eq!(world.click_payloads().await.len(), codes.len());
        let links: HashSet<_> = world.hits().await.into_iter().map(|one| one.hit.link).collect();
        assert_eq!(links.len(), codes.len());
        assert!(links.iter().all(|link| link.card.is_some()), "{links:?}");
    }

    async fn hits_of_an_erased_contact_stay_without_address_and_headers(world = World::simulated) {
        let template = world.template(single(true), None).await;
        world.send_usual(&template).await;
        let code = world.codes(ADA).await.remove(0);
        world.open(&code, PHONE).await.unwrap();
        assert_eq!(world.hits().await[0].hit.address.as_deref(), Some("203.0.113.9"));
        world.app.people().contacts().delete(&world.me(), ADA).await.unwrap();
        world.advance(1);
        assert!(matches!(world.open(&code, PHONE).await, Err(LinkRefused::Gone)));
        let hits = world.hits().await;
        assert_eq!(hits.iter().map(|one| one.hit.class).collect::<Vec<_>>(), [Human, Repeat]);
        for one in hits {
            assert_eq!((one.hit.address, one.hit.headers, one.hit.bsuid), (None, None, None));
        }
        assert_eq!(world.click_payloads().await.len(), 1);
    }

    async fn a_hit_that_is_stored_after_the_deletion_says_nothing_about_the_person(world = World::simulated) {
        let template = world.template(single(true), None).await;
        for _ in 0..5 {
            world.send_usual(&template).await;
            let code = world.codes(ADA).await.remove(0);
            let (me, contacts) = (world.me(), world.app.people().contacts());
            let (deleted, _) = tokio::join!(contacts.delete(&me, ADA), world.open(&code, PHONE));
            deleted.unwrap();
            assert!(world.hits().await.iter().all(|one| one.hit.address.is_none() && one.hit.headers.is_none()));
            world.advance(1);
        }
    }

    async fn a_code_of_another_key_or_without_a_message_is_refused(test) {
        let (world, other) = (World::simulated(test.db.engine()).await, World::simulated(test.db.engine()).await);
        let template = world.template(single(true), None).await;
        world.send_usual(&template).await;
        let code = world.codes(ADA).await.remove(0);
        // Another installation has another key. After a loss of the database, the code is valid and its message is
        // missing.
        assert!(matches!(other.open(&code, PHONE).await, Err(LinkRefused::Forged)));
        world.run(&FORGET).await;
        assert!(matches!(world.open(&code, PHONE).await, Err(LinkRefused::Gone)));
        assert!(world.hits().await.is_empty());
    }
}

static FORGET: Statement = Statement::new("test.forget", "DELETE FROM messages WHERE tenant_id = $1");
static HIDE: Statement =
    Statement::new("test.hide", "ALTER TABLE messages RENAME TO hidden_messages /* tenant_id = $1 */");

#[tokio::test]
async fn a_forged_code_is_refused_without_a_read() {
    let world = World::simulated(Engine::Sqlite).await;
    let template = world.template(single(true), None).await;
    world.send_usual(&template).await;
    let code = world.codes(ADA).await.remove(0);
    let hide = world.app.db().write((), |tx, ()| Box::pin(async move { tx.execute(&HIDE, &[]).await }));
    hide.await.map_err(|error: store::Error| error).unwrap();
    assert!(matches!(world.open(&code, PHONE).await, Err(LinkRefused::Failed(_))));
    let forged = format!("{}{}", &code[..46], if code.ends_with('A') { "E" } else { "A" });
    for bad in [forged.as_str(), &code[..40], "", "x", &"A".repeat(47), &"A".repeat(1 << 20)] {
        assert!(matches!(world.open(bad, PHONE).await, Err(LinkRefused::Forged)), "{bad}");
    }
}

fn cards() -> domain::messaging::templates::NewTemplate {
    let mut new = crate::templates::bad::base();
    crate::templates::bad::carousel(&mut new);
    new.body = Some("Look, {{1}}, what is new.".to_owned());
    new.cards = vec![crate::templates::bad::card(0), crate::templates::bad::card(1)];
    new.cards.iter_mut().for_each(|card| card.body = Some("Only {{1}} left today".to_owned()));
    new.samples = params(&[("1", "a"), ("card_0_1", "b"), ("card_1_1", "c")]);
    new.click_tracking = true;
    new
}
