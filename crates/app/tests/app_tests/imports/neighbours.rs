//! What others do while an import runs: read, write, change imported contacts, and take over when its process is gone.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use app::Command;
use app::people::contacts::{AttributeUpdate, Start};
use app::people::imports::{Format, status_of};
use domain::people::contacts::{Condition, ContactFilter, ContactView, Term};
use domain::{ContactId, Field, ImportId};
use store::{Engine, Statement, params, read};
use testkit::World;

use crate::imports::world::{Imports as _, local, people, phone};

static TERMS: Statement =
    Statement::new("test.terms", "SELECT term, id FROM contact_terms WHERE tenant_id = $1 ORDER BY term, id");
static MARKS: Statement =
    Statement::new("test.marks", "SELECT COUNT(*) FROM imports WHERE tenant_id = $1 AND unindexed_from IS NOT NULL");
static NOTES: Statement = Statement::new("test.notes", "SELECT COUNT(*) FROM import_indexed WHERE tenant_id = $1");
static SET_TEAMS: Statement =
    Statement::new("test.set_teams", "UPDATE contacts SET teams = $2 WHERE tenant_id = $1 AND phone = $3");

/// Asserts that the index has the terms of the tenant's contacts, and no others.
async fn assert_indexed(world: &World) {
    let terms: Vec<(Term, ContactId)> = world.test.db.rows(&TERMS, params![world.tenant()], read).await.unwrap();
    let contacts = world.contacts().await;
    assert!(!contacts.is_empty());
    assert_eq!(terms, store::people::contacts::index_of(&contacts));
    assert_eq!((count(world, &MARKS).await, count(world, &NOTES).await), (0, 0));
}

async fn count(world: &World, statement: &Statement) -> i64 {
    world.test.db.row(statement, params![world.tenant()], read).await.unwrap().unwrap()
}

/// Filters that the index answers alone, in part and not at all.
fn filters() -> Vec<ContactFilter> {
    let city = |operator: &str, value: &str| Condition {
        name: "city".to_owned(),
        operator: operator.parse().unwrap(),
        value: value.to_owned(),
    };
    let all = ContactFilter::default;
    vec![
        ContactFilter { search: Some("person".to_owned()), ..all() },
        ContactFilter { search: Some("changed".to_owned()), ..all() },
        ContactFilter { conditions: vec![city("==", "city 1")], ..all() },
        ContactFilter { conditions: vec![city("exist", "")], ..all() },
        ContactFilter { conditions: vec![city("!=", "city 2")], ..all() },
        ContactFilter { conditions: vec![city("exist", ""), city("!=", "city 3")], ..all() },
        ContactFilter { groups: vec![vec![city("==", "city 0")], vec![city("==", "city 4")]], ..all() },
    ]
}

/// Asserts that each filter finds and counts exactly the contacts that it allows. Returns the number of all contacts.
async fn assert_exact(app: &app::App, me: Command) -> usize {
    let contacts = app.people().contacts();
    let mut contacts_of_all = 0;
    for filter in filters() {
        let (mut all, mut allowed, mut found) = (0, Vec::new(), Vec::new());
        let mut look = |contact: &ContactView<'_>| {
            all += 1;
            if filter.allows(contact) {
                allowed.push(contact.id);
            }
        };
        contacts.list(&me, &ContactFilter::default(), Start::Page(0), 1000, false, &mut look).await.unwrap();
        let mut show = |contact: &ContactView<'_>| found.push(contact.id);
        let end = contacts.list(&me, &filter, Start::Page(0), 1000, true, &mut show).await.unwrap();
        assert_eq!(found, allowed, "{filter:?}");
        assert_eq!(end.total, i64::try_from(allowed.len()).ok(), "{filter:?}");
        contacts_of_all = all;
    }
    contacts_of_all
}

/// Runs work on another node, on a thread of its own: callers are synchronous callbacks.
fn meanwhile<F: Future<Output = ()>>(world: &World, work: impl FnOnce(app::App, Command) -> F + Send + 'static) {
    let (node, me) = (world.another_node(), world.me());
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    std::thread::spawn(move || runtime.block_on(work(node, me))).join().unwrap();
}

/// Imports people until another process claims the import after this many batches of three rows; both are gone then.
async fn dies_after(world: &World, batches: usize) -> ImportId {
    let looks = AtomicUsize::new(0);
    let stop = || {
        if looks.fetch_add(1, Ordering::SeqCst) == batches {
            meanwhile(world, |node, me| async move {
                let now = node.now().plus_seconds(60);
                let id = store::people::imports::latest(node.db(), me.0, 1).await.unwrap()[0].id;
                let taken = node.db().write((me.0, id, now), |tx, (tenant, id, now)| {
                    Box::pin(store::people::imports::claim(tx, *tenant, *id, "another", *now, now.plus_seconds(60)))
                });
                assert!(taken.await.unwrap());
            });
        }
        false
    };
    let lost = world.app.people().contacts().import_file(&world.me(), local(people(9)), &mut |_| {}, &stop).await;
    assert!(matches!(lost, Err(app::Error::Conflict { .. })), "{lost:?}");
    store::people::imports::latest(&world.test.db, world.tenant(), 1).await.unwrap()[0].id
}

/// Writes entries of the index as the import does.
async fn add_entries(world: &World, import: ImportId, entries: &[(Term, ContactId)]) {
    let input = (world.tenant(), import, entries.to_vec());
    let write = world.test.db.write(input, |tx, (tenant, import, entries)| {
        Box::pin(store::people::contacts::add_terms(tx, *tenant, *import, entries))
    });
    write.await.unwrap();
}

fn renamed(number: usize) -> AttributeUpdate {
    AttributeUpdate {
        target: phone(number),
        named_by: Field::Target,
        custom_params: Vec::new(),
        removed_params: vec!["city".to_owned()],
        name: Some("Changed".to_owned()),
        own_in_params: false,
    }
}

/// On SQLite all writers share one thread, and a transaction cannot be interrupted.
#[tokio::test]
async fn neighbours_write_between_the_transactions_of_one_batch() {
    let world = World::alone(Engine::Sqlite).await;
    let neighbour = world.test.new_tenant("unlimited").await;
    let mut upload = world.app.people().contacts().begin_upload(&world.me(), false).await.unwrap();
    // One batch of the reader.
    upload.write(people(4000).as_bytes()).await.unwrap();
    let import = upload.finish(None).await.unwrap().id;
    let (ended, mut seen) = (AtomicBool::new(false), BTreeSet::new());
    let import_all = async {
        world.app.people().process_imports(&|| false).await.unwrap();
        ended.store(true, Ordering::SeqCst);
    };
    let write = store::for_tenant(neighbour, async {
        while !ended.load(Ordering::SeqCst) {
            let done: Result<(), store::Error> = world.test.db.write((), |_, ()| Box::pin(async { Ok(()) })).await;
            done.unwrap();
            seen.insert(world.app.people().contacts().import(&world.me(), import).await.unwrap().counts.rows);
        }
    });
    tokio::join!(import_all, write);
    assert!(seen.len() >= 4 && seen.last() <= Some(&4000), "a neighbour's writes came after these rows: {seen:?}");
    let done = world.app.people().contacts().import(&world.me(), import).await.unwrap();
    assert_eq!(done.counts.created, 4000);
    assert_indexed(&world).await;
}

/// A worker indexes what a process has left that is only slow; the process then changes nothing.
#[tokio::test]
async fn a_process_whose_contacts_another_has_indexed_adds_no_more() {
    let world = World::alone(Engine::Sqlite).await;
    let looks = AtomicUsize::new(0);
    let stop = || {
        if looks.fetch_add(1, Ordering::SeqCst) == 2 {
            world.advance(60);
            meanwhile(&world, |node, _| async move { node.people().process_imports(&|| false).await.unwrap() });
        }
        false
    };
    let lost = world.app.people().contacts().import_file(&world.me(), local(people(9)), &mut |_| {}, &stop).await;
    assert!(matches!(lost, Err(app::Error::Conflict { .. })), "{lost:?}");
    assert_eq!(world.contacts().await.len(), 6);
    assert_indexed(&world).await;
    let resumed = world.run(world.tenant(), local(people(9)), usize::MAX).await.unwrap();
    assert_eq!((resumed.resumed, resumed.import.counts.created), (true, 9));
    assert_indexed(&world).await;
}

#[tokio::test]
async fn contacts_that_cannot_be_indexed_stop_no_other_import() {
    let world = World::alone(Engine::Sqlite).await;
    let set_teams = async |teams: &'static str| {
        let input = (world.tenant(), teams, phone(1));
        let write = world.test.db.write(input, |tx, (tenant, teams, phone)| {
            Box::pin(async move { tx.execute(&SET_TEAMS, params![*tenant, *teams, phone.as_str()]).await })
        });
        assert_eq!(write.await.unwrap(), 1);
    };
    dies_after(&world, 1).await;
    set_teams("no list").await;
    let other = Command(world.test.new_tenant("unlimited").await);
    let mut upload = world.app.people().contacts().begin_upload(&other, false).await.unwrap();
    upload.write(people(30).as_bytes()).await.unwrap();
    let import = upload.finish(None).await.unwrap().id;
    world.advance(180);
    world.app.people().process_imports(&|| false).await.unwrap();
    let done = world.app.people().contacts().import(&other, import).await.unwrap();
    assert_eq!((status_of(&done), done.counts.created), ("done", 30));
    assert_eq!(count(&world, &MARKS).await, 1);
    set_teams("[]").await;
    // Tried again when the lease of the last try has run out, but not by a worker that stops.
    world.advance(60);
    world.app.people().process_imports(&|| true).await.unwrap();
    assert_eq!(count(&world, &MARKS).await, 1);
    world.app.people().process_imports(&|| false).await.unwrap();
    assert_indexed(&world).await;
}

testkit::both_databases! {
    async fn filters_are_exact_while_rows_and_others_change_imported_contacts(world = World::alone) {
        // Rows of the first batch, of later ones, and other clients change contacts that earlier rows created.
        let again = format!("{},Again,Paris,\n{},Later,,9\n", phone(1), phone(2));
        let third = format!("{},Person 2", phone(2));
        let text = people(9).replace(&third, &format!("{},Same batch,,\n{third}", phone(0)));
        let text = text + &again + "letters,,,\n";
        let looks = AtomicUsize::new(0);
        let stop = || {
            let look = looks.fetch_add(1, Ordering::SeqCst);
            meanwhile(&world, move |node, me| async move {
                let before = assert_exact(&node, me).await;
                assert_eq!(before, [0, 2, 5, 7, 8][look], "the rows before this batch are applied");
                if look == 2 {
                    let contacts = node.people().contacts();
                    contacts.update(&me, renamed(3)).await.unwrap();
                    contacts.delete(&me, &phone(4)).await.unwrap();
                    assert_eq!(assert_exact(&node, me).await, 4);
                }
            });
            false
        };
        let contacts = world.app.people().contacts();
        let done = contacts.import_file(&world.me(), local(&text), &mut |_| {}, &stop).await.unwrap();
        let counts = done.import.counts;
        assert_eq!((counts.created, counts.updated, counts.rejected), (9, 3, 1));
        assert_eq!(assert_exact(&world.app, world.me()).await, 8);
        assert_indexed(&world).await;
    }

    async fn a_process_that_died_between_entries_leaves_none_that_are_wrong_or_missing(world = World::alone) {
        let import = dies_after(&world, 2).await;
        let is_later = world.test.db.engine() == Engine::Sqlite;
        assert_eq!(count(&world, &MARKS).await, i64::from(is_later));
        assert_eq!(assert_exact(&world.app, world.me()).await, 6);
        if is_later {
            // Contacts change after the import has read them; then it goes on, and dies again.
            let read = store::people::contacts::index_of(&world.contacts().await);
            let (first, rest) = read.split_at(read.len() / 2);
            add_entries(&world, import, first).await;
            let contacts = world.app.people().contacts();
            contacts.update(&world.me(), renamed(0)).await.unwrap();
            contacts.delete(&world.me(), &phone(1)).await.unwrap();
            let merged = contacts.merge(&world.me(), &phone(2), &phone(3)).await.unwrap();
            contacts.undo_merge(&world.me(), merged.id).await.unwrap();
            contacts.merge(&world.me(), &phone(4), &phone(5)).await.unwrap();
            assert_eq!(assert_exact(&world.app, world.me()).await, 4);
            add_entries(&world, import, &rest[..rest.len() / 2]).await;
            assert_eq!(assert_exact(&world.app, world.me()).await, 4);
            let named = ContactFilter { search: Some("person".to_owned()), ..ContactFilter::default() };
            assert_eq!(world.export_some(world.tenant(), &named, Format::Jsonl).await.lines().count(), 3);
        }
        let left = world.contacts().await.len();
        // A live lease is left alone.
        world.app.people().process_imports(&|| false).await.unwrap();
        assert_eq!(count(&world, &MARKS).await, i64::from(is_later));
        world.advance(180);
        world.app.people().process_imports(&|| false).await.unwrap();
        assert_eq!(assert_exact(&world.app, world.me()).await, left);
        assert_indexed(&world).await;
        // The same file resumes after the six rows.
        let resumed = world.run(world.tenant(), local(people(9)), usize::MAX).await.unwrap();
        assert_eq!((resumed.resumed, resumed.import.counts.created), (true, 9));
        assert_eq!(assert_exact(&world.app, world.me()).await, left + 3);
        assert_indexed(&world).await;
    }

    async fn contacts_of_a_stopped_import_are_indexed_by_the_worker(world = World::alone) {
        world.run(world.tenant(), local(people(9)), 1).await.unwrap();
        assert_eq!(assert_exact(&world.app, world.me()).await, 3);
        world.app.people().process_imports(&|| false).await.unwrap();
        assert_indexed(&world).await;
    }
}
