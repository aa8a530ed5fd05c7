//! Reads the call log page by page, also while it grows.

use std::collections::HashSet;

use domain::calls::{Call, CallDirection};
use domain::calls::{CallFilter, OperatorRef};
use domain::{AccountId, CallId, Timestamp};
use store::calls;
use testkit::database::TestDb;

use crate::fixtures::{START, call, operator, random, random_call, store_calls, stored_account};

type Key = (Timestamp, CallId);

async fn page(test: &TestDb, filter: &CallFilter) -> Vec<Key> {
    let mut keys = vec![];
    calls::list(&test.db, test.tenant, filter, &mut |shown| {
        keys.push(shown.position()?);
        Ok(())
    })
    .await
    .unwrap();
    keys
}

/// Follows the cursor to the end; calls `between` after each page.
async fn walk(test: &TestDb, filter: &CallFilter, mut between: impl AsyncFnMut(usize, Key)) -> Vec<Key> {
    let mut filter = filter.clone();
    let mut seen: Vec<Key> = vec![];
    loop {
        let keys = page(test, &filter).await;
        let Some(last) = keys.last().copied() else { return seen };
        seen.extend(keys);
        assert!(seen.len() < 10_000, "the walk does not end");
        filter.after = Some(last);
        between(seen.len(), last).await;
    }
}

fn filters(operator: AccountId) -> Vec<CallFilter> {
    let all = CallFilter { limit: 7, ..CallFilter::default() };
    let operator = Some(OperatorRef::Id(operator));
    let direction = Some(CallDirection::Outbound);
    vec![
        all.clone(),
        CallFilter { direction, ..all.clone() },
        CallFilter { operator: operator.clone(), ..all.clone() },
        CallFilter { min_duration: Some(20), ..all.clone() },
        CallFilter { direction, operator, min_duration: Some(3), max_duration: Some(30_000), ..all },
    ]
}

async fn stored_calls(test: &TestDb, seed: u64) -> (Vec<Call>, AccountId) {
    let account = stored_account(test, test.tenant, "ada@example.com").await;
    let mut rng = random(seed);
    let all: Vec<Call> = (0..150).map(|i| random_call(&mut rng, &format!("{i}"), &[operator(&account)])).collect();
    store_calls(test, test.tenant, &all).await;
    (all, account.id)
}

testkit::both_databases! {
    async fn a_walk_visits_every_call_once_in_order(test) {
        let (_, operator) = stored_calls(&test, 3).await;
        for filter in filters(operator) {
            let seen = walk(&test, &filter, async |_, _| ()).await;
            assert_eq!(seen, page(&test, &CallFilter { limit: 1000, ..filter.clone() }).await, "{filter:?}");
            assert!(seen.is_sorted_by(|a, b| a > b), "{filter:?}");
        }
    }

    async fn offsets_visit_what_the_cursor_visits(test) {
        let (_, operator) = stored_calls(&test, 4).await;
        for filter in filters(operator) {
            let by_cursor = walk(&test, &filter, async |_, _| ()).await;
            let mut by_offset = vec![];
            while let next = page(&test, &CallFilter { offset: i64::try_from(by_offset.len()).unwrap(), ..filter.clone() }).await
                && !next.is_empty()
            {
                by_offset.extend(next);
            }
            assert_eq!(by_offset, by_cursor, "{filter:?}");
        }
    }

    async fn calls_that_arrive_during_a_walk_neither_repeat_nor_hide_others(test) {
        let (before, operator) = stored_calls(&test, 5).await;
        let before: HashSet<Key> = before.iter().map(|call| (call.started_at, call.id)).collect();
        for (number, filter) in filters(operator).iter().enumerate() {
            let wanted: HashSet<Key> = page(&test, &CallFilter { limit: 1000, ..filter.clone() }).await.into_iter().collect();
            let mut late = HashSet::new();
            let seen = walk(&test, filter, async |visited, last| {
                // Two new calls: one newer than the whole list, and one in the second in which the page ends.
                let newer = call(&format!("newer {number} {visited}"), START.plus_seconds(1000), 25);
                let here = call(&format!("here {number} {visited}"), last.0, 25);
                late.extend([(newer.started_at, newer.id), (here.started_at, here.id)]);
                store_calls(&test, test.tenant, &[newer, here]).await;
            }).await;
            assert!(seen.is_sorted_by(|a, b| a > b), "in order, so none twice: {filter:?}");
            let seen: HashSet<Key> = seen.into_iter().collect();
            assert!(wanted.is_subset(&seen), "skipped by {filter:?}");
            assert!(seen.iter().all(|key| before.contains(key) || wanted.contains(key) || late.contains(key)));
            assert!(!seen.iter().any(|key| late.contains(key) && key.0 > START.plus_seconds(60)), "newer than the walk");
        }
    }
}
