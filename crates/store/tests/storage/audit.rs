//! The audit log.

use domain::Id;
use domain::identity::audit::AuditEntry;
use store::identity::audit;
use testkit::database::TestDb;

use crate::fixtures::START;

fn entry(second: i64) -> AuditEntry {
    AuditEntry {
        id: Id::new(START),
        at: START.plus_seconds(second),
        actor: "command".to_owned(),
        action: "token.create".to_owned(),
        subject: "token:1".to_owned(),
        details: r#"{"name":"ci"}"#.to_owned(),
        address: None,
        request_id: None,
    }
}

async fn append(test: &TestDb, new: &AuditEntry) {
    let input = (test.tenant, new.clone());
    test.db.write(input, |tx, (tenant, new)| Box::pin(audit::append(tx, *tenant, new))).await.unwrap();
}

testkit::both_databases! {
    async fn the_latest_come_first(test) {
        let full = AuditEntry { address: Some("192.0.2.1".to_owned()), request_id: Some("r1".to_owned()), ..entry(3) };
        let mut all = vec![entry(1), full, entry(2), entry(2), entry(2)];
        for new in &all {
            append(&test, new).await;
        }
        all.sort_by_key(|entry| std::cmp::Reverse((entry.at, entry.id)));
        assert_eq!(audit::latest(&test.db, test.tenant, 10).await.unwrap(), all);
        assert_eq!(audit::latest(&test.db, test.tenant, 2).await.unwrap(), all[..2]);
    }

    async fn entries_do_not_exist_in_another_tenant(test) {
        append(&test, &entry(1)).await;
        let other = test.new_tenant("growth").await;
        assert!(audit::latest(&test.db, other, 10).await.unwrap().is_empty());
    }

    async fn an_entry_is_never_written_over(test) {
        let first = entry(1);
        append(&test, &first).await;
        let input = (test.tenant, AuditEntry { action: "token.revoke".to_owned(), ..first.clone() });
        let again = test.db.write(input, |tx, (tenant, new)| Box::pin(audit::append(tx, *tenant, new))).await;
        assert!(matches!(again, Err(store::Error::Duplicate { .. })), "{again:?}");
        assert_eq!(audit::latest(&test.db, test.tenant, 10).await.unwrap(), [first]);
    }
}
