//! Conversations: one for each contact and channel, lists by index, erasing.

use domain::inbox::filter::{AssignedTo, ConversationFilter};
use domain::messaging::conversations::{Assignee, Conversation, ConversationStatus};
use domain::messaging::messages::{Message, MessageDirection, MessageState};
use domain::{Id, TenantId, Timestamp};
use store::{Db, Error, Statement};

use crate::fixtures::START;

fn at(seconds: i64) -> Timestamp {
    START.plus_seconds(seconds)
}

fn conversation(n: i64, status: ConversationStatus, assignee: Option<Assignee>) -> Conversation {
    let mut one = Conversation::new(Id::seeded(START, 1), Id::seeded(at(n), 2), at(n));
    one.status = status;
    one.assignee = assignee;
    one.last_text = Some(format!("message {n}"));
    one
}

async fn insert(db: &Db, tenant: TenantId, one: &Conversation) -> Result<(), Error> {
    db.write((tenant, one.clone()), |tx, (tenant, one)| {
        Box::pin(store::messaging::conversations::insert_many(tx, *tenant, std::slice::from_ref(one)))
    })
    .await
}

async fn write_message(db: &Db, tenant: TenantId, message: &Message) {
    let write = db.write((tenant, message.clone()), |tx, (tenant, message)| {
        Box::pin(store::messaging::messages::insert(tx, *tenant, message))
    });
    assert!(write.await.unwrap());
}

#[tokio::test]
async fn on_sqlite_a_page_is_read_by_an_index_in_order() {
    let test = testkit::database::TestDb::sqlite().await;
    let areas = ["conversations.", "inbox.list.", "inbox.pages."];
    let of_areas = |one: &&Statement| areas.iter().any(|area| one.name().starts_with(area));
    for statement in store::statements().into_iter().filter(of_areas) {
        let plan = test.db.explain(statement, &[]).await.unwrap().join("\n");
        assert!(!plan.contains("TEMP B-TREE") && !plan.contains("SCAN v"), "{}\n{plan}", statement.text());
        if statement.name() == "inbox.list.by_filter" {
            let by_id = statement.text().contains("v.assignee_id = $");
            let index = if by_id {
                "conversations_assignee (tenant_id=? AND assignee_id=? AND status=?)"
            } else {
                "conversations_last (tenant_id=? AND status=?)"
            };
            let branches = statement.text().matches("FROM conversations").count();
            assert_eq!(plan.matches(index).count(), branches, "{}\n{plan}", statement.text());
        }
    }
}

testkit::both_databases! {
    async fn what_is_written_is_read(test) {
        let operator = Assignee::Operator { id: Id::seeded(START, 7), email: "a@b.de".to_owned(), name: "A".to_owned() };
        let team = Assignee::Team { id: Id::seeded(START, 8), name: "Night".to_owned() };
        for (n, assignee) in [(1, None), (2, Some(Assignee::Bot)), (3, Some(operator)), (4, Some(team))] {
            let one = conversation(n, ConversationStatus::Open, assignee);
            insert(&test.db, test.tenant, &one).await.unwrap();
            assert_eq!(store::messaging::conversations::by_id(&test.db, test.tenant, one.id).await.unwrap(), Some(one.clone()));
            let changed = Conversation { status: ConversationStatus::Blocked, version: 9, last_text: None, ..one };
            let input = (test.tenant, changed.clone());
            test.db.write(input, |tx, (tenant, one)| Box::pin(store::messaging::conversations::update(tx, *tenant, one))).await.unwrap();
            let read = store::messaging::conversations::of_contact(&test.db, test.tenant, changed.contact_id).await.unwrap();
            assert_eq!(read, [changed]);
        }
    }

    async fn a_contact_has_one_on_a_channel(test) {
        let one = conversation(1, ConversationStatus::Open, None);
        insert(&test.db, test.tenant, &one).await.unwrap();
        let again = Conversation { id: Id::seeded(START, 99), ..one };
        assert!(matches!(insert(&test.db, test.tenant, &again).await, Err(Error::TryAgain(_))));
    }

    async fn a_list_merges_all_statuses(test) {
        for n in 0..40 {
            let status = ConversationStatus::ALL[usize::try_from(n % 4).unwrap()];
            let assignee = (n % 3 == 0).then_some(Assignee::Bot);
            insert(&test.db, test.tenant, &conversation(n, status, assignee)).await.unwrap();
        }
        let list = async |filter: ConversationFilter, limit, offset| -> Vec<String> {
            let found = store::inbox::list::list(&test.db, test.tenant, &filter, limit, offset).await.unwrap();
            found.into_iter().map(|one| one.last_text.unwrap()).collect()
        };
        let expected: Vec<_> = (0..40).rev().map(|n| format!("message {n}")).collect();
        assert_eq!(list(ConversationFilter::default(), 100, 0).await, expected);
        assert_eq!(list(ConversationFilter::default(), 7, 20).await, expected[20..27]);
        let bots = ConversationFilter { assignee: Some(AssignedTo::Bot), ..ConversationFilter::default() };
        assert_eq!(list(bots, 3, 1).await, ["message 36", "message 33", "message 30"]);
        let solved = ConversationFilter { status: Some(ConversationStatus::Solved), ..ConversationFilter::default() };
        assert_eq!(list(solved, 2, 0).await, ["message 37", "message 33"]);
        let other = ConversationFilter { channel: Some(Id::seeded(START, 50)), ..ConversationFilter::default() };
        assert!(list(other, 2, 0).await.is_empty());
    }

    async fn erasing_one_leaves_the_others(test) {
        let (gone, stays) = (conversation(1, ConversationStatus::Open, None), conversation(2, ConversationStatus::Open, None));
        for one in [&gone, &stays] {
            insert(&test.db, test.tenant, one).await.unwrap();
            let message = Message {
                conversation_id: Some(one.id),
                contact_id: Some(one.contact_id),
                text: Some("said".to_owned()),
                ..Message::bare(Id::seeded(one.created_at, 5), one.channel_id, MessageDirection::Inbound, MessageState::RECEIVED, "text", one.created_at)
            };
            write_message(&test.db, test.tenant, &message).await;
        }
        test.db.write((test.tenant, gone.id), |tx, (tenant, id)| Box::pin(store::messaging::conversations::erase(tx, *tenant, *id))).await.unwrap();
        assert_eq!(store::messaging::conversations::by_id(&test.db, test.tenant, gone.id).await.unwrap(), None);
        let erased = store::messaging::messages::find(&test.db, test.tenant, Id::seeded(gone.created_at, 5)).await.unwrap().unwrap();
        assert_eq!((erased.text, erased.conversation_id, erased.contact_id), (None, None, Some(gone.contact_id)));
        assert_eq!(store::messaging::messages::history(&test.db, test.tenant, stays.id, domain::messaging::messages::HistoryRange::default(), 10, 0).await.unwrap()[0].text.as_deref(), Some("said"));
    }
}
