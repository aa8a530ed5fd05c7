//! Synchronization with the network's list of templates.

use app::messaging::templates::SyncSummary;
use channels::graph;
use domain::messaging::templates::{Action, Header, TemplateStatus};
use domain::people::contacts::CustomParam;
use serde_json::json;
use testkit::World;

use crate::templates::Templates as _;
use crate::templates::bad::{base, params};
use crate::templates::making::{cut_short, made_elsewhere};

async fn sync(world: &World) -> SyncSummary {
    world.app.messaging().templates().sync(&world.me(), None).await.unwrap()
}

testkit::both_databases! {
    async fn a_template_created_elsewhere_is_added(world = World::simulated) {
        let made = made_elsewhere(&world, "greeting", "de").await;
        assert_eq!(sync(&world).await, SyncSummary { found: 1, added: 1, ..SyncSummary::default() });
        assert_eq!(sync(&world).await, SyncSummary { found: 1, ..SyncSummary::default() }, "nothing is new");
        let template = world.all().await.remove(0);
        assert_eq!(template.network_id, Some(made.id));
        assert_eq!((template.status, template.origin.as_str()), (TemplateStatus::Pending, "NETWORK"));
        assert_eq!(template.content.header, Some(Header::Text { text: "Order {{1}}".to_owned(), parameter: Some("header_1".to_owned()) }));
        let sample = |name: &str, value: &str| CustomParam { name: name.to_owned(), value: value.to_owned() };
        assert_eq!(template.content.samples, [sample("1", "Ada"), sample("2", "Bern"), sample("header_1", "17")]);
        let Action::Url { parameter, .. } = &template.content.buttons[1].action else { unreachable!() };
        assert_eq!(parameter.as_deref(), Some("button_1"));
        let shown = template.fill(&params(&[("1", "Ada"), ("2", "Bern"), ("header_1", "17"), ("button_1", "x y")])).unwrap();
        assert_eq!((shown.text.as_str(), shown.header_text.as_deref()), ("Hi Ada, come to Bern soon.", Some("Order 17")));
        assert_eq!(shown.buttons[1].url.as_deref(), Some("https://shop.example/x%20y"));
        assert_eq!(shown.buttons[2].phone_number.as_deref(), Some("14155552671"));
    }

    async fn a_missed_verdict_is_applied(world = World::simulated) {
        let made = world.create_template(None, base()).await.unwrap();
        world.advance(3);
        assert_eq!(sync(&world).await, SyncSummary { found: 1, changed: 1, ..SyncSummary::default() });
        let now = world.stored(&made).await;
        assert_eq!((now.status, now.quality.as_deref()), (TemplateStatus::Approved, Some("UNKNOWN")));
        assert_eq!(now.content, made.content, "what we made, we know better");
        world.settle().await;
        assert_eq!(world.stored(&made).await.status, TemplateStatus::Approved);
    }

    async fn a_draft_that_the_network_accepted_is_completed(world = World::simulated) {
        let draft = cut_short(&world, "en_US").await;
        let made = made_elsewhere(&world, &draft.name, &draft.language).await;
        assert_eq!(sync(&world).await, SyncSummary { found: 1, changed: 1, ..SyncSummary::default() });
        let now = world.stored(&draft).await;
        assert_eq!((now.status, now.network_id), (TemplateStatus::Pending, Some(made.id)));
    }

    async fn templates_missing_at_the_network_are_deleted_and_drafts_stay(world = World::simulated) {
        let made = world.create_template(None, base()).await.unwrap();
        world.graph().await.delete_template(&made.name, None).await.unwrap();
        let draft = cut_short(&world, "de").await;
        world.advance(3);
        assert_eq!(sync(&world).await, SyncSummary { deleted: 1, ..SyncSummary::default() });
        let gone = world.stored(&made).await;
        assert_eq!((gone.status, gone.deleted_at.is_some()), (TemplateStatus::Deleted, true));
        assert_eq!(world.stored(&draft).await.status, TemplateStatus::Draft);
    }

    async fn a_template_with_an_unknown_part_is_not_sent(world = World::simulated) {
        let new = graph::NewTemplate {
            name: "products".to_owned(),
            language: "en".to_owned(),
            category: "MARKETING".to_owned(),
            parameter_format: None,
            allow_category_change: None,
            components: json!([{"type": "BODY", "text": "Look at this"}, {"type": "BUTTONS", "buttons": [{"type": "MPM", "text": "View"}]}]),
        };
        world.graph().await.create_template(&new).await.unwrap();
        sync(&world).await;
        let problem = world.all().await[0].fill(&[]).unwrap_err();
        let refused = "template_name: the template has a button of type MPM, which cannot be sent from here";
        assert_eq!(problem.to_string(), refused);
    }

    async fn a_long_list_is_read_to_its_end(world = World::simulated) {
        for number in 0..60 {
            made_elsewhere(&world, &format!("greeting_{number}"), "en").await;
        }
        assert_eq!(sync(&world).await, SyncSummary { found: 60, added: 60, ..SyncSummary::default() });
        assert_eq!(world.all().await.len(), 60);
    }
}
