//! All rows of one tenant: exported, and deleted in batches.

use domain::TenantId;
use store::tables::{self, Fate};
use store::{Db, Statement, tenant_data};

use crate::fresh::on_both;
use crate::rows::fill;

/// A tenant that has several of the generated rows.
const TENANT: TenantId = TenantId::from_number(1_776_000_000_000_001);

async fn count(db: &Db, table: &str, condition: &str) -> i64 {
    let text = format!("SELECT COUNT(*) FROM {table} WHERE tenant_id {condition} {}", TENANT.number());
    db.row(&Statement::composed("test.count", text), &[], store::read::<i64>).await.unwrap().unwrap()
}

async fn counts(db: &Db, condition: &str) -> Vec<(&'static str, i64)> {
    let mut counts = Vec::new();
    for table in tables::TABLES.iter().filter(|table| table.fate != Fate::Left && table.column("tenant_id").is_some()) {
        counts.push((table.name, count(db, table.name, condition).await));
    }
    counts
}

on_both! {
    async fn a_deleted_tenant_leaves_no_row_and_others_keep_theirs(fresh) {
        fill(&fresh.db).await;
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
        for table in tenant_data::exported_tables() {
            let mut rows = Vec::new();
            let keep = |row| {
                rows.push(row);
                Ok(())
            };
            tenant_data::each_row(&fresh.db, table, TENANT, keep).await.unwrap();
            let stored = count(&fresh.db, table, "=").await;
            assert_eq!(i64::try_from(rows.len()).unwrap(), stored, "{table}");
            assert!(rows.iter().all(|row| row["tenant_id"] == TENANT.number()), "{table}");
            if table == "accounts" {
                assert!(rows.iter().all(|row| row.get("password_hash").is_none() && row["created_at"].is_string()));
            }
        }
    }
}
