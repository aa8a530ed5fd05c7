//! Rows of the sandbox.

use domain::{ChannelId, Id, TenantId, Timestamp};
use store::platform::sandbox::due::{self, Due};
use store::platform::sandbox::media;
use store::platform::sandbox::messages::{self, Message};
use store::platform::sandbox::people::{self, Person};
use store::platform::sandbox::records::{self, Kind, Record};
use store::{Engine, Result, Tx};
use testkit::database::TestDb;

use crate::fixtures::{START, on_both};

/// Runs one transaction whose body is one expression.
macro_rules! tx {
    ($test:expr, $input:expr, |$tx:ident, $($name:pat_param),+| $body:expr) => {
        $test.db.write($input, |$tx, ($($name),+,)| Box::pin(async move { $body.await })).await.unwrap()
    };
}

fn person(position: i64, phone: Option<&str>, bsuid: &str) -> Person {
    Person {
        position,
        name: format!("Person {position}"),
        phone: phone.map(str::to_owned),
        bsuid: bsuid.to_owned(),
        parent_bsuid: None,
        username: Some(format!("person.{position}")),
        created_at: START,
    }
}

async fn add(test: &TestDb, tenant: TenantId, new: &Person) -> bool {
    tx!(test, (tenant, new.clone()), |tx, tenant, new| people::insert(tx, *tenant, new))
}

fn message(channel: ChannelId, id: &str, seconds: i64, from_person: bool) -> Message {
    Message {
        channel,
        person: 1,
        at: START.plus_seconds(seconds),
        id: id.to_owned(),
        from_person,
        kind: "text".to_owned(),
        doc: "{}".to_owned(),
        status: "sent".to_owned(),
        received_at: None,
        read_at: None,
    }
}

async fn by_id(test: &TestDb, channel: ChannelId, id: &str) -> Option<Message> {
    let read = messages::by_id(&test.db, test.tenant, channel, id).await.unwrap();
    let input = (test.tenant, channel, id.to_owned());
    let inside = tx!(test, input, |tx, tenant, channel, id| messages::by_id_in(tx, *tenant, *channel, id));
    assert_eq!(read, inside);
    read
}

fn due(tenant: TenantId, at: Timestamp, id: &str) -> Due {
    Due { tenant, channel: Id::seeded(START, 1), at, id: id.to_owned(), tries: 0, doc: "{}".to_owned() }
}

async fn plan(test: &TestDb, all: Vec<Due>) {
    tx!(test, (all,), |tx, all| due::insert_many(tx, all));
}

async fn both(tx: &mut Tx<'_>, tenant: TenantId) -> Result<(Option<Record>, Option<Record>)> {
    let read = records::get_in(tx, tenant, Kind::Template, "a").await?;
    Ok((read, records::get_for_update(tx, tenant, Kind::Template, "a").await?))
}

testkit::both_databases! {
    async fn people_are_found_by_whatever_they_are_known_by(test) {
        let (ada, bob) = (person(1, Some("14155552671"), "US.1"), person(2, None, "US.2"));
        assert!(add(&test, test.tenant, &bob).await && add(&test, test.tenant, &ada).await);
        assert_eq!(people::list(&test.db, test.tenant).await.unwrap(), [ada.clone(), bob.clone()]);
        let found = tx!(test, (test.tenant,), |tx, tenant| async {
            Ok::<_, store::Error>([
                people::by_phone(tx, *tenant, "14155552671").await?,
                people::by_bsuid(tx, *tenant, "US.2").await?,
                people::by_position(tx, *tenant, 2).await?,
                people::by_phone(tx, *tenant, "1").await?,
            ])
        });
        assert_eq!(found, [Some(ada), Some(bob.clone()), Some(bob), None]);
    }

    async fn a_number_and_a_bsuid_are_one_persons(test) {
        assert!(add(&test, test.tenant, &person(1, Some("14155552671"), "US.1")).await);
        for taken in [person(1, None, "US.9"), person(2, Some("14155552671"), "US.9"), person(2, None, "US.1")] {
            assert!(!add(&test, test.tenant, &taken).await, "{taken:?}");
        }
        let stranger = test.new_tenant("growth").await;
        assert!(add(&test, stranger, &person(1, Some("14155552671"), "US.1")).await, "another tenant has its own");
    }

    async fn messages_of_a_person_come_newest_first(test) {
        let channel = Id::seeded(START, 1);
        let said = [message(channel, "wamid.a", 1, true), message(channel, "wamid.b", 2, false), message(channel, "wamid.c", 3, true)];
        for new in &said {
            assert!(tx!(test, (test.tenant, new.clone()), |tx, tenant, new| messages::insert(tx, *tenant, new)));
        }
        assert!(!tx!(test, (test.tenant, said[0].clone()), |tx, tenant, new| messages::insert(tx, *tenant, new)));
        let ids = |listed: Vec<Message>| listed.into_iter().map(|one| one.id).collect::<Vec<_>>();
        let listed = messages::list(&test.db, test.tenant, channel, 1, 2).await.unwrap();
        assert_eq!(ids(listed), ["wamid.c", "wamid.b"]);
        let last = tx!(test, (test.tenant, channel), |tx, tenant, channel| messages::last_from(tx, *tenant, *channel, 1));
        assert_eq!(last, Some(START.plus_seconds(3)));
        let none = tx!(test, (test.tenant, channel), |tx, tenant, channel| messages::last_from(tx, *tenant, *channel, 2));
        assert_eq!(none, None);
    }

    async fn a_message_changes_its_times(test) {
        let channel = Id::seeded(START, 1);
        let new = message(channel, "wamid.a", 1, false);
        assert!(tx!(test, (test.tenant, new.clone()), |tx, tenant, new| messages::insert(tx, *tenant, new)));
        assert!(tx!(test, (test.tenant, channel), |tx, tenant, channel| {
            messages::set_times(tx, *tenant, *channel, "wamid.a", Some(START), None)
        }));
        let expected = Message { received_at: Some(START), ..new };
        assert_eq!(by_id(&test, channel, "wamid.a").await, Some(expected));
        assert_eq!(by_id(&test, Id::seeded(START, 2), "wamid.a").await, None, "of another channel");
    }

    async fn records_are_put_read_listed_and_taken_away(test) {
        let record = |key: &str, doc: &str| Record { key: key.to_owned(), doc: doc.to_owned(), updated_at: START };
        for (key, doc) in [("b", "1"), ("a", "2"), ("b", "3")] {
            let input = (test.tenant, record(key, doc));
            tx!(test, input, |tx, tenant, record| records::save(tx, *tenant, Kind::Template, record));
        }
        let listed = records::list(&test.db, test.tenant, Kind::Template).await.unwrap();
        assert_eq!(listed, [record("a", "2"), record("b", "3")]);
        assert_eq!(records::list(&test.db, test.tenant, Kind::Fault).await.unwrap(), []);
        let (read, held) = tx!(test, (test.tenant,), |tx, tenant| both(tx, *tenant));
        assert_eq!((read, held), (Some(record("a", "2")), Some(record("a", "2"))));
        assert_eq!(records::get(&test.db, test.tenant, Kind::Template, "a").await.unwrap(), Some(record("a", "2")));
        let claim = |doc: &str| (test.tenant, record("a", doc));
        assert!(!tx!(test, claim("9"), |tx, tenant, new| records::insert(tx, *tenant, Kind::Template, new)));
        assert!(tx!(test, (test.tenant,), |tx, tenant| records::delete(tx, *tenant, Kind::Template, "a")));
        assert!(tx!(test, claim("9"), |tx, tenant, new| records::insert(tx, *tenant, Kind::Template, new)));
        assert_eq!(tx!(test, (test.tenant,), |tx, tenant| records::clear(tx, *tenant, Kind::Template)), 2);
    }

    async fn the_owners_of_a_key_are_found_whoever_they_are(test) {
        let key = format!("owned-{}", test.tenant);
        let other = test.new_tenant("growth").await;
        for tenant in [test.tenant, other] {
            let new = Record { key: key.clone(), doc: "{}".to_owned(), updated_at: START };
            tx!(test, (tenant, new), |tx, tenant, new| records::save(tx, *tenant, Kind::Media, new));
        }
        let mut owners: Vec<TenantId> =
            records::owners(&test.db, Kind::Media, &key).await.unwrap().into_iter().map(|(tenant, _)| tenant).collect();
        owners.sort_unstable();
        let mut expected = [test.tenant, other];
        expected.sort_unstable();
        assert_eq!(owners, expected);
        assert_eq!(records::owners(&test.db, Kind::Template, &key).await.unwrap(), []);
    }

    async fn media_are_read_piece_by_piece(test) {
        let stranger = test.new_tenant("growth").await;
        for (place, piece) in [(0_i64, vec![0, 255]), (1, vec![7])] {
            let input = (test.tenant, place, piece);
            tx!(test, input, |tx, tenant, place, piece| media::add_piece(tx, *tenant, "4711", *place, piece));
        }
        let read = async |place| media::piece(&test.db, test.tenant, "4711", place).await.unwrap();
        assert_eq!((read(0).await, read(1).await, read(2).await), (Some(vec![0, 255]), Some(vec![7]), None));
        assert_eq!(media::piece(&test.db, stranger, "4711", 0).await.unwrap(), None);
        tx!(test, (test.tenant,), |tx, tenant| media::drop_pieces(tx, *tenant, "4711"));
        assert_eq!(read(0).await, None);
    }
}

/// Due webhooks are read across tenants, so each test has its own database.
async fn what_is_due_comes_in_order_and_stays_until_it_is_done(engine: Engine) {
    let test = TestDb::alone(engine).await;
    let other = test.new_tenant("growth").await;
    let first = due(other, START, "b");
    let second = due(test.tenant, START, "c");
    let later = due(test.tenant, START.plus_seconds(5), "a");
    plan(&test, vec![later.clone(), second.clone(), first.clone()]).await;
    plan(&test, vec![Due { doc: "other".to_owned(), ..first.clone() }]).await;
    assert_eq!(due::list_due(&test.db, START, 10).await.unwrap(), [first.clone(), second.clone()]);
    assert_eq!(
        due::list_due(&test.db, START, 1).await.unwrap(),
        std::slice::from_ref(&first),
        "nothing was taken away"
    );
    assert_eq!(due::next(&test.db, START).await.unwrap(), Some(later.at));
    assert_eq!(due::next(&test.db, later.at).await.unwrap(), None);
    assert!(tx!(test, (first.clone(),), |tx, due| due::delete(tx, due)));
    assert!(!tx!(test, (first,), |tx, due| due::delete(tx, due)), "it is gone already");
    let listed = due::list(&test.db, test.tenant, later.channel, 10).await.unwrap();
    assert_eq!(listed, [second.clone(), later.clone()]);
    let moved = Due { at: START.plus_seconds(1), ..later.clone() };
    tx!(test, (vec![second, moved],), |tx, due| due::delete_many(tx, due));
    assert_eq!(
        due::list(&test.db, test.tenant, later.channel, 10).await.unwrap(),
        [later],
        "it was due at another time"
    );
}

async fn what_could_not_be_posted_waits_and_counts(engine: Engine) {
    let test = TestDb::alone(engine).await;
    let one = due(test.tenant, START, "a");
    plan(&test, vec![one.clone()]).await;
    let at = START.plus_seconds(9);
    assert!(tx!(test, (one.clone(), at), |tx, due, at| due::push_back(tx, due, *at)));
    assert!(!tx!(test, (one.clone(), at), |tx, due, at| due::push_back(tx, due, *at)), "it was pushed back already");
    assert_eq!(due::list_due(&test.db, START, 10).await.unwrap(), []);
    assert_eq!(due::list_due(&test.db, at, 10).await.unwrap(), [Due { at, tries: 1, ..one }]);
}

on_both! { what_is_due_comes_in_order_and_stays_until_it_is_done what_could_not_be_posted_waits_and_counts }
