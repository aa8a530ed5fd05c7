//! Interrupted imports, and several processes that compete for one import.

use std::sync::atomic::{AtomicUsize, Ordering};

use app::Command;
use app::people::imports::ImportEnd;
use store::Db;
use testkit::World;

use crate::imports::world::{Imports as _, local, people};

/// Lets the lease run out and another process claim the import. Blocks its thread, since the caller is a synchronous
/// callback.
fn taken_over(world: &World) {
    let (location, tenant, now) = (world.test.location.clone(), world.tenant(), world.now().plus_seconds(60));
    let take = async move {
        let db = Db::open(&location).unwrap();
        let id = store::people::imports::latest(&db, tenant, 1).await.unwrap()[0].id;
        let taken = db.write((tenant, id, now), |tx, (tenant, id, now)| {
            Box::pin(store::people::imports::claim(tx, *tenant, *id, "another", *now, now.plus_seconds(60)))
        });
        assert!(taken.await.unwrap());
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    std::thread::spawn(move || runtime.block_on(take)).join().unwrap();
}

testkit::both_databases! {
    async fn an_interrupted_import_resumes_with_the_result_of_one_run(world = World::new) {
        let other = world.test.new_tenant("unlimited").await;
        let text = people(20).replace("14155550007", "letters") + "14155550003,Again,,\n";
        let whole = world.import_into(other, &text).await;
        let mut runs = 0;
        let last = loop {
            runs += 1;
            let run = world.run(world.tenant(), local(&text), 2).await.unwrap();
            assert_eq!(run.resumed, runs > 1);
            if run.ended == ImportEnd::Done {
                break run.import;
            }
            assert!(run.import.bytes_done < run.import.bytes_total && run.import.counts.rows % 6 == 0);
        };
        assert_eq!(runs, 4, "two batches of three rows in each");
        assert_eq!((last.counts, last.bytes_done), (whole.counts, whole.bytes_total));
        assert_eq!((last.counts.created, last.counts.updated, last.counts.rejected), (19, 1, 1));
        let verdicts = world.verdicts(last.id).await;
        let rows: Vec<_> = verdicts.iter().map(|one| one["row"].as_i64().unwrap()).collect();
        assert_eq!(rows, (2..=22).collect::<Vec<_>>(), "each row once");
        assert_eq!((&verdicts[7]["verdict"], &verdicts[7]["column"]), (&"rejected".into(), &"phone".into()));
        assert_eq!(world.contact_with("14155550003").await.name, "Again");
        let count = store::people::contacts::count(&world.test.db, world.tenant()).await.unwrap().contacts;
        assert_eq!(count, 19);
    }

    async fn a_restart_begins_from_the_first_row(world = World::new) {
        let stopped = world.run(world.tenant(), local(people(9)), 1).await.unwrap();
        assert_eq!((stopped.ended, stopped.import.counts.created), (ImportEnd::Stopped, 3));
        let mut again = local(people(9));
        again.restart = true;
        let done = world.run(world.tenant(), again, usize::MAX).await.unwrap();
        assert!(!done.resumed && done.import.id != stopped.import.id);
        assert_eq!((done.import.counts.unchanged, done.import.counts.created), (3, 6));
        let given_up = world.app.people().contacts().import(&world.me(), stopped.import.id).await.unwrap();
        assert_eq!(given_up.error.as_deref(), Some("restarted by a later run"));
        // A finished import is not resumed.
        let third = world.run(world.tenant(), local(people(9)), usize::MAX).await.unwrap();
        assert!(!third.resumed && third.import.counts.unchanged == 9);
    }

    async fn another_tenant_does_not_resume_an_import(world = World::new) {
        let other = world.test.new_tenant("unlimited").await;
        world.run(world.tenant(), local(people(9)), 1).await.unwrap();
        let theirs = world.run(other, local(people(9)), usize::MAX).await.unwrap();
        assert!(!theirs.resumed && theirs.import.counts.created == 9);
        assert!(world.app.people().contacts().import(&world.me(), theirs.import.id).await.is_err());
    }

    async fn many_workers_apply_every_row_once(world = World::alone) {
        let mut upload = world.app.people().contacts().begin_upload(&world.me(), false).await.unwrap();
        upload.write(people(500).as_bytes()).await.unwrap();
        let import = upload.finish(None).await.unwrap();
        let nodes: Vec<_> = (0..4).map(|_| world.another_node()).collect();
        let work = nodes.iter().map(|node| node.people().process_imports(&|| false));
        for done in futures_util::future::join_all(work).await {
            done.unwrap();
        }
        let done = world.app.people().contacts().import(&world.me(), import.id).await.unwrap();
        assert_eq!((app::people::imports::status_of(&done), done.counts.created), ("done", 500));
        assert_eq!(store::people::contacts::count(&world.test.db, world.tenant()).await.unwrap().contacts, 500);
    }

    async fn the_import_of_a_dead_node_is_claimed_and_late_writes_are_refused(world = World::alone) {
        let mut upload = world.app.people().contacts().begin_upload(&world.me(), false).await.unwrap();
        upload.write(people(30).as_bytes()).await.unwrap();
        let import = upload.finish(None).await.unwrap();
        // A node claims the import and dies.
        let now = world.now();
        let input = (world.tenant(), import.id, now, now.plus_seconds(30));
        let taken = world.test.db.write(input, |tx, (tenant, id, now, until)| {
            Box::pin(store::people::imports::claim(tx, *tenant, *id, "dead", *now, *until))
        });
        assert!(taken.await.unwrap());
        world.app.people().process_imports(&|| false).await.unwrap();
        let waiting = world.app.people().contacts().import(&world.me(), import.id).await.unwrap();
        assert_eq!((app::people::imports::status_of(&waiting), waiting.counts.rows), ("running", 0));
        world.advance(60);
        world.app.people().process_imports(&|| false).await.unwrap();
        let done = world.app.people().contacts().import(&world.me(), import.id).await.unwrap();
        assert_eq!((app::people::imports::status_of(&done), done.counts.created), ("done", 30));
        let late = (world.tenant(), import.id);
        let held = world.test.db.write(late, |tx, (tenant, id)| Box::pin(store::people::imports::lock_position(tx, *tenant, *id, "dead")));
        assert_eq!(held.await.unwrap(), None);
    }

    async fn a_process_that_lost_its_lease_changes_nothing(world = World::new) {
        let looks = AtomicUsize::new(0);
        // Before the second batch, another process claims the import.
        let stop = || {
            if looks.fetch_add(1, Ordering::SeqCst) == 1 {
                taken_over(&world);
            }
            false
        };
        let me = world.me();
        let late = world.app.people().contacts().import_file(&me, local(people(9)), &mut |_| {}, &stop).await.unwrap_err();
        assert!(late.to_string().contains("another process is working on this import"), "{late}");
        let import = &world.app.people().contacts().imports(&me).await.unwrap()[0];
        assert_eq!((import.counts.rows, import.holder.as_deref()), (3, Some("another")));
        assert_eq!(world.contacts().await.len(), 3);
    }

    async fn a_file_that_another_process_imports_is_refused(world = World::new) {
        let text = people(30);
        // The second process starts while the first is importing.
        let (node, tenant) = (world.another_node(), world.tenant());
        let contacts = node.people().contacts();
        let me = Command(tenant);
        let first = async { contacts.import_file(&me, local(&text), &mut |_| {}, &|| false).await };
        let second = async {
            while store::people::imports::latest(&world.test.db, tenant, 1).await.unwrap().is_empty() {
                tokio::task::yield_now().await;
            }
            world.run(tenant, local(&text), usize::MAX).await
        };
        let (first, second) = tokio::join!(first, second);
        assert_eq!(first.unwrap().import.counts.created, 30);
        // The second process started during the first import or after it: in both cases every contact is stored once.
        match second {
            Ok(second) => assert_eq!(second.import.counts.unchanged, 30),
            Err(error) => assert!(error.to_string().contains("another process is importing this file"), "{error}"),
        }
        assert_eq!(store::people::contacts::count(&world.test.db, tenant).await.unwrap().contacts, 30);
    }
}
