//! Histograms against the sorted list of the same durations.

use domain::platform::reports::{DurationHistogram, MAX_SECONDS};
use proptest::prelude::*;

/// Durations of every order of magnitude.
fn durations() -> impl Strategy<Value = Vec<i64>> {
    let one = (0_u32..26, 0..=MAX_SECONDS).prop_map(|(bits, seconds)| seconds >> bits);
    prop::collection::vec(one, 0..60)
}

fn histogram(durations: &[i64]) -> DurationHistogram {
    let mut one = DurationHistogram::default();
    for seconds in durations {
        one.record(*seconds);
    }
    one
}

/// The nearest rank, by sorting.
fn exact(mut durations: Vec<i64>, percent: usize) -> Option<i64> {
    durations.sort_unstable();
    let rank = (durations.len() * percent).div_ceil(100).max(1);
    durations.get(rank - 1).copied()
}

proptest! {
    #[test]
    fn the_order_of_merging_does_not_matter(parts in prop::collection::vec(durations(), 0..6), turn in 0_usize..6) {
        let whole = histogram(&parts.concat());
        let mut turned = parts.clone();
        turned.rotate_left(turn % parts.len().max(1));
        turned.reverse();
        for order in [&parts, &turned] {
            let mut sum = DurationHistogram::default();
            for part in order {
                sum += &histogram(part);
            }
            prop_assert_eq!(&sum, &whole);
        }
        prop_assert_eq!(whole.to_string().parse(), Ok(whole));
    }

    #[test]
    fn a_percentile_is_near_the_exact_one(durations in durations(), percent in 0_u32..=100) {
        let one = histogram(&durations);
        prop_assert_eq!(one.count(), durations.len() as u64);
        let exact = exact(durations, percent as usize);
        let estimated = one.percentile(percent);
        prop_assert_eq!(estimated.is_some(), exact.is_some());
        if let (Some(estimated), Some(exact)) = (estimated, exact) {
            prop_assert!((estimated - exact).abs() * 32 <= exact, "{} for {}", estimated, exact);
        }
    }
}
