//! Messages of a number to one person: a burst, then one message every few seconds. A bucket is stored as the instant
//! at which it is full, and forgotten from then on.

use super::ids::ByIds;
use super::limits::Limits;
use crate::base::rate::Bucket;
use crate::{ContactId, Timestamp};

/// Up to this many buckets are kept without looking for full ones.
const FEW: usize = 1024;

#[derive(Debug, Default)]
pub struct Pairs {
    /// When each person's bucket is full.
    full_at: ByIds<ContactId, Timestamp>,
    paused_until: ByIds<ContactId, Timestamp>,
    /// How many buckets there may be before full ones are looked for.
    many: usize,
}

impl Pairs {
    /// When the person's bucket is full: now at the earliest, and no later than an empty bucket.
    pub fn full_at(&self, contact: ContactId, bucket: Bucket, now: Timestamp) -> Timestamp {
        self.full_at.get(&contact).map_or(now, |full_at| (*full_at).clamp(now, bucket.empty(now)))
    }

    pub fn paused_until(&self, contact: ContactId) -> Option<Timestamp> {
        // Saves hashing: almost always no pair is paused.
        if self.paused_until.is_empty() { None } else { self.paused_until.get(&contact).copied() }
    }

    pub fn pause(&mut self, contact: ContactId, until: Timestamp) {
        let paused_until = self.paused_until.entry(contact).or_insert(until);
        *paused_until = until.max(*paused_until);
    }

    pub fn count(&mut self, contact: ContactId, limits: &Limits, now: Timestamp) {
        let Some(bucket) = limits.pair_bucket() else { return };
        let full_at = bucket.after(self.full_at(contact, bucket, now), now);
        self.full_at.insert(contact, full_at);
        if self.full_at.len() > self.many.max(FEW) {
            self.sweep(now);
        }
    }

    pub fn forget(&mut self, now: Timestamp) {
        self.sweep(now);
        self.full_at.shrink_to_fit();
        self.paused_until.shrink_to_fit();
    }

    fn sweep(&mut self, now: Timestamp) {
        self.full_at.retain(|_, full_at| *full_at > now);
        self.paused_until.retain(|_, until| *until > now);
        self.many = self.full_at.len() * 2;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Id;

    #[test]
    fn full_buckets_are_not_remembered() {
        let (mut pairs, start) = (Pairs::default(), Timestamp::from_seconds(1_776_000_000));
        for second in 0..1000 {
            let now = start.plus_seconds(second);
            (0..80).for_each(|which| pairs.count(Id::seeded(now, which), &Limits::default(), now));
            assert!(pairs.full_at.len() <= FEW, "{} after {second} s", pairs.full_at.len());
        }
        pairs.pause(Id::seeded(start, 0), start.plus_seconds(1));
        pairs.forget(start.plus_seconds(2000));
        assert_eq!((pairs.full_at.capacity(), pairs.paused_until.len()), (0, 0));
    }

    const NOW: Timestamp = Timestamp::from_seconds(1_776_000_000);

    fn limits(pair_burst: u32, pair_seconds: u32) -> Limits {
        Limits { pair_burst, pair_seconds, ..Limits::default() }
    }

    #[test]
    fn zero_switches_the_limit_off() {
        let mut pairs = Pairs::default();
        pairs.count(Id::from_bytes([1; 12]), &limits(0, 6), NOW);
        assert!(pairs.full_at.is_empty());
    }

    #[test]
    fn a_bucket_is_full_now_at_the_earliest_and_empty_at_the_most() {
        let (limits, contact) = (limits(3, 6), || Id::from_bytes([1; 12]));
        let bucket = limits.pair_bucket().unwrap();
        let mut pairs = Pairs::default();
        assert_eq!(pairs.full_at(contact(), bucket, NOW), NOW);
        pairs.count(contact(), &limits, NOW);
        assert_eq!(pairs.full_at(contact(), bucket, NOW), NOW.plus_seconds(6));
        assert_eq!(pairs.full_at(contact(), bucket, NOW.plus_seconds(7)), NOW.plus_seconds(7));
        let back = NOW.plus_seconds(-1000);
        assert_eq!(pairs.full_at(contact(), bucket, back), back.plus_seconds(18), "a clock that was set back");
    }

    #[test]
    fn the_longer_pause_counts_and_ends() {
        let mut pairs = Pairs::default();
        assert_eq!(pairs.paused_until(Id::from_bytes([1; 12])), None);
        for seconds in [5, 9, 7] {
            pairs.pause(Id::from_bytes([1; 12]), NOW.plus_seconds(seconds));
        }
        assert_eq!(pairs.paused_until(Id::from_bytes([1; 12])), Some(NOW.plus_seconds(9)));
        assert_eq!(pairs.paused_until(Id::from_bytes([2; 12])), None);
        pairs.forget(NOW.plus_seconds(8));
        assert_eq!(pairs.paused_until.len(), 1);
        pairs.forget(NOW.plus_seconds(9));
        assert_eq!(pairs.paused_until.len(), 0);
    }

    #[test]
    fn buckets_that_are_not_full_are_kept_however_many_there_are() {
        let (mut pairs, limits) = (Pairs::default(), limits(3, 6));
        let many = 3000;
        (0..many).for_each(|which| pairs.count(Id::seeded(NOW, which), &limits, NOW));
        assert_eq!(pairs.full_at.len(), 3000);
        pairs.forget(NOW.plus_seconds(5));
        assert_eq!((pairs.full_at.len(), pairs.many), (3000, 6000));
        pairs.forget(NOW.plus_seconds(6));
        assert_eq!((pairs.full_at.len(), pairs.many), (0, 0));
    }

    #[test]
    fn so_many_pairs_are_never_looked_through_for_full_ones() {
        let (mut pairs, limits) = (Pairs::default(), limits(3, 6));
        (0..1023).for_each(|which| pairs.count(Id::seeded(NOW, which), &limits, NOW));
        let later = NOW.plus_seconds(100);
        pairs.count(Id::seeded(NOW, 5000), &limits, later);
        assert_eq!(pairs.full_at.len(), 1024, "though all but one are full");
        pairs.count(Id::seeded(NOW, 5001), &limits, later);
        assert_eq!(pairs.full_at.len(), 2);
    }
}
