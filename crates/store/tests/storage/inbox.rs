//! The list of conversations for the inbox: plans on both engines, order, positions.

use domain::messaging::conversations::{Assignee, Conversation, ConversationStatus};
use domain::{Id, TenantId};
use store::inbox::pages::{InboxOrder, InboxPosition, inbox, inbox_explain};
use store::{Db, Statement};
use testkit::database::TestDb;

use crate::fixtures::START;

const PEOPLE: i64 = 3000;

fn orders() -> [(InboxOrder, &'static str); 6] {
    [
        (InboxOrder::All, "conversations_last"),
        (InboxOrder::Unassigned, "conversations_unassigned"),
        (InboxOrder::Assigned(Id::seeded(START, 7)), "conversations_assignee"),
        (InboxOrder::Channel(Id::seeded(START, 1)), "conversations_channel"),
        (InboxOrder::Label(Id::seeded(START, 8)), "conversation_labels_last"),
        (InboxOrder::Snoozed, "conversations_snoozed"),
    ]
}

fn conversation(n: i64) -> Conversation {
    let at = START.plus_seconds(n);
    let channel = Id::seeded(START, u64::from(n % 2 == 0));
    let mut one = Conversation::new(channel, Id::seeded(at, 2), at);
    one.id = Id::seeded(at, 3);
    one.status = ConversationStatus::ALL[usize::try_from(n % 4).unwrap()];
    if n % 3 == 0 {
        let (email, name) = ("a@b.de".to_owned(), "A".to_owned());
        one.assignee = Some(Assignee::Operator { id: Id::seeded(START, 7), email, name });
    }
    if n % 5 == 0 {
        one.labels = vec![Id::seeded(START, 8)];
    }
    one.snoozed_until = (n % 7 == 0).then(|| at.plus_seconds(60));
    one
}

async fn fill(db: &Db, tenant: TenantId) -> Vec<Conversation> {
    let all: Vec<Conversation> = (0..PEOPLE).map(conversation).collect();
    let write = db.write((tenant, all.clone()), |tx, (tenant, all)| {
        Box::pin(async move {
            store::messaging::conversations::insert_many(tx, *tenant, all).await?;
            for one in all.iter().filter(|one| !one.labels.is_empty()) {
                store::messaging::conversations::set_labels(tx, *tenant, one).await?;
            }
            Ok::<_, store::Error>(())
        })
    });
    write.await.unwrap();
    all
}

fn belongs(order: InboxOrder, one: &Conversation) -> bool {
    match order {
        InboxOrder::All => true,
        InboxOrder::Unassigned => one.assignee.is_none(),
        InboxOrder::Assigned(_) => one.assignee.is_some(),
        InboxOrder::Channel(id) => one.channel_id == id,
        InboxOrder::Label(_) => !one.labels.is_empty(),
        InboxOrder::Snoozed => one.snoozed_until.is_some(),
    }
}

testkit::both_databases! {
    async fn every_order_reads_its_conversations_latest_first_from_any_position(test) {
        let all = fill(&test.db, test.tenant).await;
        fill(&test.db, test.new_tenant("unlimited").await).await;
        for (order, _) in orders() {
            for status in [None, Some(ConversationStatus::Open)] {
                let by_status = |one: &&Conversation| order == InboxOrder::Snoozed || status.is_none_or(|s| s == one.status);
                let mut expected: Vec<_> = all.iter().filter(|one| belongs(order, one)).filter(by_status).collect();
                expected.sort_unstable_by_key(|one| std::cmp::Reverse((one.last_at, one.id)));
                let mut after = None;
                for part in expected.chunks(25).take(5) {
                    let page = inbox(&test.db, test.tenant, order, status, after, 25).await.unwrap();
                    assert_eq!(page.iter().collect::<Vec<_>>(), part, "{order:?} {status:?}");
                    after = page.last().map(|one| InboxPosition { last_at: one.last_at, id: one.id });
                }
            }
        }
    }
}

#[tokio::test]
async fn on_sqlite_each_list_is_read_in_order_by_its_index() {
    let test = TestDb::sqlite().await;
    for (order, index) in orders() {
        for status in [None, Some(ConversationStatus::Open)] {
            let plan = inbox_explain(&test.db, test.tenant, order, status, None).await.unwrap().join("\n");
            assert!(plan.contains(index) && !plan.contains("TEMP B-TREE"), "{order:?}\n{plan}");
        }
    }
}

#[tokio::test]
async fn on_postgres_each_list_is_read_in_order_by_its_index() {
    static ANALYZE: Statement = Statement::new("analyze", "ANALYZE conversations");
    static ANALYZE_LABELS: Statement = Statement::new("analyze", "ANALYZE conversation_labels");
    let test = TestDb::postgres().await;
    fill(&test.db, test.tenant).await;
    for statement in [&ANALYZE, &ANALYZE_LABELS] {
        test.db.write((), move |tx, ()| Box::pin(tx.execute(statement, &[]))).await.unwrap();
    }
    for (order, index) in orders() {
        let statuses: &[Option<ConversationStatus>] = &[None, Some(ConversationStatus::Open)];
        for status in statuses {
            let plan = inbox_explain(&test.db, test.tenant, order, *status, None).await.unwrap().join("\n");
            assert!(plan.contains(index) && !plan.contains("Seq Scan"), "{order:?} {status:?}\n{plan}");
        }
    }
}
