//! Events of the network's verdicts on templates.

use app::messaging::templates::TemplateSelector;
use domain::delivery::events::EventType;
use sandbox::driver::Review;
use serde_json::{Value, json};
use testkit::World;
use testkit::world::OnWorld;

use crate::events::log::Published as _;
use crate::sending::world::{OFFER, business};

trait Reviewing: OnWorld {
    async fn review(self, review: Review) {
        let review = Review { name: OFFER.to_owned(), ..review };
        self.sandbox().review(self.tenant(), review).await.unwrap();
        self.later(2).await;
    }

    /// The old and new values in the events of one template.
    async fn changes(self, kind: EventType, what: &str) -> Vec<[Value; 2]> {
        let events = self.payloads_of(kind).await.into_iter().filter(|event| event["templateName"] == OFFER);
        events.map(|event| ["old", "new"].map(|when| event[format!("{when}Template{what}")].clone())).collect()
    }
}

impl Reviewing for &World {}

fn verdict(text: &str) -> Review {
    Review { verdict: Some(text.to_owned()), ..Review::default() }
}

testkit::both_databases! {
    async fn every_change_of_a_templates_status_is_published_and_nothing_else(world = business) {
        let reviewed = EventType::TemplateReviewed;
        let draft_to_approved = [[json!(0), json!(1)], [json!(1), json!(2)]];
        assert_eq!(world.changes(reviewed, "Status").await, draft_to_approved);
        for said in ["PAUSED", "PAUSED", "REINSTATED", "FLAGGED", "DISABLED", "REJECTED"] {
            world.review(verdict(said)).await;
        }
        let events = world.changes(reviewed, "Status").await;
        assert_eq!(events[2..], [
            [json!(2), json!(7)],
            [json!(7), json!(2)],
            [json!(2), json!(6)],
            [json!(6), json!(3)],
        ]);
        let one = &world.payloads_of(reviewed).await[0];
        assert_eq!(one["wabaId"], world.channel().account_id);
        assert_eq!(one["channelPhoneNumber"], world.channel().phone_number);
    }

    async fn quality_and_category_are_published_when_they_change(world = business) {
        for quality in ["GREEN", "GREEN", "RED"] {
            world.review(Review { quality: Some(quality.to_owned()), ..Review::default() }).await;
        }
        world.review(Review { category: Some("UTILITY".to_owned()), ..Review::default() }).await;
        world.review(Review { category: Some("UTILITY".to_owned()), ..Review::default() }).await;
        let events = world.changes(EventType::TemplateQualityUpdated, "Quality").await;
        assert_eq!(events, [[json!(null), json!("GREEN")], [json!("GREEN"), json!("RED")]]);
        let events = world.changes(EventType::TemplateCategoryUpdated, "Category").await;
        assert_eq!(events, [[json!("MARKETING"), json!("UTILITY")]]);
    }

    async fn deleting_a_template_is_published(world = business) {
        let which = TemplateSelector::Name {
            account_id: world.channel().account_id.clone(), name: OFFER.to_owned(), language: None,
        };
        world.app.messaging().templates().delete(&world.me(), which).await.unwrap();
        world.later(5).await;
        let events = world.changes(EventType::TemplateReviewed, "Status").await;
        assert_eq!(events.last(), Some(&[json!(2), json!(4)]));
        assert_eq!(events.len(), 3);
    }

    async fn a_change_that_a_sync_finds_is_published_once(world = business) {
        // A verdict whose webhook has not arrived yet.
        let review = Review { name: OFFER.to_owned(), ..verdict("PAUSED") };
        world.sandbox().review(world.tenant(), review).await.unwrap();
        world.test.clock.advance(std::time::Duration::from_mins(1));
        world.app.messaging().templates().sync(&world.me(), None).await.unwrap();
        world.later(5).await;
        world.app.messaging().templates().sync(&world.me(), None).await.unwrap();
        let events = world.changes(EventType::TemplateReviewed, "Status").await;
        assert_eq!(events[2..], [[json!(2), json!(7)]]);
    }
}
