//! What a restore replaces, and what it keeps.

use serde_json::json;
use store::base::tables::{self, BackupRule};
use store::{Db, Statement};

use crate::crafted::{file, header, tenant_columns};
use crate::fresh::{on_both, run, unpacked};
use crate::rows::{ROWS, fill, insert};

async fn count(db: &Db, table: &str) -> i64 {
    let count = Statement::composed("test.count", format!("SELECT COUNT(*) FROM {table}"));
    db.row(&count, &[], store::read::<i64>).await.unwrap().unwrap()
}

on_both! {
    async fn a_restore_replaces_everything_and_ends_sessions(fresh) {
        let empty = fresh.backup().await;
        fill(&fresh.db).await;
        fresh.replace(&empty).await.unwrap();
        assert_eq!(fresh.backup().await, empty);
        for table in tables::TABLES.iter().filter(|table| table.backup_rule != BackupRule::Untouched) {
            assert_eq!(count(&fresh.db, table.name).await, 0, "{}", table.name);
        }
    }

    async fn a_restore_keeps_the_state_of_running_servers(fresh) {
        let shapes = tables::shapes(&fresh.db).await.unwrap();
        insert(&fresh.db, shapes.iter().find(|table| table.name == "leases").unwrap()).await;
        let migrations = count(&fresh.db, "schema_migrations").await;
        fresh.restore(&fresh.backup().await).await.unwrap();
        assert_eq!(usize::try_from(count(&fresh.db, "leases").await), Ok(ROWS));
        assert_eq!(count(&fresh.db, "schema_migrations").await, migrations);
    }

    async fn a_restore_makes_servers_drop_their_caches(fresh) {
        let empty = fresh.backup().await;
        for _ in 0..3 {
            let before = store::base::epochs::credentials(&fresh.db).await.unwrap();
            let endpoints = store::delivery::webhooks::epoch(&fresh.db).await.unwrap();
            fresh.restore(&empty).await.unwrap();
            assert!(store::base::epochs::credentials(&fresh.db).await.unwrap() > before);
            assert!(store::delivery::webhooks::epoch(&fresh.db).await.unwrap() > endpoints);
        }
    }

    /// An installation that was started once and has no tenant.
    async fn a_restore_replaces_the_facts_of_an_installation_without_tenants(fresh) {
        fill(&fresh.db).await;
        let full = fresh.backup().await;
        run(&fresh.db, "DELETE FROM tenants".to_owned()).await;
        fresh.restore(&full).await.unwrap();
        assert_eq!(fresh.backup().await, full);
    }

    async fn columns_that_an_older_backup_lacks_are_null(fresh) {
        let mut older = header();
        older["schema"] = json!(store::migrations::MIGRATIONS[0].name);
        let columns = json!(["tenant_id", "id", "at", "actor", "action", "subject", "details"]);
        let entry = json!([100_001, "AAAA", 1, "command", "tenant.create", "100001", "{}"]);
        let tenant = json!([100_001, "Acme", "business", 1, 1]);
        let older = file(&older, &[("audit", columns, &[entry]), ("tenants", tenant_columns(), &[tenant])]);
        let summary = fresh.restore(&older).await.unwrap();
        assert_eq!(summary.schema, store::migrations::MIGRATIONS[0].name);
        let text = unpacked(&fresh.backup().await);
        let kept = r#"[100001,"AAAA",1,"command","tenant.create","100001","{}",null,null,null,null]"#;
        assert!(text.contains(kept), "{text}");
    }
}
