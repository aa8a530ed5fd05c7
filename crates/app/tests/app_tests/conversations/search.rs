//! Searching the texts of messages.

use domain::MessageId;
use domain::delivery::consumers::ConsumerGroup;
use domain::delivery::events::FactKind;
use domain::messaging::channels::Channel;
use domain::people::contacts::Contact;
use serde_json::json;
use testkit::World;
use testkit::world::OnWorld;

use crate::conversations::activity::Acting as _;
use crate::conversations::world::{ADA, BOB, Talks as _};

pub trait Searching: OnWorld {
    /// A contact writes a text, which is then in the event log.
    async fn has_received(self, channel: &Channel, contact: &Contact, text: &str) -> MessageId {
        let one = self.said(channel, contact, text).await;
        let now = self.now().to_millis();
        let id = self.history(&contact.id.to_string()).await[0].message.id;
        self.happened(FactKind::Received, &one, now, json!({"id": id, "text": text})).await;
        id
    }

    /// Adds the texts of the event log to the index of words.
    async fn index(self) {
        self.app.delivery().events().number().await.unwrap();
        self.app.delivery().consumers().process_behind(ConsumerGroup::Projections).await.unwrap();
    }

    async fn found(self, query: &str, limit: usize) -> Vec<String> {
        let (mut all, mut cursor) = (Vec::new(), None);
        for _ in 0..20 {
            let conversations = self.app.inbox().conversations();
            let page = conversations.search_messages(&self.me(), query, cursor.as_deref(), limit).await.unwrap();
            assert!(page.found.len() <= limit);
            all.extend(page.found.into_iter().map(|one| format!("{}: {}", one.contact.name, one.snippet)));
            cursor = page.next_cursor;
            if cursor.is_none() {
                return all;
            }
        }
        panic!("the search has no end");
    }
}

impl Searching for &World {}

testkit::both_databases! {
    async fn messages_are_found_by_their_words(world = World::new) {
        let support = world.open_channel("Support", "14155550100").await;
        let (ada, bob) = (world.person(ADA, "Ada").await, world.person(BOB, "Bob").await);
        for (contact, text) in [(&ada, "Is my order ready?"), (&bob, "ORDERS for Bern"), (&ada, "thanks, ready now")] {
            world.has_received(&support, contact, text).await;
        }
        assert!(world.found("order", 10).await.is_empty(), "not indexed yet");
        world.index().await;
        for (query, expected) in [
            ("order", vec!["Bob: ORDERS for Bern", "Ada: Is my order ready?"]),
            ("ready", vec!["Ada: thanks, ready now", "Ada: Is my order ready?"]),
            ("READY order", vec!["Ada: Is my order ready?"]),
            ("orders", vec!["Bob: ORDERS for Bern"]),
            ("is my order", vec!["Ada: Is my order ready?"]),
            ("nothing", vec![]),
        ] {
            assert_eq!(world.found(query, 10).await, expected, "{query}");
            assert_eq!(world.found(query, 1).await, expected, "{query}");
        }
        let conversations = world.app.inbox().conversations();
        for (query, cursor, wrong) in [("ab", None, "query"), ("order", Some("nonsense"), "cursor")] {
            let refused = conversations.search_messages(&world.me(), query, cursor, 10).await.unwrap_err();
            assert!(matches!(&refused, app::Error::Invalid { place, .. } if place.to_string() == wrong), "{refused}");
        }
        let stranger = app::Command(world.test.new_tenant("unlimited").await);
        assert!(conversations.search_messages(&stranger, "order", None, 10).await.unwrap().found.is_empty());
        world.app.people().contacts().delete(&world.me(), ADA).await.unwrap();
        assert_eq!(world.found("ready", 10).await, Vec::<String>::new(), "an erased text is not found");
    }
}
