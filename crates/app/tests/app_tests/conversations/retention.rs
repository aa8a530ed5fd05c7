//! Records that are older than their tenant keeps them.

use std::time::Duration;

use app::identity::audit::ChainState;
use domain::messaging::conversations::Conversation;
use domain::messaging::messages::search::message_terms;
use domain::messaging::messages::{MessageDirection, MessageState};
use domain::people::contacts::Term;
use domain::platform::retention::RetentionKind;
use domain::{Id, JournalEntryId, TenantId, Timestamp};
use store::messaging::inbound::ParkedRecord;
use store::messaging::network_reports::NetworkReport;
use store::platform::activity::FirstResponse;
use testkit::World;
use testkit::world::OnWorld;

use crate::conversations::search::Searching as _;
use crate::conversations::world::{ADA, BOB, Talks as _, message};

trait Aging: OnWorld {
    fn days_later(self, days: u64) {
        self.test.clock.advance(Duration::from_hours(24 * days));
    }

    async fn keep(self, kind: RetentionKind, days: Option<u32>) {
        self.app.platform().retention().set(&app::Command(self.tenant()), &[(kind, days)]).await.unwrap();
    }

    /// Only this tenant: other tests of the database have clocks of their own.
    async fn sweep(self) {
        self.app.platform().retention().sweep_tenant(self.tenant(), &|| false).await.unwrap();
    }

    /// How many rows of the index of words a word has.
    async fn indexed(self, word: &str) -> usize {
        let terms: Vec<Term> = message_terms(word);
        store::messaging::messages::terms::candidates(&self.test.db, self.tenant(), &terms[..1], None, 100)
            .await
            .unwrap()
            .len()
    }

    /// Notes a first response of now.
    async fn responded(self, conversation: &Conversation) {
        let at = self.now().to_millis();
        let (conversation_id, channel_id) = (conversation.id, Some(conversation.channel_id));
        let new = FirstResponse { at, message_id: Id::new(at), conversation_id, channel_id, seconds: 60 };
        let write = self.test.db.write((self.tenant(), new), |tx, (tenant, new)| {
            Box::pin(async move { store::platform::activity::add_response(tx, *tenant, new).await })
        });
        write.await.unwrap();
    }

    async fn responses(self) -> usize {
        let (from, end) = (Timestamp::from_seconds(0), (self.now(), Id::from_bytes([0xff; 12])));
        store::platform::activity::responses(&self.test.db, self.tenant(), from, end, 100).await.unwrap().len()
    }

    async fn actions(self) -> Vec<String> {
        let entries = store::identity::audit::latest(&self.test.db, self.tenant(), 1000).await.unwrap();
        entries.into_iter().map(|entry| entry.action).collect()
    }
}

impl Aging for &World {}

fn report(world: &World, subject: &str) -> NetworkReport {
    let now = world.now().to_millis();
    NetworkReport {
        id: Id::new(now),
        channel_id: Id::new(now),
        kind: "error".to_owned(),
        subject: subject.to_owned(),
        digest: [7; 32],
        at: now,
        received_at: now,
        doc: "{}".to_owned(),
    }
}

/// Stores a report of the network and a parked record of now.
async fn arrive(world: &World, subject: &str) {
    let report = report(world, subject);
    let parked = ParkedRecord {
        id: Id::new(report.at),
        channel_id: report.channel_id,
        received_at: report.at,
        parked_at: report.at,
        reason: subject.to_owned(),
        body: b"{}".to_vec(),
    };
    let write = world.test.db.write((world.tenant(), report, parked), |tx, (tenant, report, parked)| {
        Box::pin(async move {
            store::messaging::network_reports::insert(tx, *tenant, report).await?;
            store::messaging::inbound::park(tx, *tenant, parked).await
        })
    });
    write.await.unwrap();
}

async fn parked(world: &World, tenant: TenantId) -> Vec<String> {
    let all = JournalEntryId::from_bytes([0xff; 12]);
    let found = store::messaging::inbound::parked(&world.test.db, tenant, all, 100).await.unwrap();
    found.into_iter().map(|one| one.reason).collect()
}

testkit::both_databases! {
    async fn messages_are_deleted_by_age_only_where_it_is_set(world = World::new) {
        let support = world.open_channel("Support", "14155550100").await;
        let (ada, bob) = (world.person(ADA, "Ada").await, world.person(BOB, "Bob").await);
        world.has_received(&support, &ada, "first order").await;
        world.has_received(&support, &bob, "another order").await;
        let of_bob = world.between(&support, &bob).await.unwrap();
        let now = world.now().to_millis();
        let waiting = message(&of_bob, MessageDirection::Outbound, MessageState::Queued, now);
        let waiting = world.waits(waiting).await;
        world.responded(&of_bob).await;
        world.index().await;
        world.days_later(40);
        world.responded(&of_bob).await;
        world.has_received(&support, &ada, "second order").await;
        world.index().await;
        world.sweep().await;
        assert_eq!(world.found("order", 10).await.len(), 3, "no number of days is set");

        world.keep(RetentionKind::Messages, Some(41)).await;
        world.sweep().await;
        assert_eq!((world.found("order", 10).await.len(), world.responses().await), (3, 2), "nothing is as old");
        world.keep(RetentionKind::Messages, Some(30)).await;
        world.sweep().await;
        assert_eq!(world.found("order", 10).await, ["Ada: second order"]);
        assert_eq!((world.indexed("order").await, world.indexed("another").await), (1, 0), "search terms go too");
        assert_eq!(world.responses().await, 1);
        assert_eq!(world.texts(ADA).await, ["second order"]);
        assert_eq!(world.between(&support, &ada).await.unwrap().last_text.as_deref(), Some("second order"));
        assert_eq!(world.between(&support, &bob).await.unwrap().last_text, None);
        assert_eq!(world.message(waiting).await.state, MessageState::Queued, "what is to be sent stays");

        world.keep(RetentionKind::Messages, None).await;
        world.days_later(100);
        world.sweep().await;
        assert_eq!(world.texts(ADA).await, ["second order"], "the installation keeps them without end");
    }

    async fn more_messages_than_a_transaction_deletes_are_deleted(world = World::new) {
        let support = world.open_channel("Support", "14155550100").await;
        let ada = world.person(ADA, "Ada").await;
        let one = world.said(&support, &ada, "first").await;
        let now = world.now().to_millis();
        let many: Vec<_> = (0..1_200)
            .map(|_| message(&one, MessageDirection::Inbound, MessageState::RECEIVED, now))
            .collect();
        let write = world.test.db.write((world.tenant(), many), |tx, (tenant, many)| {
            Box::pin(async move {
                for message in many {
                    store::messaging::messages::insert(tx, *tenant, message).await?;
                }
                Ok::<_, store::Error>(())
            })
        });
        write.await.unwrap();
        world.keep(RetentionKind::Messages, Some(1)).await;
        world.days_later(2);
        world.app.platform().retention().sweep_tenant(world.tenant(), &|| true).await.unwrap();
        assert_eq!(world.texts(ADA).await.len(), 100, "a stopped sweep deletes nothing");
        world.sweep().await;
        assert!(world.texts(ADA).await.is_empty());
    }

    async fn reports_parked_records_and_audit_entries_are_deleted_by_age(world = World::new) {
        let stranger = world.test.new_tenant("unlimited").await;
        arrive(&world, "old").await;
        world.operator("ada@example.com").await;
        world.days_later(10);
        arrive(&world, "new").await;
        let of_reports = async |subject| {
            store::messaging::network_reports::about(&world.test.db, world.tenant(), "error", subject).await.unwrap().len()
        };
        let kinds = [RetentionKind::NetworkReports, RetentionKind::Parked, RetentionKind::Audit];
        let changes = kinds.map(|kind| (kind, Some(5)));
        world.app.platform().retention().set(&app::Command(world.tenant()), &changes).await.unwrap();
        world.sweep().await;
        assert_eq!((of_reports("old").await, of_reports("new").await), (0, 1));
        assert_eq!(parked(&world, world.tenant()).await, ["new"]);
        let actions = world.actions().await;
        assert!(!actions.iter().any(|action| action == "account.create"), "{actions:?}");
        assert!(actions.iter().any(|action| action == "audit.expire"), "{actions:?}");
        let state = world.app.identity().audit().verify(&app::Command(world.tenant()), None).await.unwrap();
        let ChainState::Whole { base, head } = state else { panic!("{state:?}") };
        assert!(base.number > 0 && head.number > base.number, "{base:?} {head:?}");
        world.sweep().await;
        assert_eq!(world.actions().await, actions, "nothing more is due, and nothing is noted");
        let kept = world.app.platform().retention().of_tenant(&app::Command(stranger)).await.unwrap();
        assert!(kept.iter().all(|one| one.days == 0 && !one.own), "{kept:?}");
        let too_long = [(RetentionKind::Audit, Some(40_000))];
        let refused = world.app.platform().retention().set(&app::Command(stranger), &too_long).await.unwrap_err();
        assert!(matches!(&refused, app::Error::Invalid { place, .. } if place.to_string() == "audit"), "{refused}");
    }
}
