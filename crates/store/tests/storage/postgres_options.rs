//! PostgreSQL with and without prepared statements: the same rows, nothing left on the connection, and time limits.

use std::sync::Arc;
use std::time::Duration;

use store::{Db, Engine, Error, Param, PostgresOptions, Statement, Tx, params, read};
use testkit::database::{TestDb, random_tenant};
use tokio::sync::Semaphore;

const LIMIT: Duration = Duration::from_millis(500);
const OPTIONS: [PostgresOptions; 3] = [
    PostgresOptions { prepared: true, statement_timeout: Some(LIMIT) },
    PostgresOptions { prepared: false, statement_timeout: Some(LIMIT) },
    PostgresOptions { prepared: false, statement_timeout: None },
];

static INSERT: Statement = Statement::new(
    "test.insert",
    "INSERT INTO kinds (tenant_id, id, name, flag, size) VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING",
);
static RENAME: Statement =
    Statement::new("test.rename", "UPDATE kinds SET name = $3, size = $4 WHERE tenant_id = $1 AND id = $2");
static READ: Statement = Statement::new(
    "test.read",
    "SELECT size, name, flag FROM kinds WHERE tenant_id = $1 AND (CAST($2 AS BOOLEAN) IS NULL OR flag = $2) ORDER BY id LIMIT $3",
);

type Kind = (Option<i64>, Option<String>, bool);

fn composed(text: &str) -> Statement {
    Statement::composed("test", text.to_owned())
}

/// Ten rows over arrays, of which a column is NULL in all; one more alone; then changes over arrays and alone.
async fn write_kinds(tx: &mut Tx<'_>, tenant: i64) -> store::Result<u64> {
    let ids: Vec<[u8; 1]> = (0..10).map(|number| [number]).collect();
    let row = |id: &[u8; 1]| -> Vec<Param<'static>> {
        let id = Param::Id([id[0]; 12]);
        vec![tenant.into(), id, Param::Null, true.into(), 7.into()]
    };
    let mut changed = tx.execute_many(&INSERT, ids.iter().map(row)).await?;
    changed += tx.execute(&INSERT, params![tenant, b"\xff".as_slice(), "last", false, None::<i64>]).await?;
    let rename = |id: &[u8; 1]| -> Vec<Param<'static>> {
        vec![tenant.into(), Param::Id([id[0]; 12]), Param::Owned(format!("ü{}", id[0])), i64::from(id[0]).into()]
    };
    changed += tx.execute_set(&RENAME, ids[..6].iter().map(rename)).await?;
    changed += tx.execute_set(&RENAME, ids[6..8].iter().map(rename)).await?;
    Ok(changed)
}

async fn kinds(db: &Db, tenant: i64, flag: Option<bool>) -> Vec<Kind> {
    db.rows(&READ, params![tenant, flag, 100], read).await.unwrap()
}

#[tokio::test]
async fn rows_are_the_same_with_and_without_prepared_statements() {
    let test = TestDb::alone(Engine::Postgres).await;
    let made = "CREATE TABLE kinds (tenant_id BIGINT NOT NULL, id BYTEA NOT NULL, name TEXT, flag BOOLEAN NOT NULL, \
        size BIGINT, PRIMARY KEY (tenant_id, id))";
    test.db.each(&composed(made), &[], |_| Ok(())).await.unwrap();
    let mut read = Vec::new();
    for (tenant, options) in (1..).zip(OPTIONS) {
        let db = Db::open_with(&test.location, options).unwrap();
        let changed = db.write(tenant, |tx, tenant| Box::pin(write_kinds(tx, *tenant))).await.unwrap();
        assert_eq!(changed, 19, "{options:?}");
        read.push((kinds(&db, tenant, None).await, kinds(&db, tenant, Some(false)).await));
        let kept = db.rows(&composed("SELECT name FROM pg_prepared_statements"), &[], |_| Ok(())).await.unwrap();
        assert_eq!(kept.is_empty(), !options.prepared, "{options:?}");
    }
    assert_eq!(read[0].0.len(), 11);
    assert_eq!(read[0].0[3], (Some(3), Some("ü3".to_owned()), true));
    assert_eq!(read[0].0[9], (Some(7), None, true));
    assert_eq!(read[0].1, [(None, Some("last".to_owned()), false)]);
    assert!(read.iter().all(|one| *one == read[0]), "{read:?}");
}

async fn sleep_in_transaction(tx: &mut Tx<'_>) -> store::Result<()> {
    tx.execute(&composed("SELECT pg_sleep(60)"), &[]).await.map(drop)
}

#[tokio::test]
async fn a_statement_that_takes_too_long_is_cancelled() {
    let test = TestDb::postgres().await;
    for options in OPTIONS.into_iter().filter(|options| options.statement_timeout.is_some()) {
        let db = Db::open_with(&test.location, options).unwrap();
        let alone = db.each(&composed("SELECT pg_sleep(60)"), &[], |_| Ok(())).await;
        let within = db.write((), |tx, ()| Box::pin(sleep_in_transaction(tx))).await;
        for outcome in [alone, within] {
            assert!(matches!(outcome, Err(Error::Unavailable(_))), "{options:?}: {outcome:?}");
        }
        assert_eq!(db.row(&composed("SELECT 1::bigint"), &[], read::<i64>).await.unwrap(), Some(1));
    }
}

#[tokio::test]
async fn background_work_finds_a_connection_while_requests_hold_all_of_theirs() {
    let test = TestDb::postgres().await;
    let (db, gate) = (test.another_handle(), Arc::new(Semaphore::new(0)));
    // Of four connections all requests together get three; the fourth request waits.
    let requests = (0..4).map(|_| {
        let (db, gate) = (db.clone(), gate.clone());
        tokio::spawn(store::for_tenant(random_tenant(), async move {
            db.write(gate, |tx, gate| Box::pin(wait_in_transaction(tx, gate))).await
        }))
    });
    let requests: Vec<_> = requests.collect();
    for _ in 0..50 {
        assert_eq!(db.row(&composed("SELECT 1::bigint"), &[], read::<i64>).await.unwrap(), Some(1));
    }
    gate.add_permits(4);
    for request in requests {
        request.await.unwrap().unwrap();
    }
}

async fn wait_in_transaction(tx: &mut Tx<'_>, gate: &Semaphore) -> store::Result<()> {
    tx.execute(&composed("SELECT 1"), &[]).await?;
    let _ = gate.acquire().await;
    Ok(())
}
