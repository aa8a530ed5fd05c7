//! The inbox: unread counts, snoozes, labels, notes, presence, and pages by cursor.

use app::inbox::conversations::{
    AssignTo, Assignment, ConversationQuery, InboxPage, NewNote, PageRequest, QueueCounts, ReadMark,
};
use app::people::labels::{LabelRequest, LabelsWanted};
use app::{ActsFor, Error};
use domain::delivery::events::{EventType, EventTypes};
use domain::messaging::conversations::ConversationStatus;
use domain::messaging::messages::HistoryRange;
use domain::people::labels::LabelColor;
use futures_util::FutureExt as _;
use serde_json::Value;
use testkit::world::OnWorld;
use testkit::{Engine, World};

use crate::callers::TestCaller;
use crate::conversations::world::{ADA, BOB, Talks as _};

trait Inboxes: OnWorld {
    async fn sign_in(self, email: &str) -> TestCaller {
        TestCaller::operator(&self, email, None).await
    }

    async fn inbox(self, who: &dyn ActsFor, query: &ConversationQuery, limit: usize) -> Vec<(String, Option<i64>)> {
        let (mut all, mut cursor) = (Vec::new(), None);
        for _ in 0..50 {
            let page = self.app.inbox().conversations().inbox(who, query, cursor.as_deref(), limit).await.unwrap();
            let InboxPage { conversations, next_cursor } = page;
            assert!(conversations.len() <= limit);
            all.extend(
                conversations.into_iter().map(|one| (one.contact.name, one.details.and_then(|more| more.unread))),
            );
            cursor = next_cursor;
            if cursor.is_none() {
                return all;
            }
        }
        panic!("the list has no end");
    }

    async fn names(self, who: &dyn ActsFor, query: ConversationQuery) -> Vec<String> {
        self.inbox(who, &query, 2).await.into_iter().map(|(name, _)| name).collect()
    }

    async fn label(self, name: &str) {
        self.tick();
        let request = LabelRequest { name: Some(name.to_owned()), color: Some(LabelColor::Blue) };
        self.app.people().labels().create(&self.me(), request).await.unwrap();
    }

    /// The payloads of `inboxChanged` events, which consoles follow, the oldest first.
    async fn announced(self) -> Vec<Value> {
        self.app.delivery().events().number().await.unwrap();
        let types: EventTypes = [EventType::InboxChanged].into_iter().collect();
        let page = self.app.delivery().events().pull(&self.me(), 0, types, 1000).await.unwrap();
        page.events.iter().map(|event| serde_json::from_str(event.payload()).unwrap()).collect()
    }
}

impl Inboxes for &World {}

fn query() -> ConversationQuery {
    ConversationQuery { details: true, ..ConversationQuery::default() }
}

fn labels(names: &[&str]) -> LabelsWanted {
    LabelsWanted::Replace(names.iter().map(|name| (*name).to_owned()).collect())
}

testkit::both_databases! {
    async fn each_operator_has_its_own_unread_messages(world = World::new) {
        let grace = world.sign_in("grace@example.com").await;
        let linus = world.sign_in("linus@example.com").await;
        let support = world.open_channel("Support", "14155550100").await;
        let ada = world.person(ADA, "Ada").await;
        for text in ["a", "b"] {
            world.said(&support, &ada, text).await;
        }
        let conversations = world.app.inbox().conversations();
        assert_eq!(world.inbox(&grace, &query(), 10).await, [("Ada".to_owned(), Some(2))]);
        assert_eq!(conversations.mark(&grace, ADA.into(), ReadMark::Read).await.unwrap(), 0);
        conversations.mark(&grace, ADA.into(), ReadMark::Read).await.unwrap();
        assert_eq!(world.inbox(&grace, &query(), 10).await, [("Ada".to_owned(), Some(0))]);
        assert_eq!(world.inbox(&linus, &query(), 10).await, [("Ada".to_owned(), Some(2))]);
        assert_eq!(world.inbox(&world.me(), &query(), 10).await, [("Ada".to_owned(), None)], "a command reads nothing");
        world.said(&support, &ada, "c").await;
        assert_eq!(world.inbox(&grace, &query(), 10).await, [("Ada".to_owned(), Some(1))]);
        let unread = || ConversationQuery { unread: true, ..query() };
        assert_eq!(world.names(&grace, unread()).await, ["Ada"]);
        conversations.mark(&grace, ADA.into(), ReadMark::Read).await.unwrap();
        assert_eq!(world.names(&grace, unread()).await, Vec::<String>::new());
        assert_eq!(conversations.mark(&grace, ADA.into(), ReadMark::Unread).await.unwrap(), 1);
        assert_eq!(world.names(&grace, unread()).await, ["Ada"]);
        world.advance(5);
        let later = world.sign_in("later@example.com").await;
        assert_eq!(world.inbox(&later, &query(), 10).await, [("Ada".to_owned(), Some(0))], "before the operator came");
        let refused = conversations.mark(&world.me(), ADA.into(), ReadMark::Read).await.unwrap_err();
        assert!(matches!(refused, Error::Conflict { .. }), "{refused}");
        let refused = conversations.inbox(&world.me(), &unread(), None, 10).await.unwrap_err();
        assert!(matches!(&refused, Error::Invalid { place, .. } if place.to_string() == "unread"), "{refused}");
        // A repeated mark emits no second event.
        let reads: Vec<_> = world.announced().await.into_iter().filter(|one| one["what"] == "read").collect();
        assert_eq!(reads.len(), 3, "{reads:?}");
        assert_eq!((&reads[2]["unread"], &reads[2]["operatorEmail"]), (&Value::from(1), &Value::from("grace@example.com")));
    }

    async fn a_snooze_ends_with_its_time_or_with_a_message(world = World::alone) {
        let support = world.open_channel("Support", "14155550100").await;
        let (ada, bob) = (world.person(ADA, "Ada").await, world.person(BOB, "Bob").await);
        world.said(&support, &ada, "a").await;
        world.said(&support, &bob, "b").await;
        let (conversations, me) = (world.app.inbox().conversations(), world.me());
        let until = world.now().plus_seconds(3600);
        for wrong in [world.now(), world.now().plus_seconds(400 * 86_400)] {
            let refused = conversations.snooze(&me, ADA.into(), Some(wrong)).await.unwrap_err();
            assert!(matches!(&refused, Error::Invalid { place, .. } if place.to_string() == "until"), "{refused}");
        }
        for target in [ADA, BOB] {
            conversations.snooze(&me, target.into(), Some(until)).await.unwrap();
        }
        let snoozed = |is| ConversationQuery { snoozed: Some(is), ..query() };
        assert_eq!(world.names(&me, snoozed(true)).await, ["Bob", "Ada"]);
        assert_eq!(world.names(&me, snoozed(false)).await, Vec::<String>::new());
        // A message of the person ends the snooze.
        let key = (world.tenant(), world.between(&support, &bob).await.unwrap());
        let now = world.now();
        let write = world.test.db.write((key, now), |tx, ((tenant, one), now)| {
            Box::pin(async move {
                let mut one = one.clone();
                one.record_inbound(*now, Some("hello?"), *now);
                store::messaging::conversations::update(tx, *tenant, &one).await
            })
        });
        write.await.unwrap();
        assert_eq!(world.names(&me, snoozed(true)).await, ["Ada"]);
        world.advance(3599);
        assert_eq!(world.app.fire_timers().await.unwrap(), Some(until.to_millis()));
        assert_eq!(world.names(&me, snoozed(true)).await, ["Ada"], "not yet");
        world.advance(1);
        assert_eq!(world.app.fire_timers().await.unwrap(), None, "the timer of Bob's conversation is gone, too");
        assert_eq!(world.names(&me, snoozed(false)).await, ["Bob", "Ada"]);
        assert_eq!(world.texts(ADA).await[0], "The snooze is over");
        let last = world.announced().await.pop().unwrap();
        assert_eq!((&last["what"], last.get("snoozedUntil")), (&Value::from("conversation"), None));
        world.status(ADA, ConversationStatus::Solved).await;
        let refused = conversations.snooze(&me, ADA.into(), Some(world.now().plus_seconds(60))).await.unwrap_err();
        assert!(matches!(refused, Error::Conflict { .. }), "{refused}");
    }

    async fn labels_are_on_conversations_and_contacts_and_lists_filter_by_them(world = World::new) {
        let support = world.open_channel("Support", "14155550100").await;
        let (ada, bob) = (world.person(ADA, "Ada").await, world.person(BOB, "Bob").await);
        for contact in [&ada, &bob] {
            world.said(&support, contact, "a").await;
        }
        for name in ["VIP", "orders"] {
            world.label(name).await;
        }
        let (conversations, me) = (world.app.inbox().conversations(), world.me());
        conversations.set_labels(&me, ADA.into(), labels(&["vip", "Orders"])).await.unwrap();
        conversations.set_labels(&me, BOB.into(), labels(&["orders"])).await.unwrap();
        let with = |name: &str| ConversationQuery { label: Some(name.to_owned()), ..query() };
        assert_eq!(world.names(&me, with("ORDERS")).await, ["Bob", "Ada"]);
        world.said(&support, &ada, "again").await;
        assert_eq!(world.names(&me, with("orders")).await, ["Ada", "Bob"], "the index follows the last message");
        world.status(ADA, ConversationStatus::Solved).await;
        let open = ConversationQuery { status: Some(ConversationStatus::Open), ..with("orders") };
        assert_eq!(world.names(&me, open).await, ["Bob"], "and the status");
        let adjust = LabelsWanted::Adjust { add: vec!["vip".into()], remove: vec!["orders".into()] };
        conversations.set_labels(&me, BOB.into(), adjust).await.unwrap();
        assert_eq!(world.names(&me, with("orders")).await, ["Ada"]);
        assert_eq!(world.names(&me, with("vip")).await, ["Ada", "Bob"]);
        let refused = conversations.set_labels(&me, BOB.into(), labels(&["nothing"])).await.unwrap_err();
        assert!(matches!(&refused, Error::Invalid { place, .. } if place.to_string() == "labels[0]"), "{refused}");

        let contacts = world.app.people().contacts();
        contacts.set_labels(&me, BOB, labels(&["vip"])).await.unwrap();
        let mut filter = domain::people::contacts::ContactFilter::default();
        contacts.with_label(&me, "vip", &mut filter).await.unwrap();
        let mut found = Vec::new();
        let mut show = |contact: &domain::people::contacts::ContactView<'_>| found.push(contact.name.to_owned());
        contacts.list(&me, &filter, app::people::contacts::Start::Page(0), 10, false, &mut show).await.unwrap();
        assert_eq!(found, ["Bob"]);

        let all = world.app.people().labels().list(&me).await.unwrap();
        world.app.people().labels().remove(&me, all[0].id).await.unwrap();
        let page = conversations.inbox(&me, &query(), None, 10).await.unwrap();
        let shown: Vec<Vec<String>> = page
            .conversations
            .iter()
            .map(|one| one.labels.iter().map(|label| label.name.clone()).collect())
            .collect();
        assert_eq!(shown, [vec!["orders".to_owned()], vec![]], "a removed label is on nothing");
    }

    async fn merged_contacts_keep_labels_and_what_is_unread(world = World::new) {
        let grace = world.sign_in("grace@example.com").await;
        let support = world.open_channel("Support", "14155550100").await;
        let (ada, bob) = (world.person(ADA, "Ada").await, world.person(BOB, "Bob").await);
        for text in ["a", "b", "c"] {
            world.said(&support, &ada, text).await;
        }
        world.said(&support, &bob, "d").await;
        world.label("vip").await;
        let conversations = world.app.inbox().conversations();
        conversations.set_labels(&world.me(), BOB.into(), labels(&["vip"])).await.unwrap();
        conversations.mark(&grace, ADA.into(), ReadMark::Read).await.unwrap();
        world.app.people().contacts().merge(&world.me(), ADA, BOB).await.unwrap();
        assert_eq!(world.inbox(&grace, &query(), 10).await, [("Ada".to_owned(), Some(1))]);
        let with = ConversationQuery { label: Some("vip".to_owned()), ..query() };
        assert_eq!(world.names(&grace, with).await, ["Ada"]);
        world.app.people().contacts().delete(&world.me(), ADA).await.unwrap();
        assert_eq!(world.names(&grace, query()).await, Vec::<String>::new());
    }

    async fn notes_are_in_the_history_and_only_there(world = World::new) {
        let grace = world.sign_in("grace@example.com").await;
        let linus = world.sign_in("linus@example.com").await;
        let support = world.open_channel("Support", "14155550100").await;
        let ada = world.person(ADA, "Ada").await;
        let before = world.said(&support, &ada, "hi").await;
        let conversations = world.app.inbox().conversations();
        let note = |text: &str, mentions: &[&str]| NewNote {
            text: text.to_owned(),
            mentions: mentions.iter().map(|email| (*email).to_owned()).collect(),
        };
        let twice = note("VIP @linus", &["linus@example.com", "Linus@Example.com"]);
        let (added, _) = conversations.add_note(&grace, ADA.into(), twice).await.unwrap();
        assert_eq!(world.texts(ADA).await, ["VIP @linus", "hi"]);
        let range = HistoryRange { with_notes: false, ..HistoryRange::default() };
        let page = PageRequest::new(1, 10).unwrap();
        let plain = conversations.history_between(&grace, ADA.into(), page, range, true).await.unwrap();
        assert_eq!((plain.entries.len(), plain.total), (1, Some(1)), "V1 does not know notes");
        let after = world.between(&support, &ada).await.unwrap();
        assert_eq!((after.last_at, &after.last_text), (before.last_at, &before.last_text));
        let queued = store::messaging::outbox::position(&world.test.db, world.tenant(), added.message.id).await.unwrap();
        assert!(queued.is_none(), "nothing is sent");
        for (wrong, parameter) in [(note(" ", &[]), "text"), (note("a", &["nobody@example.com"]), "mentions[0]")] {
            let refused = conversations.add_note(&grace, ADA.into(), wrong).await.unwrap_err();
            let (Error::Invalid { place: named, .. } | Error::Missing { place: named, .. }) = &refused else {
                panic!("{refused}")
            };
            assert_eq!(named.to_string(), parameter);
        }
        let id = added.message.id;
        let refused = conversations.remove_note(&linus, ADA.into(), id, false).await.unwrap_err();
        assert!(matches!(refused, Error::Conflict { .. }), "{refused}");
        conversations.remove_note(&grace, ADA.into(), id, false).await.unwrap();
        let gone = conversations.remove_note(&grace, ADA.into(), id, true).await.unwrap_err();
        assert!(matches!(gone, Error::NotFound(_)), "{gone}");
        assert_eq!(world.texts(ADA).await, ["hi"]);
        let announced = world.announced().await;
        let what: Vec<&str> = announced.iter().filter_map(|one| one["what"].as_str()).collect();
        assert_eq!(what, ["note", "noteDeleted"]);
        assert_eq!(announced[0]["mentions"], serde_json::json!(["linus@example.com"]));
        assert!(!announced[0].to_string().contains("VIP"), "a note's text stays in the history");
    }

    async fn operators_see_each_other_for_some_seconds(test) {
        use domain::inbox::presence::PresenceState::{Viewing, Writing};
        let world = World::on(test);
        let grace = world.sign_in("grace@example.com").await;
        let linus = world.sign_in("linus@example.com").await;
        let support = world.open_channel("Support", "14155550100").await;
        let ada = world.person(ADA, "Ada").await;
        world.said(&support, &ada, "hi").await;
        let others = async |who: &TestCaller, state| {
            let found = world.app.inbox().conversations().be_present(who, ADA.into(), state).await.unwrap();
            found.into_iter().map(|one| (one.email, one.state)).collect::<Vec<_>>()
        };
        assert_eq!(others(&grace, Some(Viewing)).await, []);
        assert_eq!(others(&linus, Some(Writing)).await, [("grace@example.com".to_owned(), Viewing)]);
        assert_eq!(others(&grace, Some(Viewing)).await, [("linus@example.com".to_owned(), Writing)]);
        world.advance(14);
        assert_eq!(others(&grace, Some(Writing)).await, [("linus@example.com".to_owned(), Writing)]);
        world.advance(2);
        assert_eq!(others(&grace, Some(Writing)).await, [], "a presence ends by itself");
        assert_eq!(others(&grace, None).await, []);
        assert_eq!(others(&linus, Some(Viewing)).await, [], "and when the operator goes");
        world.app.inbox().sweep_presences().await.unwrap();
        assert!(world.announced().await.is_empty(), "it is never in the log");
        let refused = world.app.inbox().conversations().be_present(&world.me(), ADA.into(), None).await.unwrap_err();
        assert!(matches!(refused, Error::Conflict { .. }), "{refused}");
    }

    async fn consoles_on_other_nodes_learn_each_change_once_also_that_an_operator_has_left(test) {
        use domain::inbox::presence::PresenceState::{Viewing, Writing};
        let world = World::on(test);
        if world.test.db.engine() == Engine::Sqlite {
            return;
        }
        let other = world.another_node();
        let grace = world.sign_in("grace@example.com").await;
        let support = world.open_channel("Support", "14155550100").await;
        let ada = world.person(ADA, "Ada").await;
        world.said(&support, &ada, "hi").await;
        let mut feeds = [world.app.inbox().follow_signals(world.tenant(), None), other.inbox().follow_signals(world.tenant(), None)];
        // Repeated reports, some over the other node, and a presence longer than one report is valid.
        let reports = [
            (&world.app, Some(Viewing)), (&world.app, Some(Viewing)), (&other, Some(Viewing)), (&world.app, Some(Writing)),
            (&other, Some(Writing)), (&world.app, Some(Writing)), (&world.app, None), (&other, None),
            (&world.app, Some(Viewing)), (&other, None),
        ];
        for (node, state) in reports {
            node.inbox().conversations().be_present(&grace, ADA.into(), state).await.unwrap();
            for node in [&world.app, &other, &world.app] {
                node.inbox().signal_presences_of_others().await.unwrap();
            }
            world.advance(10);
        }
        for feed in &mut feeds {
            let mut states = Vec::new();
            for _ in 0..5 {
                let signal: Value = serde_json::from_str(&feed.next().await.data).unwrap();
                states.push(signal["state"].as_str().unwrap().to_owned());
            }
            assert_eq!(states, ["viewing", "writing", "gone", "viewing", "gone"]);
            assert!(feed.next().now_or_never().is_none(), "nothing else was signalled");
        }
    }

    async fn newer_changes_of_other_tenants_hide_none(test) {
        use domain::inbox::presence::{PresenceState, Present};
        let world = World::on(test);
        let (now, tenant) = (world.now(), world.tenant());
        let conversation: domain::ConversationId = domain::Id::new(now);
        let ids: Vec<domain::AccountId> = (0..=1000).map(|_| domain::Id::new(now)).collect();
        let write = world.test.db.write(ids.clone(), move |tx, ids: &Vec<domain::AccountId>| {
            Box::pin(async move {
                // A thousand operators are present; one arrives; the others report again.
                for (at, arriving) in [(0, &ids[..1000]), (1, &ids[1000..]), (2, &ids[..1000])] {
                    for id in arriving {
                        let at = now.plus_seconds(at);
                        let (email, until) = ("grace@example.com".to_owned(), at.plus_seconds(15));
                        let one = Present { account_id: *id, email, state: PresenceState::Viewing, until };
                        let is_news = store::inbox::presences::set(tx, tenant, conversation, &one, at).await?;
                        assert_eq!(is_news, at < now.plus_seconds(2));
                    }
                }
                Ok::<_, store::Error>(())
            })
        });
        write.await.unwrap();
        let found = store::inbox::presences::changes(&world.test.db, now.plus_seconds(-5)).await.unwrap();
        let newest = found.iter().find(|change| change.tenant == tenant).unwrap();
        assert_eq!((newest.changed_at, newest.present.account_id), (now.plus_seconds(1), ids[1000]));
    }

    async fn the_tabs_count_up_to_a_hundred(world = World::new) {
        let grace = world.sign_in("grace@example.com").await;
        let support = world.open_channel("Support", "14155550100").await;
        for n in 0..4 {
            let contact = world.person(&format!("1415555267{n}"), &format!("Person {n}")).await;
            world.said(&support, &contact, "hi").await;
        }
        let conversations = world.app.inbox().conversations();
        let mine = Assignment { to: AssignTo::Operator("grace@example.com".to_owned()), from: None, take_over: false };
        conversations.assign(&grace, "14155552670".into(), mine).await.unwrap();
        conversations.mark(&grace, "14155552671".into(), ReadMark::Read).await.unwrap();
        world.status("14155552672", ConversationStatus::Solved).await;
        let until = world.now().plus_seconds(60);
        conversations.snooze(&grace, "14155552673".into(), Some(until)).await.unwrap();
        let counts = conversations.inbox_counts(&grace).await.unwrap();
        assert_eq!(counts.mine, QueueCounts { open: 1, unread: 1 });
        assert_eq!(counts.unassigned, QueueCounts { open: 1, unread: 0 });
        assert_eq!(counts.all, QueueCounts { open: 2, unread: 1 });
        let me = ConversationQuery { assignee: Some("me".to_owned()), ..query() };
        assert_eq!(world.names(&grace, me.clone()).await, ["Person 0"]);
        let refused = conversations.inbox(&world.me(), &me, None, 10).await.unwrap_err();
        assert!(matches!(&refused, Error::Invalid { place, .. } if place.to_string() == "assignee"), "{refused}");
        let refused = conversations.inbox(&grace, &query(), Some("nonsense"), 10).await.unwrap_err();
        assert!(matches!(&refused, Error::Invalid { place, .. } if place.to_string() == "cursor"), "{refused}");
    }
}
