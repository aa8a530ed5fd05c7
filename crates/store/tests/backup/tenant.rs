//! All rows of one tenant: exported, and deleted in batches.

use domain::TenantId;
use serde_json::Value;
use store::base::tables::{self, BackupRule, Column, ColumnKind};
use store::base::tenant_data;
use store::{Db, Statement};

use crate::fresh::on_both;
use crate::rows::{fill, insert};

/// A tenant that has several of the generated rows.
const TENANT: TenantId = TenantId::from_number(1_776_000_000_000_001);

async fn count(db: &Db, table: &str, condition: &str) -> i64 {
    let text = format!("SELECT COUNT(*) FROM {table} WHERE tenant_id {condition} {}", TENANT.number());
    db.row(&Statement::composed("test.count", text), &[], store::read::<i64>).await.unwrap().unwrap()
}

/// The rows of every table in the catalogue.
async fn counts(db: &Db, condition: &str) -> Vec<(&'static str, i64)> {
    let mut counts = Vec::new();
    for table in tables::shapes(db).await.unwrap() {
        counts.push((table.name, count(db, table.name, condition).await));
    }
    counts
}

/// Adds rows of the tenant to the tables that a restore leaves alone.
async fn fill_untouched(db: &Db) {
    let shapes = tables::shapes(db).await.unwrap();
    for table in shapes.iter().filter(|table| table.backup_rule == BackupRule::Untouched) {
        insert(db, table).await;
    }
}

/// Whether the name of a column hints at a secret. Hashes of the audit log prove its order, headers of clicks are those
/// of people's browsers; versions and checks of tokens are numbers and times.
fn tells_secret(table: &str, column: &Column) -> bool {
    let telling = ["secret", "hash", "password", "sealed", "headers", "token"];
    let harmless = table.starts_with("audit")
        || table == "clicks"
        || column.kind == ColumnKind::Int
        || column.kind == ColumnKind::Bool;
    telling.iter().any(|word| column.name.contains(word)) && !harmless
}

on_both! {
    async fn a_deleted_tenant_leaves_no_row_and_others_keep_theirs(fresh) {
        fill(&fresh.db).await;
        fill_untouched(&fresh.db).await;
        let others = counts(&fresh.db, "<>").await;
        assert!(counts(&fresh.db, "=").await.iter().map(|(_, rows)| rows).sum::<i64>() > 100);
        let mut batches = 0;
        while fresh.db.write(TENANT, |tx, id| Box::pin(tenant_data::delete_some(tx, *id, &[], 1))).await.unwrap() > 0 {
            batches += 1;
            assert_eq!(count(&fresh.db, "tenants", "=").await, 1, "the tenant itself goes last");
        }
        assert_eq!(batches, 3, "one row of each table at a time");
        assert!(fresh.db.write(TENANT, |tx, id| Box::pin(tenant_data::delete_tenant(tx, *id))).await.unwrap());
        assert!(counts(&fresh.db, "=").await.iter().all(|(_, rows)| *rows == 0));
        assert_eq!(counts(&fresh.db, "<>").await, others);
    }

    async fn an_export_has_every_row_of_the_tenant_without_secrets(fresh) {
        fill(&fresh.db).await;
        let shapes = tables::shapes(&fresh.db).await.unwrap();
        for table in tenant_data::exported_tables() {
            let mut rows = Vec::new();
            let mut keep = |row: Value| {
                rows.push(row);
                Ok(())
            };
            tenant_data::each_row(&fresh.db, table, TENANT, &mut keep).await.unwrap();
            let stored = count(&fresh.db, table, "=").await;
            assert_eq!(i64::try_from(rows.len()).unwrap(), stored, "{table}");
            assert!(rows.iter().all(|row| row["tenant_id"] == TENANT.number()), "{table}");
            if table == "accounts" {
                assert!(rows.iter().all(|row| row.get("password_hash").is_none() && row["created_at"].is_string()));
            }
            let shape = shapes.iter().find(|shape| shape.name == table).unwrap();
            for column in shape.columns.iter().filter(|column| tells_secret(table, column)) {
                assert!(rows.iter().all(|row| row.get(&column.name).is_none()), "{table}.{}", column.name);
            }
        }
    }

    /// A table with a column that names a contact is read for the export of a person, or listed here.
    async fn every_table_about_a_person_is_exported(fresh) {
        // What waits to be sent is in `messages` too; the pauses between messages to a person end within minutes. Events
        // repeat what is in the rows that they are about.
        let others = ["outbox", "outbox_people", "events", "events_new"];
        let about: Vec<&str> = tenant_data::tables_about_person().collect();
        for table in tables::shapes(&fresh.db).await.unwrap() {
            let names_contact = ["contact_id", "merged_id"].iter().any(|column| table.column(column).is_some());
            let known = [&others[..], tenant_data::DERIVED, &about].concat();
            assert!(!names_contact || known.contains(&table.name), "{}", table.name);
        }
    }
}
