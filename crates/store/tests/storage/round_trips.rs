//! Statements that share a round trip on PostgreSQL: several reads, inserts that travel with the commit, and transactions
//! that are sent whole.

use domain::TenantId;
use store::{Db, Engine, Param, Statement, Tx, params, read};

static INSERT: Statement = Statement::new(
    "test.insert",
    "INSERT INTO leases (tenant_id, name, holder, number, expires_at) VALUES ($1, $2, $3, $4, 0)",
);
static COUNT: Statement = Statement::new("test.count", "SELECT COUNT(*) FROM leases WHERE tenant_id = $1");
static NAMES: Statement = Statement::new("test.names", "SELECT name FROM leases WHERE tenant_id = $1 ORDER BY name");
static GREATEST: Statement = Statement::new(
    "test.greatest",
    "UPDATE leases SET number = (SELECT MAX(number) + 1 FROM leases WHERE tenant_id = $1)
     WHERE tenant_id = $1 AND name = $2 RETURNING number",
);

fn row(tenant: TenantId, number: i64) -> Vec<Param<'static>> {
    vec![tenant.into(), Param::Owned(format!("lease {number}")), Param::Text("node"), number.into()]
}

/// A row that the table refuses: it has no holder.
fn refused(tenant: TenantId) -> Vec<Param<'static>> {
    vec![tenant.into(), Param::Text("refused"), Param::Null, 1.into()]
}

async fn count(db: &Db, tenant: TenantId) -> i64 {
    db.row(&COUNT, params![tenant], read).await.unwrap().unwrap()
}

async fn insert_and_count(tx: &mut Tx<'_>, tenant: TenantId) -> store::Result<Option<i64>> {
    tx.execute_later(&INSERT, (0..5).map(|number| row(tenant, number))).await?;
    let counted = tx.row(&COUNT, params![tenant], read).await?;
    tx.execute_later(&INSERT, [row(tenant, 5)]).await?;
    Ok(counted)
}

async fn insert_then_refused(tx: &mut Tx<'_>, tenant: TenantId) -> store::Result<()> {
    tx.execute(&INSERT, &row(tenant, 7)).await?;
    tx.execute_later(&INSERT, [row(tenant, 8), refused(tenant)]).await
}

testkit::both_databases! {
    async fn rows_that_are_sent_later_are_there_for_the_next_statement_and_after_the_commit(test) {
        let tenant = test.tenant;
        let counted = test.db.write(tenant, |tx, tenant| Box::pin(insert_and_count(tx, *tenant))).await.unwrap();
        assert_eq!((counted, count(&test.db, tenant).await), (Some(5), 6));
    }

    async fn rows_that_are_sent_with_the_commit_cost_no_round_trip(test) {
        let tenant = test.tenant;
        let insert = || test.db.write(tenant, |tx, tenant| Box::pin(async move {
            let first: Option<i64> = tx.row(&COUNT, params![*tenant], read).await?;
            tx.execute_later(&INSERT, [row(*tenant, first.unwrap_or(0))]).await
        }));
        // The first use of a statement prepares it.
        insert().await.unwrap();
        let before = test.db.traffic();
        insert().await.unwrap();
        let wanted = if test.db.engine() == Engine::Postgres { 2 } else { 0 };
        assert_eq!(test.db.traffic().since(before).round_trips, wanted);
        assert_eq!(count(&test.db, tenant).await, 2);
    }

    async fn a_row_that_is_refused_with_the_commit_undoes_the_transaction(test) {
        let tenant = test.tenant;
        let outcome = test.db.write(tenant, |tx, tenant| Box::pin(insert_then_refused(tx, *tenant))).await;
        assert!(outcome.is_err());
        assert_eq!(count(&test.db, tenant).await, 0);
        test.db.write(tenant, |tx, tenant| Box::pin(insert_and_count(tx, *tenant))).await.unwrap();
        assert_eq!(count(&test.db, tenant).await, 6);
    }

    async fn rows_of_a_body_that_fails_are_not_stored(test) {
        let tenant = test.tenant;
        let outcome = test.db.write(tenant, |tx, tenant| Box::pin(async move {
            tx.execute_later(&INSERT, [row(*tenant, 1)]).await?;
            Err::<(), _>(store::Error::Column(0))
        })).await;
        assert!(outcome.is_err());
        assert_eq!(count(&test.db, tenant).await, 0);
    }

    async fn several_reads_name_their_rows(test) {
        let tenant = test.tenant;
        test.db.write(tenant, |tx, tenant| Box::pin(insert_and_count(tx, *tenant))).await.unwrap();
        let read_both = |tenant| test.db.write(tenant, |tx, tenant: &TenantId| Box::pin(async move {
            let (mut names, mut counts) = (Vec::new(), Vec::new());
            let reads: [(&Statement, &[Param<'_>]); 2] = [(&NAMES, params![*tenant]), (&COUNT, params![*tenant])];
            tx.each_of(&reads, |index, row| {
                if index == 0 { names.push(read::<String>(row)?) } else { counts.push(read::<i64>(row)?) }
                Ok(())
            }).await?;
            Ok::<_, store::Error>((names, counts))
        }));
        let (names, counts) = read_both(tenant).await.unwrap();
        assert_eq!((names.len(), names[2].as_str(), counts.as_slice()), (6, "lease 2", [6].as_slice()));
    }

    async fn a_list_of_statements_is_one_transaction(test) {
        let tenant = test.tenant;
        let greatest = || (&GREATEST, vec![tenant.into(), Param::Text("lease 1")]);
        let list = vec![(&INSERT, row(tenant, 1)), (&INSERT, row(tenant, 9)), greatest()];
        assert_eq!(test.db.write_list(list, read::<i64>).await.unwrap(), [vec![], vec![], vec![10]]);
        let bad = vec![(&INSERT, row(tenant, 2)), (&INSERT, refused(tenant)), greatest()];
        assert!(test.db.write_list(bad, read::<i64>).await.is_err());
        assert_eq!(count(&test.db, tenant).await, 2);
        let before = test.db.traffic();
        assert_eq!(test.db.write_list(vec![greatest()], read::<i64>).await.unwrap(), [vec![11]]);
        let wanted = u64::from(test.db.engine() == Engine::Postgres);
        assert_eq!(test.db.traffic().since(before).round_trips, wanted);
    }
}
