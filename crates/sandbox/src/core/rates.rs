//! The network's rate limits, counted in memory on the application's clock.

use std::collections::HashMap;

use domain::{ChannelId, Timestamp};
use parking_lot::Mutex;

use super::config::Rates;

const SECOND: i64 = 1_000_000;
/// At this number of pairs of channel and recipient in memory, those with a full bucket are removed.
const MANY: usize = 10_000;

#[derive(Debug)]
pub struct Meter {
    rates: Rates,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// For each channel: the Unix second of the last message, and the messages in that second.
    seconds: HashMap<ChannelId, (i64, u32)>,
    /// For each channel and recipient: when the bucket is full again, in microseconds.
    pairs: HashMap<(ChannelId, String), i64>,
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
        let (second, seen) = *state.seconds.get(&channel).unwrap_or(&(now.seconds(), 0));
        let seen = if second == now.seconds() { seen } else { 0 };
        if self.rates.throughput > 0 && seen >= self.rates.throughput {
            return Err(TooFast::Throughput);
        }
        self.pass_pair(&mut state.pairs, (channel, recipient.to_owned()), now)?;
        state.seconds.insert(channel, (now.seconds(), seen.saturating_add(1)));
        Ok(())
    }

    /// Counts a message in the token bucket of channel and recipient, which is stored as the time of being full again.
    fn pass_pair(
        &self,
        pairs: &mut HashMap<(ChannelId, String), i64>,
        pair: (ChannelId, String),
        now: Timestamp,
    ) -> Result<(), TooFast> {
        let Rates { pair_burst, pair_seconds, .. } = self.rates;
        if pair_burst == 0 || pair_seconds == 0 {
            return Ok(());
        }
        let step = i64::from(pair_seconds) * SECOND;
        let full_at = pairs.get(&pair).copied().unwrap_or_default().max(now.micros());
        if full_at - now.micros() > step * i64::from(pair_burst - 1) {
            return Err(TooFast::Pair);
        }
        if pairs.len() >= MANY {
            pairs.retain(|_, full_at| *full_at > now.micros());
        }
        pairs.insert(pair, full_at + step);
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
