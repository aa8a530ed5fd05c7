//! Uploaded files, imported by the worker.

use std::time::Duration;

use app::people::imports::{Format, status_of};
use domain::ImportId;
use store::{Statement, params};
use testkit::World;

use crate::imports::world::{Imports as _, people};

static PIECES: Statement = Statement::new("test.pieces", "SELECT COUNT(*) FROM import_pieces WHERE tenant_id = $1");
static LEFT: Statement = Statement::new(
    "test.left",
    "SELECT (SELECT COUNT(*) FROM imports WHERE tenant_id = $1) + (SELECT COUNT(*) FROM import_pieces WHERE tenant_id = $1)
     + (SELECT COUNT(*) FROM import_verdicts WHERE tenant_id = $1) + (SELECT COUNT(*) FROM import_rejects WHERE tenant_id = $1)",
);

async fn count(world: &World, statement: &Statement) -> i64 {
    world.test.db.row(statement, params![world.tenant()], store::read::<i64>).await.unwrap().unwrap()
}

async fn upload(world: &World, text: &[u8], format: Option<Format>) -> ImportId {
    let mut upload = world.app.people().contacts().begin_upload(&world.me(), false).await.unwrap();
    for piece in text.chunks(100_000) {
        upload.write(piece).await.unwrap();
    }
    upload.finish(format).await.unwrap().id
}

testkit::both_databases! {
    async fn an_upload_is_imported_and_its_pieces_are_deleted(world = World::alone) {
        let rows = if crate::imports::long() { 100_000 } else { 5000 };
        // Rows cross the border between two pieces.
        let text: String = ["phone,name,note\n".to_owned()]
            .into_iter()
            .chain((0..rows).map(|n| format!("1415{:03}{:04},Person {n},{}\n", 200 + n / 10_000, n % 10_000, "x".repeat(n % 90))))
            .collect();
        let id = upload(&world, text.as_bytes(), None).await;
        assert!(count(&world, &PIECES).await > 1);
        let queued = world.app.people().contacts().import(&world.me(), id).await.unwrap();
        assert_eq!((status_of(&queued), queued.format.as_str()), ("queued", "csv"));
        assert_eq!(queued.bytes_total, i64::try_from(text.len()).unwrap());
        world.app.people().process_imports(&|| false).await.unwrap();
        let done = world.app.people().contacts().import(&world.me(), id).await.unwrap();
        assert_eq!((status_of(&done), done.counts.rows, done.bytes_done), ("done", i64::try_from(rows).unwrap(), done.bytes_total));
        assert_eq!(done.counts.created + done.counts.rejected, done.counts.rows);
        assert!(done.counts.created > done.counts.rows / 2, "{done:?}");
        assert_eq!(count(&world, &PIECES).await, 0);
        assert_eq!(world.app.people().contacts().imports(&world.me()).await.unwrap(), [done]);
    }

    async fn a_stopped_worker_releases_its_lease_and_the_next_resumes(world = World::alone) {
        let id = upload(&world, people(4500).as_bytes(), None).await;
        let looks = std::sync::atomic::AtomicUsize::new(0);
        // Called once before the import, then before each batch: stops after the first batch.
        let stop = || looks.fetch_add(1, std::sync::atomic::Ordering::SeqCst) >= 2;
        world.app.people().process_imports(&stop).await.unwrap();
        let stopped = world.app.people().contacts().import(&world.me(), id).await.unwrap();
        assert!(stopped.counts.rows > 0 && stopped.bytes_done < stopped.bytes_total, "{stopped:?}");
        world.another_node().people().process_imports(&|| false).await.unwrap();
        let done = world.app.people().contacts().import(&world.me(), id).await.unwrap();
        assert_eq!((status_of(&done), done.counts.created), ("done", 4500));
    }

    async fn an_unreadable_upload_fails_with_the_reason(world = World::alone) {
        for (text, error) in [
            (b"name\nAda\n".as_slice(), "row 1: the header must name the columns"),
            (b"phone\n1\x002", "byte 8 of the file is NUL"),
            (b"", "the file is empty"),
            (b"\xff\xfep\0", "the file is UTF-16"),
        ] {
            let id = upload(&world, text, None).await;
            world.app.people().process_imports(&|| false).await.unwrap();
            let failed = world.app.people().contacts().import(&world.me(), id).await.unwrap();
            assert_eq!(status_of(&failed), "failed");
            assert!(failed.error.as_ref().unwrap().starts_with(error), "{failed:?}");
            assert!(failed.finished_at.is_some());
        }
        assert_eq!(count(&world, &PIECES).await, 0);
        // A given format overrides the one that the first byte suggests.
        let id = upload(&world, b"{\"phone\":\"14155552671\"}\n", Some(Format::Csv)).await;
        world.app.people().process_imports(&|| false).await.unwrap();
        assert_eq!(status_of(&world.app.people().contacts().import(&world.me(), id).await.unwrap()), "failed");
    }

    async fn an_upload_that_does_not_end_leaves_nothing_behind(world = World::alone) {
        let begin = || async {
            let mut upload = world.app.people().contacts().begin_upload(&world.me(), false).await.unwrap();
            upload.write(&vec![b'x'; 600_000]).await.unwrap();
            upload
        };
        begin().await.abandon().await.unwrap();
        assert_eq!(count(&world, &LEFT).await, 0);
        drop(begin().await);
        for _ in 0..1000 {
            if count(&world, &LEFT).await == 0 {
                break;
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        assert_eq!(count(&world, &LEFT).await, 0);
        assert!(world.app.people().contacts().imports(&world.me()).await.unwrap().is_empty());
        // As after a crash: the upload is never dropped.
        std::mem::forget(begin().await);
        world.test.clock.advance(Duration::from_hours(7));
        world.app.people().sweep_imports().await.unwrap();
        assert_eq!(count(&world, &LEFT).await, 0);
    }

    async fn results_of_an_import_are_kept_for_thirty_days(world = World::alone) {
        let id = upload(&world, b"phone\n14155552671\nletters\n", None).await;
        world.app.people().process_imports(&|| false).await.unwrap();
        world.test.clock.advance(Duration::from_hours(29 * 24));
        world.app.people().sweep_imports().await.unwrap();
        assert_eq!(world.verdicts(id).await.len(), 2);
        world.test.clock.advance(Duration::from_hours(2 * 24));
        world.app.people().sweep_imports().await.unwrap();
        assert_eq!(count(&world, &LEFT).await, 0);
        assert_eq!(store::people::contacts::count(&world.test.db, world.tenant()).await.unwrap().contacts, 1);
    }
}
