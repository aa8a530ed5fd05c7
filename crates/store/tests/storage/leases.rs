//! Leases. They belong to the installation, so each test uses its own names.

use domain::Timestamp;
use store::base::leases;
use testkit::database::TestDb;

use crate::fixtures::START;

fn own_name(test: &TestDb) -> String {
    format!("test:{}:", test.tenant.number())
}

fn at(second: i64) -> Timestamp {
    START.plus_seconds(second)
}

async fn take(test: &TestDb, name: &str, holder: &str, now: i64, until: i64) -> Option<i64> {
    let input = (name.to_owned(), holder.to_owned(), at(now), at(until));
    let taken = test
        .db
        .write(input, |tx, (name, holder, now, until)| Box::pin(leases::acquire(tx, name, holder, *now, *until)));
    taken.await.unwrap()
}

async fn release(test: &TestDb, name: &str, holder: &str) {
    let input = (name.to_owned(), holder.to_owned());
    test.db.write(input, |tx, (name, holder)| Box::pin(leases::release(tx, name, holder))).await.unwrap();
}

testkit::both_databases! {
    async fn a_lease_is_not_taken_from_its_holder_before_it_ends(test) {
        let name = own_name(&test);
        assert_eq!(take(&test, &name, "a", 0, 10).await, Some(1));
        assert_eq!(take(&test, &name, "b", 9, 20).await, None);
        assert_eq!(take(&test, &name, "b", 10, 20).await, Some(2), "the end itself is free");
        assert_eq!(take(&test, &name, "a", 11, 20).await, None);
    }

    async fn only_another_holder_counts_the_number_up(test) {
        let name = own_name(&test);
        assert_eq!(take(&test, &name, "a", 0, 10).await, Some(1));
        assert_eq!(take(&test, &name, "a", 5, 15).await, Some(1), "extended");
        assert_eq!(take(&test, &name, "b", 12, 30).await, None, "the extension holds");
        assert_eq!(take(&test, &name, "a", 100, 110).await, Some(1), "no other holder in between");
        assert_eq!(take(&test, &name, "b", 110, 120).await, Some(2));
        assert_eq!(take(&test, &name, "a", 120, 130).await, Some(3));
    }

    async fn only_its_holder_releases_a_lease(test) {
        let name = own_name(&test);
        take(&test, &name, "a", 0, 10).await;
        release(&test, &name, "b").await;
        assert_eq!(take(&test, &name, "b", 1, 20).await, None);
        release(&test, &name, "a").await;
        assert_eq!(take(&test, &name, "b", 1, 20).await, Some(2));
    }

    async fn live_leases_are_counted_by_the_beginning_of_their_name(test) {
        let name = own_name(&test);
        for (node, until) in [("A1", 10), ("b2", 10), ("ü3", 10), ("{4}", 10), ("gone", 3)] {
            take(&test, &format!("{name}node-{node}"), "a", 0, until).await;
        }
        take(&test, &format!("{name}other"), "a", 0, 10).await;
        take(&test, &format!("{name}NODE-x"), "a", 0, 10).await;
        assert_eq!(leases::live(&test.db, &format!("{name}node-"), at(5)).await.unwrap(), 4);
        assert_eq!(leases::live(&test.db, &format!("{name}node-"), at(10)).await.unwrap(), 0);
        assert_eq!(leases::live(&test.db, &format!("{name}none"), at(5)).await.unwrap(), 0);
    }

    async fn one_of_many_gets_the_lease(test) {
        let name = own_name(&test);
        let holders: Vec<String> = (0..20).map(|number| format!("node {number}")).collect();
        let takes = holders.iter().map(|holder| take(&test, &name, holder, 0, 10));
        let taken = futures_util::future::join_all(takes).await;
        assert_eq!(taken.iter().flatten().collect::<Vec<_>>(), [&1]);
    }
}
