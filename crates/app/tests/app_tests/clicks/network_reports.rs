//! The network's reports of clicks: a click emits one event, whichever source reports it first.

use domain::messaging::clicks::ClickClass::{Human, Repeat};
use domain::messaging::clicks::ClickSource;
use testkit::World;

use crate::clicks::world::{ADA, Clicks as _, PHONE, single, tracked};
use crate::templates::bad::url;

const CLICK: &str = "marketing_messages_link_click";
const AT: i64 = 1_776_000_050;

testkit::both_databases! {
    async fn a_report_alone_emits_the_event(world = World::simulated) {
        let template = world.template(single(false), None).await;
        let message = world.send_usual(&template).await;
        let id = world.network_id(message).await;
        world.reported(&id, CLICK, AT).await;
        // The same report a second time.
        world.reported(&id, CLICK, AT).await;
        let payloads = world.click_payloads().await;
        assert_eq!(payloads.len(), 1);
        assert_eq!(payloads[0]["buttonUrl"], "https://shop.example/orders/17%20%26%204");
        assert_eq!(payloads[0]["displayText"], "Track it");
        let hits = world.hits().await;
        assert_eq!(hits.len(), 1);
        assert_eq!((hits[0].hit.class, hits[0].hit.source), (Human, ClickSource::Network));
        assert_eq!((hits[0].hit.address.as_ref(), hits[0].request.as_ref()), (None, None));
        // Another click is another hit, and emits no event.
        world.reported(&id, CLICK, AT + 5).await;
        assert_eq!(world.classes().await, [Human, Repeat]);
        assert_eq!(world.click_payloads().await.len(), 1);
    }

    async fn the_link_and_the_report_emit_one_event(world = World::simulated) {
        let template = world.template(single(true), None).await;
        world.send_usual(&template).await;
        world.opens(ADA, "Track it", true).await;
        assert_eq!(world.classes().await, [Human, Repeat]);
        assert_eq!(world.click_payloads().await.len(), 1);
    }

    async fn the_report_before_the_link_emits_one_event(world = World::simulated) {
        let template = world.template(single(true), None).await;
        let message = world.send_usual(&template).await;
        let code = world.codes(ADA).await.remove(0);
        world.reported(&world.network_id(message).await, CLICK, AT).await;
        world.later(100).await;
        world.open(&code, PHONE).await.unwrap();
        let mut sources: Vec<_> = world.hits().await.into_iter().map(|one| (one.hit.source.name(), one.hit.class)).collect();
        sources.sort_by_key(|(source, _)| *source);
        assert_eq!(sources, [("network", Human), ("redirect", Repeat)]);
        assert_eq!(world.click_payloads().await.len(), 1);
    }

    async fn a_report_on_a_message_with_several_links_names_no_button(world = World::simulated) {
        let two = || vec![url("Track it", "https://shop.example/orders/{{order_id}}"), url("Shop", "https://shop.example/")];
        let untracked = domain::messaging::templates::NewTemplate { buttons: two(), name: "plain".to_owned(), ..single(false) };
        let (with, without) = (world.template(tracked(), None).await, world.template(untracked, None).await);
        let (one, other) = (world.send_usual(&with).await, world.send_usual(&without).await);
        world.reported(&world.network_id(one).await, CLICK, AT).await;
        world.reported(&world.network_id(other).await, CLICK, AT + 1).await;
        let hits = world.hits().await;
        assert!(hits.iter().all(|one| one.hit.link.button.is_none() && one.button_text.is_none()));
        assert_eq!(hits.iter().map(|one| one.hit.class).collect::<Vec<_>>(), [Repeat, Human]);
        assert!(world.click_payloads().await.is_empty());
    }

    async fn reports_of_other_things_are_no_clicks(world = World::simulated) {
        let template = world.template(single(true), None).await;
        let message = world.send_usual(&template).await;
        world.reported(&world.network_id(message).await, "landing_page_view", AT).await;
        world.reported("wamid.of-nobody", CLICK, AT).await;
        assert!(world.hits().await.is_empty() && world.click_payloads().await.is_empty());
        // The report itself is stored.
        let kept = store::messaging::network_reports::about(world.app.db(), world.tenant(), "link_click", "wamid.of-nobody").await.unwrap();
        assert_eq!(kept.len(), 1);
    }
}
