//! Idempotency keys: who may run, what is kept, what a lost holder leaves.

use domain::Timestamp;
use store::Engine;
use store::idempotency::{self, Answer, Bound, Holder, Place};
use testkit::database::TestDb;

use crate::fixtures::START;

const DAY: i64 = 86_400;

fn place(test: &TestDb) -> Place {
    Place {
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

/// A holder counts as gone after a minute.
async fn take(test: &TestDb, place: &Place, holder: &Holder) -> bool {
    let input = (place.clone(), holder.clone());
    let taken = test.db.write(input, |tx, (place, holder)| {
        let (lost, until) = (holder.since.plus_seconds(-60), holder.since.plus_seconds(DAY));
        Box::pin(idempotency::take(tx, place, holder, lost, until))
    });
    taken.await.unwrap()
}

async fn finish(test: &TestDb, place: &Place, holder: &Holder, answer: &Answer) -> bool {
    let input = (place.clone(), holder.clone(), answer.clone());
    let finished =
        test.db.write(input, |tx, (place, holder, answer)| Box::pin(idempotency::finish(tx, place, holder, answer)));
    finished.await.unwrap()
}

async fn found(test: &TestDb, place: &Place) -> Option<Answer> {
    test.db.write(place.clone(), |tx, place| Box::pin(idempotency::answer(tx, place))).await.unwrap()
}

async fn bind(test: &TestDb, place: &Place, outcome: &str) -> bool {
    let bound = Bound { fingerprint: Some([1; 32]), outcome: outcome.to_owned() };
    let input = (place.clone(), bound);
    test.db.write(input, |tx, (place, bound)| Box::pin(idempotency::bind(tx, place, bound))).await.unwrap()
}

async fn bound(test: &TestDb, place: &Place) -> Option<String> {
    let bound = test.db.write(place.clone(), |tx, place| Box::pin(idempotency::bound(tx, place))).await.unwrap();
    bound.map(|bound| bound.outcome)
}

async fn release(test: &TestDb, place: &Place, holder: &Holder) {
    let input = (place.clone(), holder.clone());
    let released = test.db.write(input, |tx, (place, holder)| Box::pin(idempotency::release(tx, place, holder)));
    released.await.unwrap();
}

async fn sweep(test: &TestDb, now: Timestamp, most: i64) -> u64 {
    test.db.write((now, most), |tx, (now, most)| Box::pin(idempotency::sweep(tx, *now, *most))).await.unwrap()
}

testkit::both_databases! {
    async fn a_key_is_held_once_and_then_has_its_answer(test) {
        let (place, holder) = (place(&test), holder("a", START));
        assert!(take(&test, &place, &holder).await);
        assert!(!take(&test, &place, &holder).await, "it is under way");
        assert_eq!(found(&test, &place).await, None);
        assert!(finish(&test, &place, &holder, &answer(1)).await);
        assert_eq!(found(&test, &place).await, Some(answer(1)));
        assert!(!finish(&test, &place, &holder, &answer(2)).await, "an answer stays");
        let later = Holder { since: START.plus_seconds(DAY - 1), ..holder };
        assert!(!take(&test, &place, &later).await, "an answer has no holder who could be lost");
        assert_eq!(found(&test, &place).await, Some(answer(1)));
    }

    async fn the_same_key_elsewhere_is_another_key(test) {
        let mine = place(&test);
        let other = test.new_tenant("growth").await;
        assert!(take(&test, &mine, &holder("a", START)).await);
        for place in [
            Place { tenant: other, ..mine.clone() },
            Place { credential: "token:2".to_owned(), ..mine.clone() },
            Place { operation: "import".to_owned(), ..mine.clone() },
            Place { key: "Order-42".to_owned(), ..mine.clone() },
        ] {
            assert_eq!(found(&test, &place).await, None);
            assert!(take(&test, &place, &holder("a", START)).await, "{place:?}");
        }
    }

    async fn a_lost_holder_is_replaced_and_comes_too_late(test) {
        let (place, first) = (place(&test), holder("a", START));
        assert!(take(&test, &place, &first).await);
        let soon = holder("b", START.plus_seconds(59));
        // Whoever has the file of SQLite is alone with it.
        assert_eq!(take(&test, &place, &soon).await, test.db.engine() == Engine::Sqlite);
        let second = holder("b", START.plus_seconds(120));
        assert!(take(&test, &place, &second).await);
        assert!(!finish(&test, &place, &first, &answer(1)).await);
        release(&test, &place, &first).await;
        assert!(finish(&test, &place, &second, &answer(2)).await);
        assert_eq!(found(&test, &place).await, Some(answer(2)));
    }

    async fn what_was_done_stays_bound_until_the_key_expires(test) {
        let (place, first) = (place(&test), holder("a", START));
        assert!(!bind(&test, &place, "nobody holds it").await);
        assert!(take(&test, &place, &first).await);
        assert_eq!(bound(&test, &place).await, None);
        assert!(bind(&test, &place, "sent").await);
        assert!(!bind(&test, &place, "sent again").await);
        release(&test, &place, &first).await;
        assert_eq!(bound(&test, &place).await.as_deref(), Some("sent"));
        let second = holder("b", START);
        assert!(take(&test, &place, &second).await, "a released key is free at once, on both engines");
        assert_eq!(bound(&test, &place).await.as_deref(), Some("sent"));
        assert!(!finish(&test, &place, &second, &answer(2)).await, "another request's answer is not kept");
        let unknown = Answer { fingerprint: None, ..answer(1) };
        assert!(finish(&test, &place, &second, &unknown).await);
        assert_eq!(found(&test, &place).await, Some(answer(1)), "the fingerprint is that of what was done");
        assert!(!bind(&test, &place, "after the answer").await);
        let next_day = holder("b", START.plus_seconds(DAY));
        assert!(take(&test, &place, &next_day).await);
        assert_eq!(bound(&test, &place).await, None);
        assert_eq!(found(&test, &place).await, None);
    }

    async fn a_released_key_without_an_outcome_is_forgotten(test) {
        let (place, first) = (place(&test), holder("a", START));
        assert!(take(&test, &place, &first).await);
        release(&test, &place, &first).await;
        assert!(!bind(&test, &place, "too late").await);
        assert!(take(&test, &place, &first).await);
        assert!(finish(&test, &place, &first, &answer(1)).await);
        release(&test, &place, &first).await;
        assert_eq!(found(&test, &place).await, Some(answer(1)), "what was answered is not released");
    }

    async fn only_keys_of_the_past_are_swept_some_at_a_time(test) {
        // A sweep is for all tenants: this one's past is before that of any other test.
        let start = Timestamp::from_seconds(-DAY);
        for n in 0..5 {
            let place = Place { key: n.to_string(), ..place(&test) };
            assert!(take(&test, &place, &holder("a", start.plus_seconds(n))).await);
        }
        let now = Timestamp::from_seconds(3);
        assert_eq!((sweep(&test, now, 3).await, sweep(&test, now, 3).await, sweep(&test, now, 3).await), (3, 1, 0));
        let left = Place { key: "4".to_owned(), ..place(&test) };
        assert!(bind(&test, &left, "still there").await);
    }
}
