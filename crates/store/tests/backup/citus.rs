//! Backup and restore of a database that Citus distributes, where `SWITCHBOARD_TEST_CITUS` is set.

use std::collections::BTreeMap;
use std::io::Cursor;

use store::platform::backup::{backup, restore};
use store::{Db, Engine};
use testkit::citus::CitusDatabase;

use crate::consistency::write_pair;
use crate::fresh::{Fresh, Shared, clock, unpacked};
use crate::rows::fill;

async fn saved(db: &Db) -> Vec<u8> {
    let out = Shared::default();
    backup(db, &clock(), out.clone(), None, |_| {}).await.unwrap();
    out.take()
}

async fn restored(db: &Db, file: &[u8]) {
    restore(db, Cursor::new(file.to_vec()), true, |_, _| {}).await.unwrap();
}

#[tokio::test]
async fn the_rows_stay_the_same_in_every_direction() {
    let Some(database) = CitusDatabase::distributed().await else { return };
    let distributed = database.open();
    let sqlite = Fresh::on(Engine::Sqlite).await;
    fill(&sqlite.db).await;
    let original = sqlite.backup().await;
    // SQLite, Citus, PostgreSQL, Citus, SQLite.
    restored(&distributed, &original).await;
    let from_citus = saved(&distributed).await;
    assert_eq!(unpacked(&from_citus), unpacked(&original));
    let postgres = Fresh::on(Engine::Postgres).await;
    restored(&postgres.db, &from_citus).await;
    let from_postgres = postgres.backup().await;
    assert_eq!(unpacked(&from_postgres), unpacked(&original));
    // Replaces the rows that are there.
    restored(&distributed, &from_postgres).await;
    let from_citus = saved(&distributed).await;
    let last = Fresh::on(Engine::Sqlite).await;
    restored(&last.db, &from_citus).await;
    assert_eq!(unpacked(&last.backup().await), unpacked(&original));
    for fresh in [sqlite, postgres, last] {
        fresh.remove().await;
    }
    drop(distributed);
    database.remove().await;
}

/// Each pair is two rows of one tenant in tables that are read at different times.
#[tokio::test]
async fn every_tenant_is_whole_under_a_stream_of_writes() {
    let Some(database) = CitusDatabase::distributed().await else { return };
    let db = database.open();
    let writer = tokio::spawn({
        let db = db.clone();
        async move {
            for number in 0..2000 {
                write_pair(&db, 100_001 + number).await;
            }
        }
    });
    let (mut backups, mut pairs) = (0, 0);
    while !writer.is_finished() {
        let text = unpacked(&saved(&db).await);
        backups += 1;
        let mut rows: BTreeMap<&str, u32> = BTreeMap::new();
        for name in text.split('"').filter(|part| part.starts_with("pair ")) {
            *rows.entry(name).or_default() += 1;
        }
        let torn: Vec<_> = rows.iter().filter(|(_, count)| **count != 2).collect();
        assert!(torn.is_empty(), "{torn:?} in backup {backups}");
        pairs += rows.len();
    }
    writer.await.unwrap();
    println!("{backups} backups, {pairs} pairs, none torn");
    drop(db);
    database.remove().await;
}
