//! The network's rate limits, counted in memory on the application's clock.

use std::collections::HashMap;

use domain::base::rate::{Bucket, SecondCount};
use domain::{ChannelId, Timestamp};
use parking_lot::Mutex;

use super::config::Rates;

/// At this number of pairs of channel and recipient in memory, those with a full bucket are removed.
const MANY: usize = 10_000;

#[derive(Debug)]
pub struct Meter {
    rates: Rates,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    seconds: HashMap<ChannelId, SecondCount>,
    /// For each channel and recipient: when the bucket is full again.
    pairs: HashMap<(ChannelId, String), Timestamp>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TooFast {
    Throughput,
    Pair,
}

impl Meter {
    pub fn new(rates: Rates) -> Self {
        Self { rates, state: Mutex::default() }
    }

    /// Counts a message, or returns the limit that it would exceed.
    pub fn pass(&self, channel: ChannelId, recipient: &str, now: Timestamp) -> Result<(), TooFast> {
        let mut state = self.state.lock();
        let seen = state.seconds.get(&channel).map_or(0, |second| second.at(now));
        if self.rates.throughput > 0 && seen >= self.rates.throughput {
            return Err(TooFast::Throughput);
        }
        if let Some(bucket) = Bucket::with_burst(self.rates.pair_burst, self.rates.pair_seconds) {
            let pair = (channel, recipient.to_owned());
            let full_at = state.pairs.get(&pair).map_or(now, |full_at| now.max(*full_at));
            if bucket.gives_at(full_at) > now {
                return Err(TooFast::Pair);
            }
            if state.pairs.len() >= MANY {
                state.pairs.retain(|_, full_at| *full_at > now);
            }
            state.pairs.insert(pair, bucket.after(full_at, now));
        }
        state.seconds.entry(channel).or_insert(SecondCount::new(now)).count(now);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::Id;

    const NOW: Timestamp = Timestamp::from_seconds(1_776_000_000);

    #[test]
    fn a_number_is_limited_per_second() {
        let meter = Meter::new(Rates { throughput: 3, pair_burst: 0, pair_seconds: 0 });
        let (one, other) = (Id::seeded(NOW, 1), Id::seeded(NOW, 2));
        for _ in 0..3 {
            assert_eq!(meter.pass(one, "a", NOW), Ok(()));
        }
        assert_eq!(meter.pass(one, "a", NOW), Err(TooFast::Throughput));
        assert_eq!(meter.pass(other, "a", NOW), Ok(()), "another number is not slowed");
        assert_eq!(meter.pass(one, "a", NOW.plus_seconds(1)), Ok(()));
    }

    #[test]
    fn a_person_gets_a_burst_and_then_one_in_six_seconds() {
        let meter = Meter::new(Rates { throughput: 0, pair_burst: 45, pair_seconds: 6 });
        let channel = Id::seeded(NOW, 1);
        for _ in 0..45 {
            assert_eq!(meter.pass(channel, "a", NOW), Ok(()));
        }
        assert_eq!(meter.pass(channel, "a", NOW), Err(TooFast::Pair));
        assert_eq!(meter.pass(channel, "b", NOW), Ok(()), "another person is not slowed");
        assert_eq!(meter.pass(channel, "a", NOW.plus_seconds(5)), Err(TooFast::Pair));
        assert_eq!(meter.pass(channel, "a", NOW.plus_seconds(6)), Ok(()));
        assert_eq!(meter.pass(channel, "a", NOW.plus_seconds(6)), Err(TooFast::Pair));
        assert_eq!(meter.pass(channel, "a", NOW.plus_seconds(3600)), Ok(()));
    }

    #[test]
    fn zero_switches_a_limit_off() {
        let meter = Meter::new(Rates { throughput: 0, pair_burst: 0, pair_seconds: 6 });
        assert!((0..1000).all(|_| meter.pass(Id::seeded(NOW, 1), "a", NOW).is_ok()));
    }
}
