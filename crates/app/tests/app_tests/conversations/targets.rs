//! How operations that read or change a conversation resolve a target.

use app::Error;
use app::inbox::conversations::PageRequest;
use domain::messaging::conversations::ConversationStatus;
use domain::{ConversationId, TargetId};
use testkit::World;
use testkit::world::OnWorld;

use crate::conversations::world::{ADA, BOB, Talks as _};

trait Targets: OnWorld {
    async fn find(self, target: &str) -> Result<ConversationId, Error> {
        let page = PageRequest::new(1, 1).unwrap();
        let history = self.app.inbox().conversations().history(&self.me(), target.into(), page, false).await?;
        Ok(history.conversation.id)
    }
}

impl Targets for &World {}

testkit::both_databases! {
    async fn every_form_leads_to_the_conversation(world = World::new) {
        let support = world.open_channel("Support", "14155550100").await;
        let ada = world.person(ADA, "Ada").await;
        let talk = world.said(&support, &ada, "hi").await;
        let (id, conversation) = (ada.id.to_string(), talk.id.to_string());
        for target in [
            ADA,
            "+1 (415) 555-2671",
            &ada.bsuid,
            &id,
            &conversation,
            &format!("Support:{ADA}"),
            &format!("support%3A{ADA}"),
            &format!("14155550100:{}", ada.bsuid),
            &format!("{}:{id}", support.id),
            &format!("Support:{conversation}"),
        ] {
            assert_eq!(world.find(target).await.unwrap(), talk.id, "{target}");
        }
        let stranger = TargetId::new(world.now()).to_string();
        for target in [BOB, "US.77", "nonsense", "", &stranger] {
            let answer = world.find(target).await;
            assert!(matches!(answer, Err(Error::NotFound(app::Thing::Conversation))), "{target}: {answer:?}");
        }
        match world.find(&format!("Sales:{ADA}")).await {
            Err(error @ Error::NoChannel { .. }) => assert_eq!(error.to_string(), "target: there is no channel \"Sales\""),
            other => panic!("{other:?}"),
        }
    }

    async fn several_open_conversations_are_listed_and_a_channel_decides(world = World::new) {
        let support = world.open_channel("Support", "14155550100").await;
        let sales = world.open_channel("Sales", "14155550101").await;
        let ada = world.person(ADA, "Ada").await;
        let first = world.said(&support, &ada, "help").await;
        let second = world.said(&sales, &ada, "price?").await;
        let Err(Error::Ambiguous { place, conversations }) = world.find(ADA).await else { panic!("not ambiguous") };
        assert_eq!(place.to_string(), "target");
        let listed: Vec<_> = conversations.iter().map(|one| (one.conversation_id, one.channel_name.as_str())).collect();
        assert_eq!(listed, [(second.id, "Sales"), (first.id, "Support")]);
        assert_eq!(world.find(&format!("Support:{ADA}")).await.unwrap(), first.id);
        assert_eq!(world.find(&first.id.to_string()).await.unwrap(), first.id);
        // A pending conversation is active too; a solved one is not.
        world.status(&first.id.to_string(), ConversationStatus::Pending).await;
        assert!(matches!(world.find(ADA).await, Err(Error::Ambiguous { .. })));
        world.status(&first.id.to_string(), ConversationStatus::Solved).await;
        assert_eq!(world.find(ADA).await.unwrap(), second.id);
        // If none is active, the latest one is meant.
        world.status(&second.id.to_string(), ConversationStatus::Blocked).await;
        assert_eq!(world.find(ADA).await.unwrap(), second.id);
        // A target with an id of a conversation and the name of another channel contradicts itself.
        assert!(matches!(world.find(&format!("Sales:{}", first.id)).await, Err(Error::NotFound(app::Thing::Conversation))));
    }

    async fn conversations_over_removed_channels_can_be_read(world = World::new) {
        let support = world.open_channel("Support", "14155550100").await;
        let sales = world.open_channel("Sales", "14155550101").await;
        let ada = world.person(ADA, "Ada").await;
        let gone = world.said(&sales, &ada, "price?").await;
        world.app.messaging().channels().remove(&app::Command(world.tenant()), "Sales").await.unwrap();
        assert_eq!(world.find(ADA).await.unwrap(), gone.id);
        assert_eq!(world.find(&gone.id.to_string()).await.unwrap(), gone.id);
        let stays = world.said(&support, &ada, "hello?").await;
        assert_eq!(world.find(ADA).await.unwrap(), stays.id);
    }

    async fn conversations_of_other_tenants_do_not_exist(world = World::new) {
        let support = world.open_channel("Support", "14155550100").await;
        let ada = world.person(ADA, "Ada").await;
        let talk = world.said(&support, &ada, "hi").await;
        let other = app::Command(world.test.new_tenant("unlimited").await);
        let page = PageRequest::new(1, 1).unwrap();
        for target in [ADA.to_owned(), ada.id.to_string(), talk.id.to_string(), ada.bsuid.clone()] {
            let read = world.app.inbox().conversations().history(&other, (&target).into(), page, false).await;
            assert!(matches!(read, Err(Error::NotFound(app::Thing::Conversation))), "{target}");
            let set = world.app.inbox().conversations().set_status(&other, (&target).into(), ConversationStatus::Solved).await;
            assert!(matches!(set, Err(Error::NotFound(app::Thing::Conversation))), "{target}");
        }
        assert_eq!(world.between(&support, &ada).await.unwrap().status, ConversationStatus::Open);
    }
}
