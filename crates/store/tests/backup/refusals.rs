//! Incomplete, damaged and incompatible backups change nothing.

use serde_json::json;
use store::Engine;
use store::platform::backup::BackupError;

use crate::crafted::{file, header, packed, tenant_columns};
use crate::fresh::{Fresh, on_both, try_unpacked, unpacked};
use crate::rows::fill;

/// Restores with `replace` and expects an error.
async fn refused(fresh: &Fresh, bad: &[u8]) -> BackupError {
    let before = fresh.backup().await;
    let epoch = store::base::epochs::credentials(&fresh.db).await.unwrap();
    let error = fresh.replace(bad).await.unwrap_err();
    assert_eq!(fresh.backup().await, before, "{error}");
    assert_eq!(store::base::epochs::credentials(&fresh.db).await.unwrap(), epoch, "{error}");
    error
}

/// Asserts that a file is refused as damaged before any statement runs.
async fn is_damaged(fresh: &Fresh, bad: &[u8], what: &str) {
    let outcome = fresh.replace(bad).await;
    assert!(matches!(outcome, Err(BackupError::Damaged(_) | BackupError::NotABackup)), "{what}: {outcome:?}");
}

#[tokio::test]
async fn a_file_cut_anywhere_is_refused() {
    let fresh = Fresh::on(Engine::Sqlite).await;
    fill(&fresh.db).await;
    let whole = fresh.backup().await;
    for length in (0..whole.len()).rev().step_by(7) {
        is_damaged(&fresh, &whole[..length], &format!("{length} of {} bytes", whole.len())).await;
    }
    assert_eq!(fresh.backup().await, whole);
    fresh.remove().await;
}

#[tokio::test]
async fn a_file_with_a_flipped_bit_is_refused() {
    let fresh = Fresh::on(Engine::Sqlite).await;
    fill(&fresh.db).await;
    let whole = fresh.backup().await;
    let text = unpacked(&whole);
    let mut harmless = 0;
    for at in (0..whole.len()).step_by(7) {
        let mut flipped = whole.clone();
        flipped[at] ^= 1 << (at % 8);
        // A few bits of gzip have no meaning, such as the date in the header.
        if try_unpacked(&flipped).is_ok_and(|same| same == text) {
            harmless += 1;
            continue;
        }
        is_damaged(&fresh, &flipped, &format!("bit {} of byte {at}", at % 8)).await;
    }
    assert!(harmless < whole.len() / 7 / 50, "{harmless} of {}", whole.len());
    assert_eq!(fresh.backup().await, whole);
    fresh.remove().await;
}

on_both! {
    async fn what_is_no_backup_is_refused(fresh) {
        fill(&fresh.db).await;
        for bad in [b"SQLite format 3\0".as_slice(), &packed("hello\n"), &packed("{}\n")] {
            let error = refused(fresh, bad).await;
            assert!(matches!(error, BackupError::NotABackup), "{error}");
        }
    }

    async fn an_altered_line_is_refused_although_it_was_packed_again(fresh) {
        fill(&fresh.db).await;
        let altered = unpacked(&fresh.backup().await).replace("😀", "😁");
        let error = refused(fresh, &packed(&altered)).await;
        assert!(error.to_string().contains("checksum"), "{error}");
    }

    async fn data_after_the_end_is_refused(fresh) {
        fill(&fresh.db).await;
        let whole = fresh.backup().await;
        let line_more = packed(&(unpacked(&whole) + "{}\n"));
        for bad in [line_more, [whole.clone(), whole.clone()].concat(), [whole, vec![0]].concat()] {
            let error = refused(fresh, &bad).await;
            assert!(error.to_string().contains("follows"), "{error}");
        }
    }

    async fn a_newer_backup_is_refused_by_name(fresh) {
        let mut newer = header();
        newer["schema"] = json!("9999_from_the_future");
        let error = refused(fresh, &file(&newer, &[])).await.to_string();
        assert!(error.contains("newer version") && error.contains("9999_from_the_future"), "{error}");
        let mut newer = header();
        newer["switchboard_backup"] = json!(2);
        let error = refused(fresh, &file(&newer, &[])).await.to_string();
        assert!(error.contains("newer version") && error.contains("format 2"), "{error}");
    }

    async fn a_backup_from_before_the_baseline_is_refused(fresh) {
        fill(&fresh.db).await;
        let mut older = header();
        older["schema"] = json!("0240_schema_migrations_version");
        let error = refused(fresh, &file(&older, &[("tenants", tenant_columns(), &[])])).await;
        assert!(matches!(error, BackupError::BeforeBaseline(_)), "{error}");
        assert!(error.to_string().contains("restore it with the version that made it"), "{error}");
    }

    async fn a_database_with_a_tenant_is_refused(fresh) {
        let empty = fresh.backup().await;
        fill(&fresh.db).await;
        let before = fresh.backup().await;
        assert!(matches!(fresh.restore(&empty).await, Err(BackupError::NotEmpty)));
        assert_eq!(fresh.backup().await, before);
    }

    async fn a_column_that_must_not_be_absent_is_named(fresh) {
        let tables = [("tenants", json!(["tenant_id", "name", "plan", "created_at"]), [].as_slice())];
        let error = refused(fresh, &file(&header(), &tables)).await;
        assert!(error.to_string().contains("tenants.updated_at"), "{error}");
    }

    async fn tables_and_columns_of_others_are_named(fresh) {
        let table = [("spaceships", json!(["tenant_id"]), [].as_slice())];
        assert!(refused(fresh, &file(&header(), &table)).await.to_string().contains("table spaceships"));
        // A backup must not contain tables of the state of servers (`BackupRule::Untouched`).
        let left = [("leases", json!(["tenant_id"]), [].as_slice())];
        assert!(refused(fresh, &file(&header(), &left)).await.to_string().contains("table leases"));
        let column = [("tenants", json!(["tenant_id", "x) --"]), [].as_slice())];
        assert!(refused(fresh, &file(&header(), &column)).await.to_string().contains("column tenants.x) --"));
    }

    /// A row that is refused rolls back the rows before it and the deletion of the old rows.
    async fn a_bad_row_rolls_everything_back(fresh) {
        fill(&fresh.db).await;
        let good = json!([100_001, "Acme", "business", 1, 1]);
        let bad = [
            json!([100_002, "Acme", "business", 1]),
            json!(["100002", "Acme", "business", 1, 1]),
            json!([100_002, null, "business", 1, 1]),
            json!([100_002, "nul \u{0}", "business", 1, 1]),
            good.clone(),
        ];
        for bad in bad {
            let mut rows = vec![good.clone()];
            rows.extend((200_000..201_000).map(|n| json!([n, "Acme", "business", 1, 1])));
            rows.push(bad);
            refused(fresh, &file(&header(), &[("tenants", tenant_columns(), &rows)])).await;
        }
    }

    async fn a_database_of_an_older_schema_must_be_migrated_first(fresh) {
        let whole = fresh.backup().await;
        let last = store::migrations::MIGRATIONS.last().unwrap().name;
        crate::fresh::run(&fresh.db, format!("DELETE FROM schema_migrations WHERE name = '{last}'")).await;
        let error = fresh.restore(&whole).await.unwrap_err().to_string();
        assert!(error.contains("switchboard migrate"), "{error}");
        let out = crate::fresh::Shared::default();
        let saved = store::platform::backup::backup(&fresh.db, &crate::fresh::clock(), out, None, |_| {}).await;
        assert!(matches!(saved, Err(BackupError::NotMigrated)));
    }
}
