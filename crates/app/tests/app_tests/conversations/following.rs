//! Conversations of contacts that are merged, separated and deleted.

use domain::messaging::conversations::ConversationStatus;
use domain::messaging::messages::{HistoryKind, Message, MessageDirection, MessageState, TemplateParams};
use domain::people::contacts::CustomParam;
use domain::{ContactId, Id, MessageId};
use store::{Statement, params};
use testkit::World;

use crate::conversations::world::{ADA, BOB, Talks as _, message};

static WAITING: Statement =
    Statement::new("test.waiting", "SELECT id, contact_id FROM outbox WHERE tenant_id = $1 ORDER BY id");
static SAID: Statement = Statement::new(
    "test.said",
    "SELECT COALESCE(text, '') || COALESCE(content, '') || COALESCE(params, '') || COALESCE(error, '') FROM messages
     WHERE tenant_id = $1",
);
static TAKE: Statement =
    Statement::new("test.take", "UPDATE outbox SET taken_by = 'node' WHERE tenant_id = $1 AND id = $2");

async fn waiting(world: &World) -> Vec<(MessageId, ContactId)> {
    world.test.db.rows(&WAITING, params![world.tenant()], store::read).await.unwrap()
}

testkit::both_databases! {
    async fn conversations_move_to_the_kept_contact_and_back(world = World::new) {
        let support = world.open_channel("Support", "14155550100").await;
        let sales = world.open_channel("Sales", "14155550101").await;
        let (ada, bob) = (world.person(ADA, "Ada").await, world.person(BOB, "Bob").await);
        let first = world.said(&support, &ada, "from Ada").await;
        let second = world.said(&sales, &bob, "from Bob").await;
        world.tick();
        let waits = world.waits(message(&second, MessageDirection::Outbound, MessageState::Queued, world.now())).await;

        let merged = world.app.people().contacts().merge(&world.me(), ADA, BOB).await.unwrap();
        assert_eq!(merged.contact.id, ada.id);
        let moved = world.between(&sales, &ada).await.unwrap();
        assert_eq!((moved.id, moved.contact_id), (second.id, ada.id));
        assert_eq!(waiting(&world).await, [(waits, ada.id)]);
        assert_eq!(world.message(waits).await.contact_id, Some(ada.id));
        // The conversation is also found by the id that the merged contact had.
        assert_eq!(world.texts(&format!("Sales:{}", bob.id)).await[1], "from Bob");

        world.app.people().contacts().undo_merge(&world.me(), merged.id).await.unwrap();
        assert_eq!(world.between(&sales, &bob).await.unwrap().id, second.id);
        assert!(world.between(&sales, &ada).await.is_none());
        assert_eq!(world.between(&support, &ada).await.unwrap().id, first.id);
        assert_eq!(waiting(&world).await, [(waits, bob.id)]);
        assert_eq!(world.texts(BOB).await[1], "from Bob");
    }

    async fn two_conversations_over_one_channel_are_joined(world = World::new) {
        let support = world.open_channel("Support", "14155550100").await;
        let (ada, bob) = (world.person(ADA, "Ada").await, world.person(BOB, "Bob").await);
        let first = world.said(&support, &ada, "one").await;
        let second = world.said(&support, &bob, "two").await;
        world.said(&support, &ada, "three").await;
        world.status(ADA, ConversationStatus::Solved).await;
        let later = world.said(&support, &bob, "four").await;
        let merged = world.app.people().contacts().merge(&world.me(), ADA, BOB).await.unwrap();
        let joined = world.between(&support, &ada).await.unwrap();
        assert_eq!((joined.id, joined.status, joined.ticket_id), (first.id, ConversationStatus::Open, second.ticket_id));
        assert_eq!((joined.window_until, joined.last_at), (later.window_until, later.last_at));
        assert_eq!(joined.last_text.as_deref(), Some("four"));
        assert_eq!(world.texts(ADA).await, ["four", "The ticket was solved", "three", "two", "one"]);
        // The id of the conversation that was joined into the other is no longer found.
        let page = app::inbox::conversations::PageRequest::new(1, 1).unwrap();
        assert!(world.app.inbox().conversations().history(&world.me(), (&second.id.to_string()).into(), page, false).await.is_err());
        // Undoing the merge does not separate joined conversations.
        world.app.people().contacts().undo_merge(&world.me(), merged.id).await.unwrap();
        assert!(world.between(&support, &bob).await.is_none());
        assert_eq!(world.texts(ADA).await.len(), 5);
    }

    async fn deleting_a_contact_erases_its_messages(world = World::new) {
        let support = world.open_channel("Support", "14155550100").await;
        let (ada, bob) = (world.person(ADA, "Ada").await, world.person(BOB, "Bob").await);
        let talk = world.said(&support, &ada, "secret of Ada").await;
        let other = world.said(&support, &bob, "of Bob").await;
        world.status(ADA, ConversationStatus::Pending).await;
        world.tick();
        let ours = |of, text: &str| Message {
            text: Some(format!("{text} secret")),
            content: Some("{\"secret\":1}".to_owned()),
            params: TemplateParams::from_params(&[CustomParam { name: "1".to_owned(), value: "secret".to_owned() }]),
            ..message(of, MessageDirection::Outbound, MessageState::Queued, world.now())
        };
        let broadcast_id = Some(Id::new(world.now()));
        let stopped = world.waits(Message { event: HistoryKind::Broadcast, broadcast_id, ..ours(&talk, "broadcast") }).await;
        let leaving = world.waits(Message { id: Id::new(world.now()), ..ours(&talk, "leaving") }).await;
        let bobs = world.waits(Message { id: Id::new(world.now()), text: None, content: None, params: None, ..ours(&other, "") }).await;
        let input = (world.tenant(), leaving);
        world.test.db.write(input, |tx, (tenant, id)| Box::pin(async move { tx.execute(&TAKE, params![*tenant, *id]).await })).await.unwrap();
        // A message without a conversation, as older releases stored it.
        let loose = Message { conversation_id: None, ..Message { id: Id::new(world.now()), ..ours(&talk, "loose") } };
        let loose_id = loose.id;
        world.test.db.write((world.tenant(), loose), |tx, (tenant, loose)| Box::pin(async move { store::messaging::messages::insert(tx, *tenant, loose).await })).await.unwrap();

        world.app.people().contacts().delete(&world.me(), ADA).await.unwrap();
        assert!(world.between(&support, &ada).await.is_none());
        let mut said = world.test.db.rows(&SAID, params![world.tenant()], store::read::<String>).await.unwrap();
        said.retain(|text| !text.is_empty());
        assert_eq!(said.len(), 1, "{said:?}");
        assert!(said[0].contains("of Bob"), "{said:?}");
        // The broadcast still counts the message as stopped; of the contact only the id is left.
        let row = world.message(stopped).await;
        assert_eq!((row.state, row.broadcast_id, row.contact_id), (MessageState::Stopped, broadcast_id, Some(ada.id)));
        assert_eq!((row.conversation_id, row.ticket_id), (None, None));
        // A message that a node has claimed is left to that node.
        assert_eq!(world.message(leaving).await.state, MessageState::Queued);
        assert_eq!(world.message(loose_id).await.text, None);
        let mut waiting: Vec<MessageId> = waiting(&world).await.into_iter().map(|(id, _)| id).collect();
        waiting.sort_unstable();
        let mut expected = [leaving, bobs];
        expected.sort_unstable();
        assert_eq!(waiting, expected);
        assert_eq!(world.texts(BOB).await.len(), 2);
    }

    async fn deleting_a_contact_erases_messages_of_merged_ones(world = World::new) {
        let support = world.open_channel("Support", "14155550100").await;
        let (ada, bob) = (world.person(ADA, "Ada").await, world.person(BOB, "Bob").await);
        world.said(&support, &ada, "one").await;
        world.said(&support, &bob, "two").await;
        world.app.people().contacts().merge(&world.me(), ADA, BOB).await.unwrap();
        world.app.people().contacts().delete(&world.me(), BOB).await.unwrap();
        let said = world.test.db.rows(&SAID, params![world.tenant()], store::read::<String>).await.unwrap();
        assert_eq!(said.concat(), "");
    }
}
