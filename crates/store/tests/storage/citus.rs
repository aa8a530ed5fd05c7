//! A database that Citus distributes. These tests run where `SWITCHBOARD_TEST_CITUS` is set, each in a database of its
//! own; elsewhere they say that they are skipped.

use std::sync::Mutex;

use domain::{Clock, TenantId};
use store::base::citus::{
    CitusError, DistributionStep, MoveStep, TransferMode, cluster, move_tenant, perform_step, place_of,
    plan_distribution, plan_move, reachable_rows,
};
use store::base::installation;
use store::base::tables::TABLES;
use store::migrations::{MIGRATIONS, Migration, apply};
use store::{Db, Error, Param, Statement, read};
use testkit::citus::{CitusDatabase, distribute};

use crate::fixtures::run;

/// PostgreSQL replaces a statement's plan, made for its values, by one for any values after five runs. Citus refuses
/// some statements only then.
const RUNS: usize = 8;
/// Enough for a statement over arrays.
const BATCH: i64 = 5;

async fn texts(db: &Db, sql: &str) -> Vec<String> {
    db.rows(&Statement::composed("test", sql.to_owned()), &[], read).await.unwrap()
}

/// The types of the parameters that a connection has prepared a statement with.
async fn types(db: &Db, statement: &Statement) -> Vec<String> {
    static TYPES: Statement = Statement::new(
        "test.types",
        "SELECT COALESCE(array_to_string(parameter_types, ','), '') FROM pg_prepared_statements WHERE statement = $1",
    );
    db.prepare(statement).await.unwrap();
    let text: Option<String> = db.row(&TYPES, &[Param::Text(statement.for_postgres())], read).await.unwrap();
    text.unwrap().split(',').filter(|name| !name.is_empty()).map(str::to_owned).collect()
}

/// Values of a row that fit the types. Texts are empty JSON arrays, because some statements read them as JSON.
fn row(types: &[String], number: i64) -> Vec<Param<'static>> {
    let value = |(at, name): (usize, &String)| match name.as_str() {
        "bigint" if at == 0 => Param::Int(7),
        "bigint" => Param::Int(7 + number),
        "boolean" => Param::Bool(true),
        "bytea" => Param::OwnedBytes((number + 1).to_be_bytes().repeat(2)[..12].to_vec()),
        _ => Param::Owned(format!("[{}]", " ".repeat(usize::try_from(number).unwrap()))),
    };
    types.iter().enumerate().map(value).collect()
}

/// Whether the database ran the statement, though its values do not fit the rows that are there.
fn has_run(error: &Error) -> bool {
    let data = ["violates", "cannot affect row a second time", "out of range", "invalid input", "negative"];
    match error {
        Error::Duplicate { .. } => true,
        Error::Statement { message, .. } => data.iter().any(|part| message.contains(part)),
        _ => false,
    }
}

#[tokio::test]
async fn every_statement_runs_eight_times() {
    let Some(database) = CitusDatabase::distributed().await else { return };
    let db = database.open_one();
    let mut refused = Vec::new();
    let (mut statements, mut runs) = (0, 0);
    for statement in store::statements() {
        let types = types(&db, statement).await;
        statements += 1;
        for number in 0..RUNS {
            let one = db.preview((statement, row(&types, 0)), |tx, (statement, row)| {
                Box::pin(async move { tx.rows(statement, row, |_| Ok(())).await.map(drop) })
            });
            let one = one.await;
            let is_change = !statement.text().starts_with("SELECT") && !types.is_empty();
            let rows: Vec<_> = (0..BATCH).map(|number| row(&types, number)).collect();
            let many = db.preview((statement, rows, is_change), |tx, (statement, rows, is_change)| {
                Box::pin(
                    async move { if *is_change { tx.execute_set(statement, rows).await.map(drop) } else { Ok(()) } },
                )
            });
            for outcome in [one, many.await] {
                runs += 1;
                if let Err(error) = outcome.as_ref()
                    && !has_run(error)
                {
                    refused.push(format!("{} in run {number}: {error}", statement.name()));
                }
            }
        }
    }
    assert!(refused.is_empty(), "{}", refused.join("\n"));
    println!("{statements} statements, {runs} runs");
    drop(db);
    database.remove().await;
}

/// All workers respond here, so both ways must find the same.
#[tokio::test]
async fn reads_for_the_tenants_of_responding_workers_find_their_rows_in_order() {
    let Some(database) = CitusDatabase::distributed().await else { return };
    let db = database.open_one();
    for tenant in 1..30 {
        let due = 1000 - tenant;
        let log = "INSERT INTO event_logs (tenant_id, last, dropped, holder, until, moved_at) VALUES";
        run(&db, &format!("{log} ({tenant}, 5, 0, 'node', 0, 100)")).await;
        let webhook = "INSERT INTO sandbox_due (tenant_id, channel_id, due_at, id, tries, doc) VALUES";
        run(&db, &format!("{webhook} ({tenant}, '\\x01', {due}, 'one', 0, '{{}}')")).await;
    }
    let mut found = Vec::new();
    for statement in store::limited_reads() {
        let params = row(&types(&db, statement).await, 0);
        let plain = db.rows(statement, &params, |_| Ok(())).await.unwrap();
        let limited = reachable_rows(&db, statement, &params, |_| Ok(())).await.unwrap();
        assert_eq!(plain.len(), limited.len(), "{}", statement.name());
        found.push((statement.name(), limited.len()));
    }
    for expected in
        [("events.moved_since", 29), ("events.tenants", 29), ("activity.behind", 29), ("sandbox.due.next", 1)]
    {
        assert!(found.contains(&expected), "{found:?}");
    }
    let next = store::limited_reads().into_iter().find(|statement| statement.name() == "sandbox.due.next").unwrap();
    let first: Vec<(i64, i64)> = reachable_rows(&db, next, &[Param::Int(7)], read).await.unwrap();
    assert_eq!(first, [(971, 29)], "the first of all tenants");
    drop(db);
    database.remove().await;
}

#[tokio::test]
async fn a_distribution_that_was_cut_short_goes_on() {
    let Some(database) = CitusDatabase::create().await else { return };
    let db = database.open();
    store::migrate(&db, &Clock::system()).await.unwrap();
    run(&db, "INSERT INTO installation (tenant_id, name, value) VALUES (0, 'test', 'kept')").await;
    let plan = plan_distribution(&db, 4).await.unwrap();
    assert_eq!(plan.steps.len(), TABLES.len() + 2);
    for done in 1..5 {
        let plan = plan_distribution(&db, 4).await.unwrap();
        perform_step(&db, &plan, &plan.steps[0]).await.unwrap();
        let left = plan_distribution(&db, 4).await.unwrap().steps;
        assert_eq!(left.len(), TABLES.len() + 2 - done, "{left:?}");
    }
    let cluster = distribute(&db).await;
    assert!(cluster.is_distributed && plan_distribution(&db, 4).await.unwrap().steps.is_empty());
    let place = place_of(&db, &cluster, TenantId::INSTALLATION).await.unwrap().unwrap();
    assert!(place.server.is_coordinator() && place.is_alone, "{place:?}");
    assert_eq!(texts(&db, "SELECT value FROM installation WHERE tenant_id = 0 AND name = 'test'").await, ["kept"]);
    // No row is left in the tables of the coordinator's own.
    let local = "SELECT c.relname::text FROM pg_class c JOIN pg_dist_partition p ON p.logicalrelid = c.oid
         WHERE pg_relation_size(c.oid) > 0";
    assert_eq!(texts(&db, local).await, Vec::<String>::new());
    let coordinator: i64 = texts(&db, "SELECT pg_database_size(current_database())::text").await[0].parse().unwrap();
    let all = installation::size_bytes(&db).await.unwrap().unwrap();
    assert!(all > 2 * coordinator, "{all} bytes on all servers, {coordinator} on the coordinator");
    drop(db);
    database.remove().await;
}

#[tokio::test]
async fn tenant_0_returns_to_the_coordinator_after_a_rebalance() {
    let Some(database) = CitusDatabase::distributed().await else { return };
    let db = database.open();
    let found = cluster(&db).await.unwrap().unwrap();
    let worker = found.workers().next().unwrap().address.clone();
    let away = plan_move(&db, TenantId::INSTALLATION, &worker).await.unwrap();
    move_tenant(&db, &away, TransferMode::BlockWrites, &|_| {}).await.unwrap();
    let steps = plan_distribution(&db, 4).await.unwrap().steps;
    assert_eq!(steps, [DistributionStep::PlaceInstallation]);
    let cluster = distribute(&db).await;
    assert!(place_of(&db, &cluster, TenantId::INSTALLATION).await.unwrap().unwrap().server.is_coordinator());
    drop(db);
    database.remove().await;
}

const LATER: [Migration; 2] = [
    Migration {
        name: "9001_ships",
        sql: "-- Ships.\nCREATE TABLE IF NOT EXISTS ships (tenant_id BIGINT NOT NULL, name TEXT NOT NULL,
            PRIMARY KEY (tenant_id, name));
            CREATE INDEX IF NOT EXISTS ships_name ON ships (tenant_id, name)",
    },
    Migration {
        name: "9002_later",
        sql: "ALTER TABLE calls ADD COLUMN IF NOT EXISTS ship TEXT;
            CREATE INDEX IF NOT EXISTS tenants_plan ON tenants (plan);
            INSERT INTO ships (tenant_id, name) VALUES (1, 'Argo') ON CONFLICT DO NOTHING",
    },
];

/// A server of the old version goes on writing.
#[tokio::test]
async fn a_distributed_database_migrates_while_it_is_used() {
    let Some(database) = CitusDatabase::distributed().await else { return };
    let db = database.open();
    let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    let writer = tokio::spawn({
        let db = database.open();
        async move {
            let mut stopped = stopped;
            let mut written = 0;
            while stopped.try_recv().is_err() {
                written += 1;
                let sql = "INSERT INTO tenants (tenant_id, name, plan, created_at, updated_at) VALUES";
                run(&db, &format!("{sql} ({written}, 'n', 'p', 1, 1)")).await;
            }
            written
        }
    });
    let steps = [MIGRATIONS, &LATER].concat();
    let applied = apply(&db, &Clock::system(), &steps).await.unwrap();
    assert_eq!(applied, LATER.map(|step| step.name));
    assert!(apply(&db, &Clock::system(), &steps).await.unwrap().is_empty());
    stop.send(()).unwrap();
    let written = writer.await.unwrap();
    assert!(written > 0);
    let counted = texts(&db, "SELECT COUNT(*)::text FROM tenants").await;
    assert_eq!(counted, [written.to_string()], "every write is there once");
    let colocated = "SELECT p.logicalrelid::text FROM pg_dist_partition p WHERE p.logicalrelid = 'ships'::regclass
        AND p.colocationid = (SELECT colocationid FROM pg_dist_partition WHERE logicalrelid = 'tenants'::regclass)";
    assert_eq!(texts(&db, colocated).await, ["ships"]);
    assert_eq!(texts(&db, "SELECT name FROM ships WHERE tenant_id = 1").await, ["Argo"]);
    // A step that was applied and not recorded runs again.
    run(&db, "DELETE FROM schema_migrations WHERE tenant_id = 0 AND name = '9001_ships'").await;
    assert_eq!(apply(&db, &Clock::system(), &steps).await.unwrap(), ["9001_ships"]);
    drop(db);
    database.remove().await;
}

#[tokio::test]
async fn a_tenant_moves_with_its_rows_and_twice_is_once() {
    let Some(database) = CitusDatabase::distributed().await else { return };
    let db = database.open();
    for tenant in 1..30 {
        run(&db, &format!("INSERT INTO media_usage (tenant_id, bytes, files) VALUES ({tenant}, {tenant}, 1)")).await;
    }
    let tenant = TenantId::from_number(5);
    let found = cluster(&db).await.unwrap().unwrap();
    let from = place_of(&db, &found, tenant).await.unwrap().unwrap().server.address;
    let to = found.workers().find(|worker| worker.address != from).unwrap().address.clone();
    let plan = plan_move(&db, tenant, &to).await.unwrap();
    assert!(plan.moves && plan.separates && plan.from == from);
    let reports = Mutex::new(Vec::new());
    move_tenant(&db, &plan, TransferMode::Online, &|progress| reports.lock().unwrap().push(progress)).await.unwrap();
    let reports = reports.into_inner().unwrap();
    for step in [MoveStep::Separate, MoveStep::Copy] {
        let last = reports.iter().rfind(|report| report.step == step).unwrap();
        assert!(last.total > 0 && last.copied > 0, "{reports:?}");
    }
    assert!(reports.iter().any(|report| report.phase.as_deref() == Some("copying data")), "{reports:?}");
    let place = place_of(&db, &found, tenant).await.unwrap().unwrap();
    assert!(place.is_alone && place.server.address == to, "{place:?}");
    let again = plan_move(&db, tenant, &to).await.unwrap();
    assert!(!again.moves && !again.separates);
    let kept = "SELECT string_agg(bytes::text, ',' ORDER BY bytes) FROM media_usage";
    let all: Vec<String> = (1..30).map(|number: i32| number.to_string()).collect();
    assert_eq!(texts(&db, kept).await, [all.join(",")]);
    let unknown = plan_move(&db, tenant, &"nowhere:1".parse().unwrap()).await.unwrap_err();
    assert!(matches!(unknown, CitusError::UnknownWorker { .. }), "{unknown}");
    drop(db);
    database.remove().await;
}
