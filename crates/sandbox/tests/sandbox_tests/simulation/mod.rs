//! The simulation: a business and its network in one process, on one thread and a virtual clock, with faults between
//! them. One seed is one story: run twice, it is identical byte by byte. In every story nothing accepted is lost,
//! nothing exists twice, and no state moves backwards.

mod business;
mod ending;
mod story;

use story::Story;

/// Number of stories; in the long form of the tests (`scripts/test --long`) it is `LONG`.
const SAMPLE: u64 = 12;
const LONG: u64 = 1000;
const STEPS: usize = 60;

fn seeds() -> std::ops::RangeInclusive<u64> {
    let long = std::env::var_os("SWITCHBOARD_TEST_LONG").is_some();
    1..=if long { LONG } else { SAMPLE }
}

#[tokio::test(flavor = "current_thread")]
async fn the_same_seed_gives_the_same_story_byte_by_byte() {
    for seed in [7, 8] {
        let first = Story::run(seed, STEPS).await;
        let again = Story::run(seed, STEPS).await;
        assert!(first.log.len() > STEPS / 2, "{} lines", first.log.len());
        for (place, (one, other)) in first.log.iter().zip(&again.log).enumerate() {
            assert_eq!(one, other, "seed {seed}, line {place}");
        }
        assert_eq!(first.log.len(), again.log.len(), "seed {seed}");
    }
    assert_ne!(Story::run(1, STEPS).await.log, Story::run(2, STEPS).await.log);
}

#[tokio::test(flavor = "current_thread")]
async fn no_story_loses_repeats_or_reverts_anything() {
    let mut stories = 0;
    for seed in seeds() {
        let mut story = Story::run(seed, STEPS).await;
        ending::check(&mut story).await;
        stories += 1;
    }
    eprintln!("{stories} stories of {STEPS} steps kept the invariants");
}
