//! Idempotency keys: holders, answers, and the outcome of a lost holder.

use domain::Timestamp;
use domain::base::idempotency::Answer;
use store::Engine;
use store::base::idempotency::{self, Holder, IdempotencyKey, SavedOutcome};
use testkit::database::TestDb;

use crate::fixtures::START;

const DAY: i64 = 86_400;

fn key(test: &TestDb) -> IdempotencyKey {
    IdempotencyKey {
        tenant: test.tenant,
        credential: "token:1".to_owned(),
        operation: "send".to_owned(),
        key: "order-42".to_owned(),
    }
}

fn holder(name: &str, since: Timestamp) -> Holder {
    Holder { name: name.to_owned(), since }
}

fn answer(fingerprint: u8) -> Answer {
    let content_type = Some("application/json".to_owned());
    Answer { fingerprint: Some([fingerprint; 32]), status: 200, content_type, body: b"{}\0\xff".to_vec() }
}

/// Takes the key for the holder, if it is free or its holder counts as lost: after a minute.
async fn hold(test: &TestDb, key: &IdempotencyKey, holder: &Holder) -> bool {
    let input = (key.clone(), holder.clone());
    let taken = test.db.write(input, |tx, (key, holder)| {
        let (lost, until) = (holder.since.plus_seconds(-60), holder.since.plus_seconds(DAY));
        Box::pin(idempotency::acquire(tx, key, holder, lost, until))
    });
    taken.await.unwrap()
}

async fn finish(test: &TestDb, key: &IdempotencyKey, holder: &Holder, answer: &Answer) -> bool {
    let input = (key.clone(), holder.clone(), answer.clone());
    let finished =
        test.db.write(input, |tx, (key, holder, answer)| Box::pin(idempotency::save_answer(tx, key, holder, answer)));
    finished.await.unwrap()
}

async fn found(test: &TestDb, key: &IdempotencyKey) -> Option<Answer> {
    test.db.write(key.clone(), |tx, key| Box::pin(idempotency::find_answer(tx, key))).await.unwrap()
}

async fn save_outcome(test: &TestDb, key: &IdempotencyKey, outcome: &str) -> bool {
    let bound = SavedOutcome { fingerprint: Some([1; 32]), outcome: outcome.to_owned() };
    let input = (key.clone(), bound);
    test.db.write(input, |tx, (key, bound)| Box::pin(idempotency::save_outcome(tx, key, bound))).await.unwrap()
}

async fn saved_outcome(test: &TestDb, key: &IdempotencyKey) -> Option<String> {
    let bound = test.db.write(key.clone(), |tx, key| Box::pin(idempotency::saved_outcome(tx, key))).await.unwrap();
    bound.map(|bound| bound.outcome)
}

async fn release(test: &TestDb, key: &IdempotencyKey, holder: &Holder) {
    let input = (key.clone(), holder.clone());
    let released = test.db.write(input, |tx, (key, holder)| Box::pin(idempotency::release(tx, key, holder)));
    released.await.unwrap();
}

async fn sweep(test: &TestDb, now: Timestamp, most: i64) -> u64 {
    test.db.write((now, most), |tx, (now, most)| Box::pin(idempotency::sweep(tx, *now, *most))).await.unwrap()
}

testkit::both_databases! {
    async fn a_key_is_held_once_and_then_has_its_answer(test) {
        let (key, holder) = (key(&test), holder("a", START));
        assert!(hold(&test, &key, &holder).await);
        assert!(!hold(&test, &key, &holder).await, "it is under way");
        assert_eq!(found(&test, &key).await, None);
        assert!(finish(&test, &key, &holder, &answer(1)).await);
        assert_eq!(found(&test, &key).await, Some(answer(1)));
        assert!(!finish(&test, &key, &holder, &answer(2)).await, "an answer stays");
        let later = Holder { since: START.plus_seconds(DAY - 1), ..holder };
        assert!(!hold(&test, &key, &later).await, "an answer has no holder who could be lost");
        assert_eq!(found(&test, &key).await, Some(answer(1)));
    }

    async fn the_same_key_elsewhere_is_another_key(test) {
        let mine = key(&test);
        let other = test.new_tenant("growth").await;
        assert!(hold(&test, &mine, &holder("a", START)).await);
        for key in [
            IdempotencyKey { tenant: other, ..mine.clone() },
            IdempotencyKey { credential: "token:2".to_owned(), ..mine.clone() },
            IdempotencyKey { operation: "import".to_owned(), ..mine.clone() },
            IdempotencyKey { key: "Order-42".to_owned(), ..mine.clone() },
        ] {
            assert_eq!(found(&test, &key).await, None);
            assert!(hold(&test, &key, &holder("a", START)).await, "{key:?}");
        }
    }

    async fn a_lost_holder_is_replaced_and_comes_too_late(test) {
        let (key, first) = (key(&test), holder("a", START));
        assert!(hold(&test, &key, &first).await);
        let soon = holder("b", START.plus_seconds(59));
        // Only one process has a SQLite file open, so any other holder of a key is lost.
        assert_eq!(hold(&test, &key, &soon).await, test.db.engine() == Engine::Sqlite);
        let second = holder("b", START.plus_seconds(120));
        assert!(hold(&test, &key, &second).await);
        assert!(!finish(&test, &key, &first, &answer(1)).await);
        release(&test, &key, &first).await;
        assert!(finish(&test, &key, &second, &answer(2)).await);
        assert_eq!(found(&test, &key).await, Some(answer(2)));
    }

    async fn an_outcome_stays_until_the_key_expires(test) {
        let (key, first) = (key(&test), holder("a", START));
        assert!(!save_outcome(&test, &key, "no holder").await);
        assert!(hold(&test, &key, &first).await);
        assert_eq!(saved_outcome(&test, &key).await, None);
        assert!(save_outcome(&test, &key, "sent").await);
        assert!(!save_outcome(&test, &key, "sent again").await);
        release(&test, &key, &first).await;
        assert_eq!(saved_outcome(&test, &key).await.as_deref(), Some("sent"));
        let second = holder("b", START);
        assert!(hold(&test, &key, &second).await, "a released key is free at once, on both engines");
        assert_eq!(saved_outcome(&test, &key).await.as_deref(), Some("sent"));
        assert!(!finish(&test, &key, &second, &answer(2)).await, "another request's answer is not kept");
        let unknown = Answer { fingerprint: None, ..answer(1) };
        assert!(finish(&test, &key, &second, &unknown).await);
        assert_eq!(found(&test, &key).await, Some(answer(1)), "the fingerprint is that of what was done");
        assert!(!save_outcome(&test, &key, "after the answer").await);
        let next_day = holder("b", START.plus_seconds(DAY));
        assert!(hold(&test, &key, &next_day).await);
        assert_eq!(saved_outcome(&test, &key).await, None);
        assert_eq!(found(&test, &key).await, None);
    }

    async fn a_released_key_without_an_outcome_is_deleted(test) {
        let (key, first) = (key(&test), holder("a", START));
        assert!(hold(&test, &key, &first).await);
        release(&test, &key, &first).await;
        assert!(!save_outcome(&test, &key, "too late").await);
        assert!(hold(&test, &key, &first).await);
        assert!(finish(&test, &key, &first, &answer(1)).await);
        release(&test, &key, &first).await;
        assert_eq!(found(&test, &key).await, Some(answer(1)), "what was answered is not released");
    }

    async fn only_expired_keys_are_deleted_some_at_a_time(test) {
        // A sweep covers all tenants: these times are earlier than those of any other test.
        let start = Timestamp::from_seconds(-DAY);
        for n in 0..5 {
            let key = IdempotencyKey { key: n.to_string(), ..key(&test) };
            assert!(hold(&test, &key, &holder("a", start.plus_seconds(n))).await);
        }
        let now = Timestamp::from_seconds(3);
        assert_eq!((sweep(&test, now, 3).await, sweep(&test, now, 3).await, sweep(&test, now, 3).await), (3, 1, 0));
        let left = IdempotencyKey { key: "4".to_owned(), ..key(&test) };
        assert!(save_outcome(&test, &left, "still there").await);
    }
}
