//! Backup and restore give the same data on every engine.

use std::sync::{Arc, Mutex};

use domain::base::keys::{Purpose, SecretKey};
use store::Engine;
use store::base::tables::{BackupRule, TABLES};
use store::platform::backup::{backup, restore};

use crate::fresh::{Fresh, Shared, clock, on_both, unpacked};
use crate::rows::{ROWS, fill};

#[tokio::test]
async fn one_sqlite_to_another_is_byte_identical() {
    passes_unchanged(&[Engine::Sqlite, Engine::Sqlite]).await;
}

#[tokio::test]
async fn sqlite_through_postgres_to_sqlite_is_byte_identical() {
    passes_unchanged(&[Engine::Sqlite, Engine::Postgres, Engine::Sqlite]).await;
}

/// The tables in a backup.
fn kept() -> impl Iterator<Item = &'static str> {
    TABLES.iter().filter(|table| table.backup_rule == BackupRule::Saved).map(|table| table.name)
}

/// Fills a database of the first engine, and restores its backup into one of the next engine, and so on; the data must
/// stay the same.
async fn passes_unchanged(engines: &[Engine]) {
    let first = Fresh::on(engines[0]).await;
    fill(&first.db).await;
    let original = first.backup().await;
    first.remove().await;
    let mut file = original.clone();
    for engine in &engines[1..] {
        let next = Fresh::on(*engine).await;
        let summary = next.restore(&file).await.unwrap();
        assert_eq!(summary.total(), (kept().count() * ROWS) as u64);
        file = next.backup().await;
        next.remove().await;
        assert_eq!(unpacked(&file), unpacked(&original), "{engine:?}");
    }
}

on_both! {
    async fn a_backup_has_the_documented_form(fresh) {
        fill(&fresh.db).await;
        let text = unpacked(&fresh.backup().await);
        let lines: Vec<serde_json::Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let header = &lines[0];
        assert_eq!(header["switchboard_backup"], 1);
        assert_eq!(header["schema"], store::migrations::MIGRATIONS.last().unwrap().name);
        assert_eq!(header["created_at"], clock().now().to_rfc3339());
        let marks = lines.iter().filter_map(|line| line["table"].as_str());
        assert!(marks.eq(kept()), "the tables, each once");
        let end = lines.last().unwrap();
        assert_eq!(end["end"], true);
        assert_eq!(end["rows"]["calls"], ROWS);
        for absent in ["sessions", "one_time_links", "used_oidc_states", "leases", "epochs", "schema_migrations", "migration_guard"] {
            assert!(!text.contains(&format!("{{\"table\":\"{absent}\"")), "{absent}");
        }
    }

    async fn progress_ends_at_the_number_of_rows(fresh) {
        fill(&fresh.db).await;
        let out = Shared::default();
        let reports = Arc::new(Mutex::new(Vec::new()));
        let report = Arc::clone(&reports);
        let saved = backup(&fresh.db, &clock(), out.clone(), None, move |rows| report.lock().unwrap().push((rows, rows))).await;
        let total = saved.unwrap().total();
        assert_eq!(reports.lock().unwrap().last(), Some(&(total, total)));
        let report = Arc::clone(&reports);
        let file = std::io::Cursor::new(out.take());
        restore(&fresh.db, file, true, move |rows, of| report.lock().unwrap().push((rows, of))).await.unwrap();
        assert_eq!(reports.lock().unwrap().last(), Some(&(total, total)));
    }

    async fn the_secret_key_is_not_in_the_file_but_its_fingerprint_is(fresh) {
        let key = SecretKey::random();
        let set = fresh.db.write(key.fingerprint(), |tx, fingerprint| {
            Box::pin(store::base::installation::set_key_fingerprint(tx, fingerprint))
        });
        set.await.unwrap();
        let text = unpacked(&fresh.backup().await);
        let header: serde_json::Value = serde_json::from_str(text.lines().next().unwrap()).unwrap();
        assert_eq!(header["key_fingerprint"], key.fingerprint());
        assert!(!text.contains(key.to_file_text().as_str()));
        let hex = key.subkey(Purpose::TokenHash).bytes().map(|byte| format!("{byte:02x}")).concat();
        assert!(!text.contains(&hex));
    }
}
