//! What was used of limits: takes, leases and sweeps.

use domain::{TenantId, Timestamp};
use store::platform::limits::{self, Demand, Leased, NotTaken};
use testkit::database::TestDb;

use crate::fixtures::START;

async fn take_in(
    test: &TestDb,
    tenant: TenantId,
    bucket: &str,
    window: Timestamp,
    amount: i64,
    limit: i64,
) -> Option<i64> {
    let input = (tenant, bucket.to_owned(), window, amount, limit);
    let taken = test.db.write(input, |tx, (tenant, bucket, window, amount, limit)| {
        Box::pin(limits::take(tx, *tenant, bucket, *window, *amount, *limit))
    });
    taken.await.unwrap()
}

async fn take(test: &TestDb, amount: i64, limit: i64) -> Option<i64> {
    take_in(test, test.tenant, "rate", START, amount, limit).await
}

async fn used(test: &TestDb) -> i64 {
    limits::used(&test.db, test.tenant, "rate", START).await.unwrap()
}

/// A demand on a limit of ten.
fn demand(test: &TestDb, bucket: &str, amount: i64) -> Demand {
    Demand { tenant: test.tenant, bucket: bucket.to_owned(), window: START, amount, limit: 10 }
}

testkit::both_databases! {
    async fn a_take_is_all_or_nothing_at_the_edge(test) {
        assert_eq!(used(&test).await, 0);
        assert_eq!(take(&test, 7, 10).await, Some(7));
        assert_eq!(take(&test, 4, 10).await, None);
        assert_eq!(used(&test).await, 7, "a refused take takes nothing");
        assert_eq!(take(&test, 3, 10).await, Some(10));
        assert_eq!(take(&test, 1, 10).await, None);
        assert_eq!(take(&test, 1, 11).await, Some(11), "the limit may grow");
    }

    async fn the_first_take_is_held_to_the_limit_too(test) {
        assert_eq!(take(&test, 11, 10).await, None);
        assert_eq!(take(&test, 1, 0).await, None);
        assert_eq!(used(&test).await, 0);
        assert_eq!(take(&test, 10, 10).await, Some(10));
    }

    async fn tenants_buckets_and_windows_are_apart(test) {
        let other = test.new_tenant("growth").await;
        take(&test, 5, 10).await;
        assert_eq!(take_in(&test, other, "rate", START, 10, 10).await, Some(10));
        assert_eq!(take_in(&test, test.tenant, "usage", START, 10, 10).await, Some(10));
        assert_eq!(take_in(&test, test.tenant, "rate", START.plus_seconds(60), 10, 10).await, Some(10));
        assert_eq!(used(&test).await, 5);
    }

    async fn takes_at_once_never_pass_the_limit(test) {
        let taken = futures_util::future::join_all((0..60).map(|_| take(&test, 3, 100))).await;
        assert_eq!(taken.iter().flatten().count(), 33);
        assert_eq!(used(&test).await, 99);
    }

    async fn demands_are_taken_together_or_not_at_all(test) {
        assert_eq!(limits::take_all(&test.db, vec![]).await.unwrap(), [] as [i64; 0]);
        assert_eq!(limits::take_all(&test.db, vec![demand(&test, "a", 6), demand(&test, "b", 9)]).await.unwrap(), [6, 9]);
        let full = limits::take_all(&test.db, vec![demand(&test, "a", 3), demand(&test, "b", 2)]).await;
        assert!(matches!(full, Err(NotTaken::Full(1))), "{full:?}");
        assert_eq!(limits::take_all(&test.db, vec![demand(&test, "a", 4)]).await.unwrap(), [10], "nothing was taken of a");
        for amount in [1, 11] {
            let full = limits::take_all(&test.db, vec![demand(&test, "a", amount)]).await;
            assert!(matches!(full, Err(NotTaken::Full(0))), "{full:?}");
        }
        assert!(limits::take_all(&test.db, vec![demand(&test, "fresh", 11)]).await.is_err());
    }

    async fn a_lease_gets_what_is_left(test) {
        let lease = |amount| limits::lease(&test.db, demand(&test, "a", amount));
        assert_eq!(lease(7).await.unwrap(), Some(Leased { granted: 7, used: 7 }));
        assert_eq!(lease(7).await.unwrap(), Some(Leased { granted: 3, used: 10 }));
        assert_eq!(lease(1).await.unwrap(), None);
        limits::give_back(&test.db, demand(&test, "a", 4)).await.unwrap();
        assert_eq!(lease(3).await.unwrap(), Some(Leased { granted: 3, used: 9 }));
        assert_eq!(limits::lease(&test.db, demand(&test, "b", 50)).await.unwrap(), Some(Leased { granted: 10, used: 10 }));
        assert_eq!(limits::lease(&test.db, Demand { limit: 0, ..demand(&test, "c", 1) }).await.unwrap(), None);
    }

    async fn more_than_was_taken_is_not_given_back(test) {
        take(&test, 5, 10).await;
        limits::give_back(&test.db, demand(&test, "rate", 6)).await.unwrap();
        assert_eq!(used(&test).await, 5);
    }

    async fn leases_at_once_never_pass_the_limit(test) {
        let leased = futures_util::future::try_join_all((0..40).map(|_| limits::lease(&test.db, demand(&test, "a", 3)))).await;
        let granted: i64 = leased.unwrap().iter().flatten().map(|leased| leased.granted).sum();
        assert_eq!(granted, 10);
        assert_eq!(limits::used(&test.db, test.tenant, "a", START).await.unwrap(), 10);
    }

    async fn past_windows_are_deleted_by_the_prefix_of_their_bucket(test) {
        // Sweeps cover all tenants, so the prefix belongs to this test alone.
        let prefix = format!("{}:rate:", test.tenant.number());
        let later = START.plus_seconds(60);
        for bucket in ["Calls", "ünits", "{x}", ""] {
            take_in(&test, test.tenant, &format!("{prefix}{bucket}"), START, 1, 9).await;
        }
        let usage = format!("{}:usage:", test.tenant.number());
        take_in(&test, test.tenant, &usage, START, 1, 9).await;
        take_in(&test, test.tenant, &format!("{prefix}Calls"), later, 1, 9).await;
        let swept = test.db.write((prefix.clone(), later), |tx, (prefix, later)| Box::pin(limits::sweep(tx, prefix, *later)));
        assert_eq!(swept.await.unwrap(), 4);
        assert_eq!(limits::used(&test.db, test.tenant, &usage, START).await.unwrap(), 1);
        assert_eq!(limits::used(&test.db, test.tenant, &format!("{prefix}Calls"), later).await.unwrap(), 1);
        assert_eq!(limits::used(&test.db, test.tenant, &format!("{prefix}Calls"), START).await.unwrap(), 0);
    }
}
