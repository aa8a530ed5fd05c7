//! Imports that the workers process without a request.

use std::time::Duration;

use app::people::imports::status_of;
use app::{App, Command};
use domain::people::imports::Import;
use testkit::World;

async fn upload(app: &App, caller: Command, rows: usize) -> Import {
    let mut upload = app.people().contacts().begin_upload(&caller, false).await.unwrap();
    upload.write(b"phone\n").await.unwrap();
    for n in 0..rows {
        upload.write(format!("1415555{n:04}\n").as_bytes()).await.unwrap();
    }
    upload.finish(None).await.unwrap()
}

async fn ended(app: &App, caller: Command, import: &Import) -> Import {
    for _ in 0..2000 {
        let now = app.people().contacts().import(&caller, import.id).await.unwrap();
        if now.finished_at.is_some() {
            return now;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("the import did not end");
}

testkit::both_databases! {
    async fn an_import_is_taken_up_when_it_is_made(app = World::alone) {
        let me = app.me();
        let workers = workers::start(app.app.clone());
        // Two imports, so that the second one needs the wake-up: the worker has polled already.
        for rows in [3, 5] {
            let import = upload(&app.app, me, rows).await;
            let done = ended(&app.app, me, &import).await;
            assert_eq!((status_of(&done), done.counts.rows), ("done", i64::try_from(rows).unwrap()));
        }
        workers.stop().await;
        let waiting = upload(&app.app, me, 2).await;
        assert_eq!(status_of(&waiting), "queued", "the workers have stopped");
    }
}
