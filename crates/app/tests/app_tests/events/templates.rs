//! Events of the network's verdicts on templates.

use app::templates::TemplateSelector;
use domain::events::EventType;
use sandbox::driver::Review;
use serde_json::{Value, json};

use crate::sending::world::{OFFER, World};

impl World {
    async fn review(&self, review: Review) {
        let review = Review { name: OFFER.to_owned(), ..review };
        self.wired.sandbox.review(self.wired.tenant, review).await.unwrap();
        self.advance(2).await;
    }

    /// The old and new values in the events of one template.
    async fn changes(&self, kind: EventType, what: &str) -> Vec<[Value; 2]> {
        let events = self.payloads_of(kind).await.into_iter().filter(|event| event["templateName"] == OFFER);
        events.map(|event| ["old", "new"].map(|when| event[format!("{when}Template{what}")].clone())).collect()
    }
}

fn verdict(text: &str) -> Review {
    Review { verdict: Some(text.to_owned()), ..Review::default() }
}

testkit::both_databases! {
    async fn every_change_of_a_templates_status_is_published_and_nothing_else(test) {
        let world = World::new(test).await;
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
        assert_eq!(one["wabaId"], world.wired.channel.account_id);
        assert_eq!(one["channelPhoneNumber"], world.wired.channel.phone_number);
    }

    async fn quality_and_category_are_published_when_they_change(test) {
        let world = World::new(test).await;
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

    async fn deleting_a_template_is_published(test) {
        let world = World::new(test).await;
        let which = TemplateSelector::Name {
            account_id: world.wired.channel.account_id.clone(), name: OFFER.to_owned(), language: None,
        };
        world.app().templates().delete(&world.caller(), which).await.unwrap();
        world.advance(5).await;
        let events = world.changes(EventType::TemplateReviewed, "Status").await;
        assert_eq!(events.last(), Some(&[json!(2), json!(4)]));
        assert_eq!(events.len(), 3);
    }

    async fn a_change_that_a_sync_finds_is_published_once(test) {
        let world = World::new(test).await;
        // A verdict whose webhook has not arrived yet.
        let review = Review { name: OFFER.to_owned(), ..verdict("PAUSED") };
        world.wired.sandbox.review(world.wired.tenant, review).await.unwrap();
        world.wired.advance(std::time::Duration::from_mins(1));
        world.app().templates().sync(&world.caller(), None).await.unwrap();
        world.advance(5).await;
        world.app().templates().sync(&world.caller(), None).await.unwrap();
        let events = world.changes(EventType::TemplateReviewed, "Status").await;
        assert_eq!(events[2..], [[json!(2), json!(7)]]);
    }
}
