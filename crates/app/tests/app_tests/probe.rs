//! The probe that writes to the disk of an embedded database.

use std::time::Duration;

use store::Location;
use testkit::World;
use testkit::database::TestDb;

/// A pipe takes the place of the probe's file: opening it hangs until there is a reader.
#[tokio::test]
async fn a_disk_that_hangs_holds_no_thread_of_the_runtime() {
    let world = World::on(TestDb::sqlite().await);
    let Location::Sqlite { file } = &world.test.location else { panic!("no file") };
    let pipe = file.with_file_name("switchboard.db-probe");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let app = world.app.clone();
    let probing = tokio::spawn(async move { app.probe_writes().await });
    // Only a free thread gets here, because the runtime of this test has one.
    tokio::time::sleep(Duration::from_millis(50)).await;
    assert!(!probing.is_finished());
    let read = tokio::task::spawn_blocking(move || std::fs::read(pipe)).await.unwrap();
    assert!(!read.unwrap().is_empty());
    probing.await.unwrap().unwrap();
    assert!(world.app.is_writable());
}
