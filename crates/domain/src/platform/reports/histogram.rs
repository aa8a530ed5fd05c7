//! Histograms of durations. They can be added, and give any percentile of the sum with a bounded error.
//!
//! The layout is fixed, since histograms are stored: seconds below 32 have a bucket each; from there on, each range from
//! a power of two to the next has 16 buckets of the same width. A bucket is thus at most 1/16 as wide as its smallest
//! value, and its middle is at most 1/32 (3.2 %) away from every value in it.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::AddAssign;
use std::str::FromStr;

/// Longer durations count as this one: 400 days.
pub const MAX_SECONDS: i64 = 400 * 24 * 60 * 60;

/// Buckets between a power of two and the next, as a power of two.
const SUB_BITS: u32 = 4;
const SUB_BUCKETS: u32 = 1 << SUB_BITS;

/// How many durations are in each bucket. Buckets without any are not stored.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DurationHistogram {
    counts: BTreeMap<u32, u64>,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("not a histogram")]
pub struct NotAHistogram;

impl DurationHistogram {
    /// Counts a duration. A negative one counts as 0.
    pub fn record(&mut self, seconds: i64) {
        self.add(bucket_of(seconds), 1);
    }

    pub fn count(&self) -> u64 {
        self.counts.values().fold(0, |sum, count| sum.saturating_add(*count))
    }

    pub fn is_empty(&self) -> bool {
        self.counts.is_empty()
    }

    /// The duration that `percent` of the durations do not exceed (nearest rank): of 10 durations, the 90th percentile
    /// is the ninth. At most 1/32 away from the exact one, which up to 31 s is returned. None without durations.
    pub fn percentile(&self, percent: u32) -> Option<i64> {
        let count = u128::from(self.count());
        let rank = (count * u128::from(percent.min(100))).div_ceil(100).max(1);
        let mut below = 0;
        let bucket = self.counts.iter().find(|(_, count)| {
            below += u128::from(**count);
            below >= rank
        });
        bucket.map(|(bucket, _)| middle_of(*bucket))
    }

    pub fn median(&self) -> Option<i64> {
        self.percentile(50)
    }

    fn add(&mut self, bucket: u32, count: u64) {
        let present = self.counts.entry(bucket).or_default();
        *present = present.saturating_add(count);
    }
}

impl AddAssign<&Self> for DurationHistogram {
    fn add_assign(&mut self, other: &Self) {
        for (bucket, count) in &other.counts {
            self.add(*bucket, *count);
        }
    }
}

/// The stored form: buckets in ascending order, those with several durations with their number: `12,40:3,352`.
impl fmt::Display for DurationHistogram {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, (bucket, count)) in self.counts.iter().enumerate() {
            let comma = if place == 0 { "" } else { "," };
            match count {
                1 => write!(f, "{comma}{bucket}")?,
                _ => write!(f, "{comma}{bucket}:{count}")?,
            }
        }
        Ok(())
    }
}

impl FromStr for DurationHistogram {
    type Err = NotAHistogram;

    fn from_str(text: &str) -> Result<Self, NotAHistogram> {
        let mut histogram = Self::default();
        for part in text.split(',').filter(|_| !text.is_empty()) {
            let (bucket, count) = part.split_once(':').unwrap_or((part, "1"));
            let (bucket, count) =
                (bucket.parse().map_err(|_| NotAHistogram)?, count.parse().map_err(|_| NotAHistogram)?);
            let is_next = histogram.counts.last_key_value().is_none_or(|(last, _)| *last < bucket);
            if !is_next || count == 0 || bucket > bucket_of(MAX_SECONDS) {
                return Err(NotAHistogram);
            }
            histogram.counts.insert(bucket, count);
        }
        Ok(histogram)
    }
}

fn bucket_of(seconds: i64) -> u32 {
    let seconds = u32::try_from(seconds.clamp(0, MAX_SECONDS)).unwrap_or(0);
    let shift = (seconds | SUB_BUCKETS).ilog2() - SUB_BITS;
    shift * SUB_BUCKETS + (seconds >> shift)
}

/// The middle of a bucket.
fn middle_of(bucket: u32) -> i64 {
    let shift = (bucket / SUB_BUCKETS).saturating_sub(1);
    let first = (bucket - shift * SUB_BUCKETS) << shift;
    i64::from(first + ((1 << shift) - 1) / 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn histogram(durations: &[i64]) -> DurationHistogram {
        let mut one = DurationHistogram::default();
        for seconds in durations {
            one.record(*seconds);
        }
        one
    }

    /// Stored histograms depend on it.
    #[test]
    fn the_layout_stays() {
        for (seconds, bucket) in [
            (-1, 0),
            (0, 0),
            (1, 1),
            (31, 31),
            (32, 32),
            (33, 32),
            (34, 33),
            (60, 46),
            (3_600, 140),
            (86_400, 213),
            (MAX_SECONDS, 352),
            (i64::MAX, 352),
        ] {
            assert_eq!(bucket_of(seconds), bucket, "{seconds}");
        }
    }

    #[test]
    fn buckets_follow_each_other_without_a_gap_and_their_middle_is_near_every_value() {
        for seconds in 1..200_000 {
            let (before, bucket) = (bucket_of(seconds - 1), bucket_of(seconds));
            assert!(bucket == before || bucket == before + 1, "{seconds}");
            assert!((middle_of(bucket) - seconds).abs() * 32 <= seconds, "{seconds}: {}", middle_of(bucket));
            assert!(seconds > 31 || middle_of(bucket) == seconds, "{seconds}");
        }
    }

    #[test]
    fn percentiles_are_of_the_nearest_rank() {
        let ten = histogram(&[1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
        assert_eq!((ten.median(), ten.percentile(90), ten.percentile(91)), (Some(5), Some(9), Some(10)));
        assert_eq!((ten.percentile(0), ten.percentile(100), ten.percentile(200)), (Some(1), Some(10), Some(10)));
        assert_eq!((histogram(&[]).median(), histogram(&[]).count(), ten.count()), (None, 0, 10));
        assert_eq!(histogram(&[-5]).median(), Some(0));
    }

    #[test]
    fn the_stored_form_is_short_and_only_that_form_is_read() {
        let one = histogram(&[12, 3_600, 3_600, 12, 0]);
        assert_eq!(one.to_string(), "0,12:2,140:2");
        assert_eq!("0,12:2,140:2".parse(), Ok(one));
        assert_eq!("".parse(), Ok(DurationHistogram::default()));
        for other in [",", "1,", "a", "1:0", "1:-1", "2,1", "1,1", "353", "1:2:3", " 1", "1:18446744073709551616"] {
            assert_eq!(other.parse::<DurationHistogram>(), Err(NotAHistogram), "{other:?}");
        }
    }

    #[test]
    fn counts_do_not_overflow() {
        let mut one: DurationHistogram = "1:18446744073709551615,2:5".parse().unwrap();
        let other = one.clone();
        one += &other;
        assert_eq!((one.count(), one.median(), one.percentile(100)), (u64::MAX, Some(1), Some(1)));
    }
}
