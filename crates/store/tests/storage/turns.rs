//! Turns by tenant at what all tenants share.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::task::{Context, Waker};
use std::time::Duration;

use domain::TenantId;
use futures_util::future::{BoxFuture, join_all};
use store::{BatchSize, Db, Engine, Error, Statement};
use testkit::database::TestDb;

type Order = Arc<Mutex<Vec<&'static str>>>;

fn tenant(number: u32) -> TenantId {
    (100_000 + number).to_string().parse().unwrap()
}

/// A transaction that notes its name, after it has waited for `gate` if there is one.
fn noting(
    db: &Db,
    of: TenantId,
    name: &'static str,
    order: &Order,
    gate: Option<Receiver<()>>,
) -> BoxFuture<'static, Result<(), Error>> {
    let (db, input) = (db.clone(), (Arc::clone(order), Mutex::new(gate)));
    Box::pin(store::for_tenant(of, async move {
        db.write(input, move |_, (order, gate)| {
            Box::pin(async move {
                if let Some(gate) = gate.lock().unwrap().take() {
                    gate.recv().unwrap();
                }
                order.lock().unwrap().push(name);
                Ok::<_, Error>(())
            })
        })
        .await
    }))
}

/// Polls the transaction once, which queues it.
fn begin(work: &mut BoxFuture<'static, Result<(), Error>>) {
    assert!(work.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
}

fn gate() -> (Sender<()>, Receiver<()>) {
    channel()
}

#[tokio::test]
async fn many_transactions_of_one_tenant_do_not_delay_another_s() {
    let test = TestDb::sqlite().await;
    let (order, (open, closed)) = (Order::default(), gate());
    let mut all = vec![noting(&test.db, tenant(1), "first", &order, Some(closed))];
    begin(&mut all[0]);
    for _ in 0..50 {
        let mut next = noting(&test.db, tenant(1), "greedy", &order, None);
        begin(&mut next);
        all.push(next);
    }
    let mut neighbour = noting(&test.db, tenant(2), "neighbour", &order, None);
    begin(&mut neighbour);
    all.push(neighbour);
    open.send(()).unwrap();
    assert!(join_all(all).await.iter().all(Result::is_ok));
    let order = order.lock().unwrap();
    let place = order.iter().position(|name| *name == "neighbour").unwrap();
    assert!(place <= 2 && order.len() == 52, "{place}: {order:?}");
}

#[tokio::test]
async fn a_long_transaction_does_not_delay_the_commit_of_a_short_one() {
    let test = TestDb::sqlite().await;
    let (order, (open, closed), (open_second, closed_second)) = (Order::default(), gate(), gate());
    let mut first = noting(&test.db, tenant(1), "first", &order, Some(closed));
    begin(&mut first);
    let mut second = noting(&test.db, tenant(1), "second", &order, Some(closed_second));
    begin(&mut second);
    let mut neighbour = noting(&test.db, tenant(2), "neighbour", &order, None);
    begin(&mut neighbour);
    // So the next one of this tenant is taken to be long too.
    std::thread::sleep(Duration::from_millis(5));
    open.send(()).unwrap();
    // Answered while the second waits for its gate: it is not in the same group.
    tokio::time::timeout(Duration::from_secs(30), neighbour).await.unwrap().unwrap();
    open_second.send(()).unwrap();
    first.await.unwrap();
    second.await.unwrap();
    assert_eq!(*order.lock().unwrap(), ["first", "neighbour", "second"]);
}

#[tokio::test]
async fn a_transaction_whose_caller_is_gone_before_its_turn_is_not_run() {
    let test = TestDb::sqlite().await;
    let (order, (open, closed)) = (Order::default(), gate());
    let mut first = noting(&test.db, tenant(1), "first", &order, Some(closed));
    begin(&mut first);
    let mut gone = noting(&test.db, tenant(1), "gone", &order, None);
    begin(&mut gone);
    drop(gone);
    open.send(()).unwrap();
    first.await.unwrap();
    noting(&test.db, tenant(1), "last", &order, None).await.unwrap();
    assert_eq!(*order.lock().unwrap(), ["first", "last"]);
}

#[tokio::test]
async fn a_preview_does_not_wait_for_the_writer() {
    let test = TestDb::sqlite().await;
    let (order, (open, closed)) = (Order::default(), gate());
    let mut first = noting(&test.db, tenant(1), "first", &order, Some(closed));
    begin(&mut first);
    let read = test.db.preview(tenant(3), |tx, of| Box::pin(store::people::segments::list_in(tx, *of)));
    assert!(read.await.unwrap().is_empty());
    open.send(()).unwrap();
    first.await.unwrap();
}

/// Reads one row, which takes some time, and returns whether the reading thread was one for computing.
async fn read_slowly(db: &Db, millis: u64) -> bool {
    static ONE: Statement = Statement::new("test.one", "SELECT 1");
    let mut computed = None;
    let visit = |_: &store::Row<'_>| {
        std::thread::sleep(Duration::from_millis(millis));
        computed = Some(store::is_computing());
        Ok(())
    };
    db.each(&ONE, &[], visit).await.unwrap();
    computed.unwrap()
}

testkit::both_databases! {
    async fn work_that_has_read_for_long_goes_on_in_turns_at_the_compute_threads(test) {
        let work = async || {
            assert!(!read_slowly(&test.db, 20).await, "a short read runs where it is asked for");
            for _ in 0..5 {
                assert!(read_slowly(&test.db, 1).await);
            }
        };
        store::for_tenant(test.tenant, work()).await;
        store::in_background(work()).await;
        store::for_tenant(test.tenant, store::in_same_turns(work())).await;
    }

    async fn transactions_of_a_batch_are_bounded_by_time_on_sqlite(test) {
        let mut size = BatchSize::new(&test.db, 1000);
        let slow = test.db.write_timed((), |_, ()| {
            Box::pin(async {
                std::thread::sleep(Duration::from_millis(200));
                Ok::<_, Error>(())
            })
        });
        let ((), took) = slow.await.unwrap();
        let before = size.rows();
        size.record(took).await;
        match test.db.engine() {
            Engine::Sqlite => assert!(took >= Duration::from_millis(200) && size.rows() < before, "{took:?}: {size:?}"),
            Engine::Postgres => assert_eq!((took, before, size.rows()), (Duration::ZERO, 1000, 1000)),
        }
    }

    async fn a_preview_leaves_nothing_behind(test) {
        let outcome: Result<u64, Error> = test.db.preview(test.tenant, |tx, tenant| {
            Box::pin(async move { store::people::segments::remove(tx, *tenant, domain::Id::from_bytes([1; 12])).await.map(u64::from) })
        }).await;
        assert_eq!(outcome.unwrap(), 0);
    }
}
