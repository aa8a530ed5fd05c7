//! Transactions: commits, rollbacks and repeated runs.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, mpsc};

use domain::delivery::events::{DefectiveWebhook, Fact};
use domain::identity::audit::AuditEntry;
use domain::{Id, TenantId};
use futures_util::future::{join_all, try_join_all};
use store::identity::audit;
use store::platform::limits;
use store::{Db, Error, Failure, Statement, Tx};
use testkit::database::TestDb;
use tokio::sync::Barrier;

use crate::fixtures::START;

/// An error of a body, which is either one of the store or the body's own.
#[derive(Debug)]
enum Refused {
    Store(Error),
    ByBody,
}

impl From<Error> for Refused {
    fn from(error: Error) -> Self {
        Self::Store(error)
    }
}

impl Failure for Refused {
    fn store_error(&self) -> Option<&Error> {
        match self {
            Self::Store(error) => Some(error),
            Self::ByBody => None,
        }
    }
}

async fn record(tx: &mut Tx<'_>, tenant: TenantId, action: &str) -> store::Result<()> {
    let entry = AuditEntry {
        id: Id::new(START),
        at: START,
        actor: "test".to_owned(),
        action: action.to_owned(),
        subject: String::new(),
        details: "{}".to_owned(),
        address: None,
        request_id: None,
    };
    audit::append(tx, tenant, &entry).await
}

async fn write_record(db: &Db, tenant: TenantId, action: &'static str) -> store::Result<()> {
    db.write((tenant, action), |tx, (tenant, action)| Box::pin(record(tx, *tenant, action))).await
}

async fn refuse_after_write(db: &Db, tenant: TenantId) -> Result<(), Refused> {
    let body = db.write(tenant, |tx, tenant| {
        Box::pin(async move {
            record(tx, *tenant, "refused").await?;
            Err(Refused::ByBody)
        })
    });
    body.await
}

/// Panics after a write, in a separate task: on PostgreSQL the panic of a body reaches its caller.
async fn panic_after_write(test: &TestDb) -> Result<store::Result<()>, tokio::task::JoinError> {
    let (db, tenant) = (test.db.clone(), test.tenant);
    let body = async move {
        db.write(tenant, |tx, tenant| {
            Box::pin(async move {
                record(tx, *tenant, "panicked").await?;
                panic_on_purpose()
            })
        })
        .await
    };
    tokio::spawn(body).await
}

fn panic_on_purpose() -> store::Result<()> {
    panic!("on purpose")
}

async fn actions(test: &TestDb) -> Vec<String> {
    let entries = audit::latest(&test.db, test.tenant, 10_000).await.unwrap();
    let mut actions: Vec<String> = entries.into_iter().map(|entry| entry.action).collect();
    actions.sort_unstable();
    actions
}

fn defective() -> DefectiveWebhook {
    DefectiveWebhook {
        webhook_id: Id::new(START),
        url: "https://example.com/hook".to_owned(),
        failed_attempts: 101,
        failing_since: START,
        last_delivered: None,
    }
}

async fn take_one(db: &Db, tenant: TenantId) -> store::Result<Option<i64>> {
    db.write(tenant, |tx, tenant| Box::pin(limits::take(tx, *tenant, "counter", START, 1, i64::MAX))).await
}

testkit::both_databases! {
    async fn a_body_that_errs_leaves_nothing(test) {
        let refused = refuse_after_write(&test.db, test.tenant).await;
        assert!(matches!(refused, Err(Refused::ByBody)), "{refused:?}");
        assert!(actions(&test).await.is_empty());
    }

    async fn a_failing_body_does_not_affect_the_others(test) {
        let refused = join_all((0..50).map(|_| refuse_after_write(&test.db, test.tenant)));
        let kept = try_join_all((0..50).map(|_| write_record(&test.db, test.tenant, "kept")));
        let (refused, kept) = tokio::join!(refused, kept);
        assert!(refused.iter().all(|outcome| matches!(outcome, Err(Refused::ByBody))));
        assert_eq!(kept.unwrap().len(), 50);
        assert_eq!(actions(&test).await, ["kept"; 50]);
    }

    async fn a_statement_that_fails_leaves_nothing_of_its_body(test) {
        static WRONG: Statement = Statement::new("wrong", "INSERT INTO epochs (tenant_id, name, value) VALUES ($1, 'x', NULL)");
        let outcome = test.db.write(test.tenant, |tx, tenant| Box::pin(async move {
            record(tx, *tenant, "before").await?;
            tx.execute(&WRONG, store::params![*tenant]).await
        })).await;
        assert!(matches!(outcome, Err(Error::Statement { .. })), "{outcome:?}");
        assert!(actions(&test).await.is_empty());
    }

    async fn a_body_that_panics_leaves_nothing_and_the_next_one_works(test) {
        let outcome = panic_after_write(&test).await;
        match test.db.engine() {
            store::Engine::Sqlite => assert!(matches!(outcome, Ok(Err(Error::Panicked))), "{outcome:?}"),
            store::Engine::Postgres => assert!(outcome.unwrap_err().is_panic()),
        }
        write_record(&test.db, test.tenant, "kept").await.unwrap();
        assert_eq!(actions(&test).await, ["kept"]);
    }

    async fn a_duplicate_is_the_same_error_on_both_engines(test) {
        static NEW: Statement = Statement::new("new", "INSERT INTO epochs (tenant_id, name, value) VALUES ($1, 'x', 1)");
        let insert = || test.db.write(test.tenant, |tx, tenant| Box::pin(async move {
            tx.execute(&NEW, store::params![*tenant]).await
        }));
        assert_eq!(insert().await.unwrap(), 1);
        let again = insert().await;
        assert!(matches!(&again, Err(Error::Duplicate { statement, .. }) if statement == "new"), "{again:?}");
    }

    async fn every_tenant_to_whose_log_a_transaction_appends_is_woken(test) {
        let tenants = [test.tenant, TenantId::from_number(test.tenant.number() + 1_000_000)];
        test.db.take_appended();
        let append = test.db.write(tenants, |tx, tenants| Box::pin(async move {
            for tenant in tenants {
                store::delivery::events::append(tx, *tenant, &[Fact::webhook_defective(START, &defective())]).await?;
            }
            Ok::<_, Error>(())
        }));
        append.await.unwrap();
        let woken = test.db.take_appended();
        assert!(tenants.iter().all(|tenant| woken.contains(tenant)), "{woken:?}");
        assert!(test.db.take_appended().is_empty());
    }

    async fn a_transaction_sees_what_it_wrote(test) {
        let seen = test.db.write(test.tenant, |tx, tenant| Box::pin(async move {
            limits::take(tx, *tenant, "counter", START, 3, 10).await?;
            limits::take(tx, *tenant, "counter", START, 4, 10).await
        }));
        assert_eq!(seen.await.unwrap(), Some(7));
    }

    async fn a_thousand_writes_at_once_are_all_kept(test) {
        let written = join_all((0..1000).map(|_| write_record(&test.db, test.tenant, "kept"))).await;
        // On a busy machine the last of them may wait for a connection longer than PostgreSQL's pool allows.
        let is_late = |error: &Error| matches!(error, Error::Unavailable(_));
        assert!(written.iter().all(|one| one.as_ref().err().is_none_or(is_late)), "{written:?}");
        let kept = written.iter().filter(|one| one.is_ok()).count();
        assert!(kept >= 100, "{kept}");
        assert_eq!(actions(&test).await.len(), kept);
    }

    async fn an_acknowledged_write_is_seen_by_every_handle(test) {
        let other = test.another_handle();
        for number in 1..=20 {
            let counted = take_one(&test.db, test.tenant).await.unwrap();
            assert_eq!(counted, Some(number));
            assert_eq!(limits::used(&other, test.tenant, "counter", START).await.unwrap(), number);
        }
    }

    async fn counting_from_two_handles_loses_nothing(test) {
        let other = test.another_handle();
        let before = store::base::epochs::credentials(&test.db).await.unwrap();
        let count = |db: Db| async move {
            for _ in 0..50 {
                take_one(&db, test.tenant).await.unwrap();
                db.write((), |tx, ()| Box::pin(store::base::epochs::bump_credentials(tx))).await.unwrap();
            }
        };
        tokio::join!(count(test.db.clone()), count(test.db.clone()), count(other.clone()), count(other));
        assert_eq!(limits::used(&test.db, test.tenant, "counter", START).await.unwrap(), 200);
        assert!(store::base::epochs::credentials(&test.db).await.unwrap() - before >= 200);
    }

    async fn an_update_of_what_was_read_waits_for_the_one_before(test) {
        let first = crate::fixtures::call("wacid.1", START, 0);
        crate::fixtures::store_calls(&test, test.tenant, std::slice::from_ref(&first)).await;
        let add = || test.db.write((test.tenant, first.id), |tx, (tenant, id)| Box::pin(async move {
            let mut call = store::calls::for_update(&mut *tx, *tenant, *id).await?.unwrap();
            call.team_name = Some(format!("{}x", call.team_name.unwrap_or_default()));
            store::calls::update(tx, *tenant, &call).await
        }));
        try_join_all((0..20).map(|_| add())).await.unwrap();
        let read = test.db.write((test.tenant, first.id), |tx, (tenant, id)| Box::pin(store::calls::for_update(tx, *tenant, *id)));
        assert_eq!(read.await.unwrap().unwrap().team_name, Some("x".repeat(20)));
    }
}

/// Blocks the writer until the test has queued the other members of the group.
async fn hold_writer(db: &Db, tenant: TenantId, gate: mpsc::Receiver<()>) -> store::Result<()> {
    let body = db.write((tenant, Mutex::new(gate)), |tx, (tenant, gate)| {
        Box::pin(async move {
            gate.lock().unwrap().recv().unwrap();
            record(tx, *tenant, "holder").await
        })
    });
    body.await
}

#[tokio::test]
async fn on_sqlite_one_group_keeps_those_that_succeed() {
    let test = TestDb::sqlite().await;
    let (open, gate) = mpsc::channel();
    // Polled in this order, so the gate opens after all others are queued.
    let (held, refused, panicked, kept, ()) = tokio::join!(
        hold_writer(&test.db, test.tenant, gate),
        refuse_after_write(&test.db, test.tenant),
        test.db.write((), |_, ()| Box::pin(async { panic_on_purpose() })),
        write_record(&test.db, test.tenant, "kept"),
        async { open.send(()).unwrap() },
    );
    assert!(held.is_ok() && kept.is_ok(), "{held:?} {kept:?}");
    assert!(matches!(refused, Err(Refused::ByBody)), "{refused:?}");
    assert!(matches!(panicked, Err(Error::Panicked)), "{panicked:?}");
    assert_eq!(actions(&test).await, ["holder", "kept"]);
}

#[tokio::test]
async fn on_sqlite_no_caller_of_a_failed_commit_gets_a_success() {
    // Rolls the group back, as SQLite does by itself when the disk is full.
    static ROLLBACK: Statement = Statement::new("rollback", "ROLLBACK");
    let test = TestDb::sqlite().await;
    let (open, gate) = mpsc::channel();
    let (held, before, lost, after, ()) = tokio::join!(
        hold_writer(&test.db, test.tenant, gate),
        write_record(&test.db, test.tenant, "before"),
        test.db.write((), |tx, ()| Box::pin(tx.execute(&ROLLBACK, &[]))),
        write_record(&test.db, test.tenant, "after"),
        async { open.send(()).unwrap() },
    );
    assert!(held.is_err() && before.is_err() && lost.is_err(), "{held:?} {before:?} {lost:?}");
    let kept: &[&str] = if after.is_ok() { &["after"] } else { &[] };
    assert_eq!(actions(&test).await, kept, "only acknowledged writes are there");
    write_record(&test.db, test.tenant, "later").await.unwrap();
}

#[tokio::test]
async fn on_sqlite_a_body_may_not_wait_for_anything_else() {
    let test = TestDb::sqlite().await;
    let outcome = test.db.write(test.tenant, |tx, tenant| {
        Box::pin(async move {
            record(tx, *tenant, "waited").await?;
            tokio::task::yield_now().await;
            store::Result::Ok(())
        })
    });
    let outcome = outcome.await;
    assert!(matches!(outcome, Err(Error::ForeignAwait)), "{outcome:?}");
    write_record(&test.db, test.tenant, "kept").await.unwrap();
    assert_eq!(actions(&test).await, ["kept"]);
}

/// Updates two rows. With another task that updates them in the opposite order, the first runs deadlock.
async fn cross(test: &TestDb, barrier: &Arc<Barrier>, attempts: &Arc<AtomicU32>, order: [&'static str; 2]) {
    let input = (test.tenant, order, Arc::clone(barrier), Arc::clone(attempts), AtomicU32::new(0));
    let body = test.db.write(input, |tx, (tenant, order, barrier, attempts, own)| {
        Box::pin(async move {
            attempts.fetch_add(1, Ordering::Relaxed);
            limits::take(tx, *tenant, order[0], START, 1, 10).await?;
            if own.fetch_add(1, Ordering::Relaxed) == 0 {
                barrier.wait().await;
            }
            limits::take(tx, *tenant, order[1], START, 1, 10).await
        })
    });
    assert!(body.await.unwrap().is_some());
}

#[tokio::test]
async fn on_postgres_a_deadlock_is_tried_again() {
    let test = TestDb::postgres().await;
    for bucket in ["a", "b"] {
        let row = test.db.write((test.tenant, bucket), |tx, (tenant, bucket)| {
            Box::pin(limits::take(tx, *tenant, bucket, START, 0, 10))
        });
        row.await.unwrap();
    }
    let (barrier, attempts) = (Arc::new(Barrier::new(2)), Arc::new(AtomicU32::new(0)));
    tokio::join!(cross(&test, &barrier, &attempts, ["a", "b"]), cross(&test, &barrier, &attempts, ["b", "a"]));
    assert_eq!(attempts.load(Ordering::Relaxed), 3, "one of the two ran again");
    for bucket in ["a", "b"] {
        assert_eq!(limits::used(&test.db, test.tenant, bucket, START).await.unwrap(), 2);
    }
}

/// Fails `times` times with a serialization failure; returns the number of runs and the outcome.
async fn fail_to_serialize(test: &TestDb, times: u32) -> (u32, store::Result<()>) {
    static FAIL: Statement =
        Statement::new("fail", "DO 'BEGIN RAISE EXCEPTION USING ERRCODE = ''serialization_failure''; END'");
    let runs = Arc::new(AtomicU32::new(0));
    let input = (test.tenant, times, Arc::clone(&runs));
    let body = test.db.write(input, |tx, (tenant, times, runs)| {
        Box::pin(async move {
            record(tx, *tenant, "serialized").await?;
            if runs.fetch_add(1, Ordering::Relaxed) < *times {
                tx.execute(&FAIL, &[]).await?;
            }
            Ok(())
        })
    });
    let outcome = body.await;
    (runs.load(Ordering::Relaxed), outcome)
}

#[tokio::test]
async fn on_postgres_a_serialization_failure_is_tried_again() {
    let test = TestDb::postgres().await;
    let (runs, outcome) = fail_to_serialize(&test, 2).await;
    assert!(outcome.is_ok(), "{outcome:?}");
    assert_eq!(runs, 3);
    assert_eq!(actions(&test).await, ["serialized"], "the tries that failed left nothing");
}

#[tokio::test]
async fn on_postgres_the_tries_end() {
    let test = TestDb::postgres().await;
    let (runs, outcome) = fail_to_serialize(&test, u32::MAX).await;
    assert!(matches!(outcome, Err(Error::TryAgain(_))), "{outcome:?}");
    assert!((2..50).contains(&runs), "{runs}");
    assert!(actions(&test).await.is_empty());
}
