//! Broadcasts: pages, counts of one moment, recipients, and stopping while a sender claims messages.

use domain::messaging::broadcasts::Broadcast;
use domain::messaging::messages::{
    Message, MessageDirection, MessageOperator, MessageSource, MessageState, TemplateParams,
};
use domain::{BroadcastId, ChannelId, Id, MessageId, TenantId, Timestamp};
use store::messaging::broadcasts::{self, BroadcastRange, RefusedRecipient};
use store::messaging::outbox::{self, DueMessage, NewOutboxEntry};
use store::{Db, Location};
use testkit::database::TestDb;

use crate::fixtures::{START, run};

const ALL: BroadcastRange =
    BroadcastRange { from: Timestamp::from_micros(0), to: Timestamp::from_micros(i64::MAX), channel: None };

fn broadcast(channel_id: ChannelId, at: Timestamp, refused: i64) -> Broadcast {
    Broadcast {
        id: Id::new(at),
        channel_id,
        name: "Spring".to_owned(),
        template_id: Id::new(at),
        template_name: "offer".to_owned(),
        operator: Some(MessageOperator { email: None, source: MessageSource::Api, is_bot: false }),
        source: "API".to_owned(),
        refused,
        scheduled_at: None,
        stopped_at: None,
        created_at: at,
    }
}

fn refused(place: i64) -> RefusedRecipient {
    RefusedRecipient {
        place,
        target: format!("1{place}"),
        contact_id: None,
        local_id: None,
        code: 131_026,
        reason: "phone_number: unknown".to_owned(),
        params: None,
    }
}

async fn stored(test: &TestDb, tenant: TenantId, new: &Broadcast, messages: &[Message]) {
    let refusals: Vec<_> = (0..new.refused).map(refused).collect();
    let input = (tenant, new.clone(), refusals, messages.to_vec());
    let write = test.db.write(input, |tx, (tenant, new, refusals, messages)| {
        Box::pin(async move {
            broadcasts::insert(tx, *tenant, new, refusals).await?;
            store::messaging::messages::insert_many(tx, *tenant, messages).await
        })
    });
    write.await.unwrap();
}

fn message(of: &Broadcast, state: MessageState) -> Message {
    let id = Id::new(of.created_at);
    Message {
        broadcast_id: Some(of.id),
        ..Message::bare(id, of.channel_id, MessageDirection::Outbound, state, "template", of.created_at)
    }
}

fn waiting(message: &Message) -> NewOutboxEntry {
    NewOutboxEntry {
        channel_id: message.channel_id,
        priority: 3,
        due_at: message.created_at,
        id: message.id,
        contact_id: Id::from_bytes(*message.id.bytes()),
        recipient: "14155550132".to_owned(),
        template_id: None,
        expires_at: message.created_at.plus_seconds(3600),
    }
}

async fn wait_in_outbox(db: &Db, tenant: TenantId, messages: &[Message]) {
    let rows: Vec<_> = messages.iter().map(waiting).collect();
    db.write((tenant, rows), |tx, (tenant, rows)| Box::pin(outbox::insert_many(tx, *tenant, rows))).await.unwrap();
}

async fn states(db: &Db, tenant: TenantId, broadcast: BroadcastId) -> Vec<MessageState> {
    let all = broadcasts::recipients(db, tenant, broadcast, 1000, 0).await.unwrap();
    all.into_iter().map(|one| one.state).collect()
}

testkit::both_databases! {
    async fn pages_are_newest_first_and_keep_to_span_channel_and_tenant(test) {
        let (one, other) = (Id::new(START), Id::new(START));
        let mut all = Vec::new();
        for n in 0..5_i64 {
            let new = broadcast(if n == 2 { other } else { one }, START.plus_seconds(n), 0);
            stored(&test, test.tenant, &new, &[]).await;
            all.insert(0, new);
        }
        let foreign = test.new_tenant("unlimited").await;
        stored(&test, foreign, &broadcast(one, START, 0), &[]).await;
        let found = broadcasts::list(&test.db, test.tenant, &ALL, None, (10, 0)).await.unwrap();
        assert_eq!(found, all);
        assert_eq!(broadcasts::list(&test.db, test.tenant, &ALL, None, (2, 2)).await.unwrap(), all[2..4]);
        assert_eq!(broadcasts::count(&test.db, test.tenant, &ALL, None).await.unwrap(), 5);
        let span = BroadcastRange { from: START.plus_seconds(1), to: START.plus_seconds(3), channel: None };
        assert_eq!(broadcasts::list(&test.db, test.tenant, &span, None, (10, 0)).await.unwrap(), all[1..4]);
        assert_eq!(broadcasts::count(&test.db, test.tenant, &span, None).await.unwrap(), 3);
        let shouted = all[0].name.to_uppercase();
        for (name, expected) in [("", 5), ("no such name", 0), (shouted.as_str(), 5)] {
            assert_eq!(broadcasts::count(&test.db, test.tenant, &ALL, Some(name)).await.unwrap(), expected, "{name}");
            let listed = broadcasts::list(&test.db, test.tenant, &ALL, Some(name), (10, 0)).await.unwrap();
            assert_eq!(i64::try_from(listed.len()).unwrap(), expected, "{name}");
        }
        let rare = BroadcastRange { channel: Some(other), ..ALL };
        assert_eq!(broadcasts::list(&test.db, test.tenant, &rare, None, (10, 0)).await.unwrap(), all[2..3]);
        assert_eq!(broadcasts::count(&test.db, test.tenant, &rare, None).await.unwrap(), 1);
    }

    async fn every_state_is_counted_under_its_own_name(test) {
        let mut new = broadcast(Id::new(START), START, 3);
        new.scheduled_at = Some(START.plus_seconds(60));
        let messages: Vec<_> = MessageState::ALL
            .iter()
            .enumerate()
            .flat_map(|(n, state)| std::iter::repeat_n(*state, n + 1))
            .map(|state| message(&new, state))
            .collect();
        stored(&test, test.tenant, &new, &messages).await;
        let foreign = test.new_tenant("unlimited").await;
        assert_eq!(broadcasts::find_with_counts(&test.db, foreign, new.id, START).await.unwrap(), None);
        for (now, early) in [(START, 1), (START.plus_seconds(60), 0)] {
            let (found, counts) = broadcasts::find_with_counts(&test.db, test.tenant, new.id, now).await.unwrap().unwrap();
            let overview = broadcasts::overview(&test.db, test.tenant, &ALL, None, now).await.unwrap().unwrap();
            assert_eq!((&found, counts.refused, counts.early), (&new, 3, early));
            for (n, state) in MessageState::ALL.iter().enumerate() {
                assert_eq!(counts.get(*state), i64::try_from(n + 1).unwrap(), "{state}");
            }
            assert_eq!(overview, counts);
            let other = broadcast(Id::new(START), START, 0);
            let listed = broadcasts::state_counts(&test.db, test.tenant, &[new.clone(), other.clone()], now).await.unwrap();
            assert_eq!(listed[&new.id], counts);
            assert_eq!(listed[&other.id].get(MessageState::Sent), 0);
        }
    }

    async fn an_overview_adds_up_what_it_covers_and_nothing_else(test) {
        let (one, other) = (Id::new(START), Id::new(START));
        for (n, channel) in [one, one, other].into_iter().enumerate() {
            let new = broadcast(channel, START.plus_seconds(i64::try_from(n).unwrap()), 2);
            let messages = [message(&new, MessageState::Sent), message(&new, MessageState::Failed)];
            stored(&test, test.tenant, &new, &messages).await;
        }
        // A broadcast without messages still has its refused recipients.
        stored(&test, test.tenant, &broadcast(other, START.plus_seconds(9), 5), &[]).await;
        for (filter, refused, sent) in [
            (ALL, 11, 3),
            (BroadcastRange { channel: Some(one), ..ALL }, 4, 2),
            (BroadcastRange { from: START.plus_seconds(2), ..ALL }, 7, 1),
            (BroadcastRange { from: START.plus_seconds(10), ..ALL }, 0, 0),
        ] {
            let counts = broadcasts::overview(&test.db, test.tenant, &filter, None, START).await.unwrap().unwrap();
            assert_eq!((counts.refused, counts.get(MessageState::Sent), counts.get(MessageState::Failed)), (refused, sent, sent));
        }
    }

    async fn recipients_come_in_pages_and_the_refused_ones_last(test) {
        let new = broadcast(Id::new(START), START, 3);
        let messages: Vec<_> = (0..4).map(|_| message(&new, MessageState::Queued)).collect();
        stored(&test, test.tenant, &new, &messages).await;
        let page = broadcasts::recipients(&test.db, test.tenant, new.id, 2, 1).await.unwrap();
        let ids: Vec<MessageId> = page.iter().map(|one| one.id).collect();
        assert_eq!(ids, [messages[1].id, messages[2].id]);
        assert_eq!(page[0].contact, None);
        let behind = broadcasts::refusals(&test.db, test.tenant, new.id, 2, 1).await.unwrap();
        assert_eq!(behind, [(refused(1), None), (refused(2), None)]);
        let foreign = test.new_tenant("unlimited").await;
        assert!(broadcasts::recipients(&test.db, foreign, new.id, 9, 0).await.unwrap().is_empty());
        assert!(broadcasts::refusals(&test.db, foreign, new.id, 9, 0).await.unwrap().is_empty());
    }

    async fn a_refused_recipient_can_be_erased_and_is_still_counted(test) {
        let new = broadcast(Id::new(START), START, 0);
        let contact = Id::new(START);
        let known = RefusedRecipient { contact_id: Some(contact), params: Some(TemplateParams::default()), ..refused(0) };
        let input = (test.tenant, new.clone(), vec![known, refused(1)], contact);
        let write = test.db.write(input, |tx, (tenant, new, refusals, contact)| {
            Box::pin(async move {
                broadcasts::insert(tx, *tenant, new, refusals).await?;
                broadcasts::erase_refusals(tx, *tenant, *contact).await
            })
        });
        write.await.unwrap();
        let left = broadcasts::refusals(&test.db, test.tenant, new.id, 9, 0).await.unwrap();
        let gone = RefusedRecipient { contact_id: Some(contact), target: String::new(), ..refused(0) };
        assert_eq!(left, [(gone, None), (refused(1), None)]);
    }

    async fn only_unclaimed_messages_are_stopped(test) {
        let new = broadcast(Id::new(START), START, 0);
        let messages: Vec<_> =
            [MessageState::Queued, MessageState::Queued, MessageState::Accepted, MessageState::Sent].map(|state| message(&new, state)).into();
        stored(&test, test.tenant, &new, &messages).await;
        wait_in_outbox(&test.db, test.tenant, &messages[..3]).await;
        claim(&test.db, test.tenant, &messages[..1]).await;
        assert_eq!(stop(&test.db, test.tenant, new.id).await, 2);
        let expected = [MessageState::Queued, MessageState::Stopped, MessageState::Stopped, MessageState::Sent];
        assert_eq!(states(&test.db, test.tenant, new.id).await, expected);
        assert!(outbox::position(&test.db, test.tenant, messages[0].id).await.unwrap().is_some());
        assert!(outbox::position(&test.db, test.tenant, messages[1].id).await.unwrap().is_none());
        assert_eq!(stop(&test.db, test.tenant, new.id).await, 0);
    }

    /// A stop and a claim of the same message run at the same time: the first one wins.
    async fn a_message_is_claimed_or_stopped_and_never_both(test) {
        let other = test.another_handle();
        for _ in 0..20 {
            let new = broadcast(Id::new(START), START, 0);
            let messages: Vec<_> = (0..20).map(|_| message(&new, MessageState::Queued)).collect();
            stored(&test, test.tenant, &new, &messages).await;
            wait_in_outbox(&test.db, test.tenant, &messages).await;
            let (taken, stopped) = tokio::join!(
                claim(&other, test.tenant, &messages[5..15]),
                stop(&test.db, test.tenant, new.id),
            );
            assert_eq!(taken + stopped, 20);
            for (one, state) in messages.iter().zip(states(&test.db, test.tenant, new.id).await) {
                let waits = outbox::position(&test.db, test.tenant, one.id).await.unwrap().is_some();
                assert_eq!(waits, state == MessageState::Queued);
            }
        }
    }
}

/// Claims messages as the sender does, in a transaction of its own. Returns how many.
async fn claim(db: &Db, tenant: TenantId, messages: &[Message]) -> u64 {
    let due: Vec<DueMessage> = messages.iter().map(|one| due(&waiting(one))).collect();
    let write = db.write((tenant, due), |tx, (tenant, due)| {
        Box::pin(async move { outbox::claim(tx, *tenant, &due.iter().collect::<Vec<_>>(), "a process").await })
    });
    write.await.unwrap()
}

fn due(waiting: &NewOutboxEntry) -> DueMessage {
    DueMessage {
        id: waiting.id,
        channel_id: waiting.channel_id,
        priority: waiting.priority,
        due_at: waiting.due_at,
        contact_id: waiting.contact_id,
        recipient: waiting.recipient.clone(),
        template_id: None,
        expires_at: waiting.expires_at,
        attempts: 0,
        contact: None,
        window_until: None,
    }
}

async fn stop(db: &Db, tenant: TenantId, broadcast: BroadcastId) -> u64 {
    let write = db.write((tenant, broadcast), |tx, (tenant, id)| Box::pin(outbox::stop_broadcast(tx, *tenant, *id)));
    write.await.unwrap()
}

/// The counts come from the index alone: the size of the messages does not matter.
#[tokio::test]
async fn on_sqlite_counts_are_read_from_the_index_alone() {
    let test = TestDb::sqlite().await;
    for name in ["broadcasts.counts.find_with_counts", "broadcasts.counts.overview"] {
        let statement = store::statements().into_iter().find(|one| one.name() == name).unwrap();
        let plan = test.db.explain(statement, &[]).await.unwrap().join("\n");
        assert!(plan.contains("SEARCH m USING COVERING INDEX messages_broadcast"), "{plan}");
    }
}

/// A connection that avoids scans: with two thousand rows a scan is as cheap as the index, and the plan should be that
/// of a table with a million rows.
fn without_scans(location: &Location) -> Db {
    let Location::Postgres { url, connections } = location else { panic!("not PostgreSQL: {location:?}") };
    let joint = if url.contains('?') { '&' } else { '?' };
    let url = format!("{url}{joint}options=-c%20enable_seqscan%3Doff%20-c%20enable_bitmapscan%3Doff");
    Db::open(&Location::Postgres { url, connections: *connections }).unwrap()
}

#[tokio::test]
async fn on_postgres_counts_are_read_from_the_index_alone() {
    let test = TestDb::postgres().await;
    let new = broadcast(Id::new(START), START, 0);
    let messages: Vec<_> = (0..2000).map(|_| message(&new, MessageState::Sent)).collect();
    stored(&test, test.tenant, &new, &messages).await;
    run(&test.db, "VACUUM ANALYZE messages").await;
    let statement =
        store::statements().into_iter().find(|one| one.name() == "broadcasts.counts.find_with_counts").unwrap();
    let values = [test.tenant.into(), START.into(), new.id.into()];
    let plan = without_scans(&test.location).explain(statement, &values).await.unwrap().join("\n");
    assert!(plan.contains("Index Only Scan using messages_broadcast"), "{plan}");
}
