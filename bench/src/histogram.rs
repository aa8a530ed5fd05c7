//! Latency histogram with a fixed number of logarithmic buckets, so that recording never allocates.

use std::time::Duration;

/// Each power of two has 64 buckets: a percentile is at most 1/64 (1.6 %) above the true value.
const SUB_BITS: u32 = 6;
const SUB_BUCKETS: usize = 1 << SUB_BITS;
/// Powers of two with buckets of their own, up to 2^40 ns (18 minutes); anything longer counts in the last bucket.
const OCTAVES: usize = 40 - SUB_BITS as usize;
const BUCKETS: usize = SUB_BUCKETS * (OCTAVES + 1);

#[derive(Clone, Debug)]
pub struct Histogram {
    counts: Box<[u64]>,
    total: u64,
}

impl Histogram {
    pub fn new() -> Self {
        Self { counts: vec![0; BUCKETS].into_boxed_slice(), total: 0 }
    }

    pub fn record(&mut self, latency: Duration) {
        let nanos = u64::try_from(latency.as_nanos()).unwrap_or(u64::MAX);
        self.counts[bucket_of(nanos)] += 1;
        self.total += 1;
    }

    pub fn merge(&mut self, other: &Self) {
        for (mine, theirs) in self.counts.iter_mut().zip(&other.counts) {
            *mine += theirs;
        }
        self.total += other.total;
    }

    pub fn count(&self) -> u64 {
        self.total
    }

    /// The latency that `permille` thousandths of the records do not exceed; zero without records.
    pub fn permille(&self, permille: u64) -> Duration {
        let rank = (self.total * permille).div_ceil(1000).max(1);
        let mut seen = 0;
        for (bucket, count) in self.counts.iter().enumerate() {
            seen += count;
            if seen >= rank {
                return Duration::from_nanos(upper_bound_of(bucket));
            }
        }
        Duration::ZERO
    }
}

fn bucket_of(nanos: u64) -> usize {
    let octave = nanos.checked_ilog2().unwrap_or(0).saturating_sub(SUB_BITS) as usize;
    // Under 2^7 the value is its own bucket; above, the seven leading bits choose it.
    let leading = usize::try_from(nanos >> octave).unwrap_or(usize::MAX);
    (octave * SUB_BUCKETS).saturating_add(leading).min(BUCKETS - 1)
}

fn upper_bound_of(bucket: usize) -> u64 {
    let octave = (bucket / SUB_BUCKETS).saturating_sub(1);
    let leading = (bucket - octave * SUB_BUCKETS) as u64;
    ((leading + 1) << octave) - 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_lies_within_its_bucket_and_a_64th_of_its_bound() {
        let mut nanos: u64 = 1;
        while nanos < 1 << 40 {
            let bound = upper_bound_of(bucket_of(nanos));
            assert!(bound >= nanos && bound - nanos <= nanos / 64, "{nanos} has the bound {bound}");
            nanos += nanos / 100 + 1;
        }
    }

    #[test]
    fn buckets_rise_with_the_value_and_the_last_takes_the_rest() {
        assert!((1..100_000_u64).all(|nanos| bucket_of(nanos) >= bucket_of(nanos - 1)));
        assert_eq!(bucket_of((1 << 40) - 1), BUCKETS - 1);
        assert_eq!(bucket_of(u64::MAX), BUCKETS - 1);
    }

    #[test]
    fn percentiles_come_from_both_merged_halves() {
        let (mut low, mut high) = (Histogram::new(), Histogram::new());
        (1..=50).for_each(|nanos| low.record(Duration::from_nanos(nanos)));
        (51..=100).for_each(|nanos| high.record(Duration::from_nanos(nanos)));
        low.merge(&high);
        assert_eq!(low.count(), 100);
        assert_eq!(low.permille(500), Duration::from_nanos(50));
        assert_eq!(low.permille(990), Duration::from_nanos(99));
    }

    #[test]
    fn nothing_recorded_is_zero() {
        assert_eq!(Histogram::new().permille(500), Duration::ZERO);
    }
}
