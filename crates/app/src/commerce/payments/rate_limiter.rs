//! Bounds the look-ups of each channel per second. Kept in memory, since one node at a time claims look-ups; a node
//! that takes the lease over starts without the counts of the previous holder.

use std::collections::HashMap;

use domain::base::rate::SecondCount;
use domain::{ChannelId, Timestamp};

/// Most look-ups of a channel in one second.
const MOST_PER_SECOND: u32 = 20;
/// Microseconds between the slots of look-ups that must wait.
const SLOT: i64 = 1_000_000 / MOST_PER_SECOND as i64;

/// The recent look-ups by channel; a channel without an entry has none.
#[derive(Debug, Clone, Default)]
pub(crate) struct LookupRateLimiter(HashMap<ChannelId, ChannelRate>);

#[derive(Debug, Clone, Copy)]
struct ChannelRate {
    asked: SecondCount,
    paused_until: Timestamp,
    /// The next free slot for a look-up that must wait.
    next_slot: Timestamp,
}

/// When a look-up may run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Slot {
    Now,
    At(Timestamp),
}

impl LookupRateLimiter {
    /// Reserves the next slot of a channel. A look-up with a later slot must be reserved again at that time: later
    /// slots only spread the due times, so that a channel with many due look-ups is not read every second.
    pub(super) fn reserve(&mut self, channel: ChannelId, now: Timestamp) -> Slot {
        let rate = self.rate(channel, now);
        if now >= rate.paused_until && rate.asked.at(now) < MOST_PER_SECOND {
            rate.asked.count(now);
            return Slot::Now;
        }
        let slot = rate.next_slot.max(rate.asked.end());
        rate.next_slot = slot.plus_micros(SLOT);
        Slot::At(slot)
    }

    /// Allows no look-up of the channel before `until`, since the network demanded a pause.
    pub(super) fn pause(&mut self, channel: ChannelId, until: Timestamp) {
        let rate = self.rate(channel, until.plus_seconds(-1));
        rate.paused_until = rate.paused_until.max(until);
        rate.next_slot = rate.next_slot.max(until);
    }

    /// Drops channels that could run a look-up now: their counts no longer matter.
    pub(super) fn drop_idle(&mut self, now: Timestamp) {
        self.0.retain(|_, rate| rate.next_slot > now || rate.asked.end() > now);
    }

    fn rate(&mut self, channel: ChannelId, now: Timestamp) -> &mut ChannelRate {
        let idle = ChannelRate { asked: SecondCount::new(now), paused_until: now, next_slot: now };
        self.0.entry(channel).or_insert(idle)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::Id;

    const NOW: Timestamp = Timestamp::from_seconds(1_776_000_000);

    #[test]
    fn a_channel_is_asked_twenty_times_a_second_and_does_not_hold_up_another() {
        let (one, other) = (Id::seeded(NOW, 1), Id::seeded(NOW, 2));
        let mut limiter = LookupRateLimiter::default();
        let slots: Vec<Slot> = (0..60).map(|_| limiter.reserve(one, NOW)).collect();
        assert!(slots[..20].iter().all(|slot| *slot == Slot::Now), "{slots:?}");
        assert_eq!(slots[20], Slot::At(NOW.plus_seconds(1)));
        assert_eq!(slots[40], Slot::At(NOW.plus_seconds(2)));
        assert_eq!(limiter.reserve(other, NOW), Slot::Now);
        // At the time of its slot, each look-up is allowed.
        for second in 1..=3 {
            let now = NOW.plus_seconds(second);
            let due = |slot: &&Slot| matches!(slot, Slot::At(at) if *at <= now && *at > now.plus_seconds(-1));
            let asked = slots.iter().filter(due).filter(|_| limiter.reserve(one, now) == Slot::Now).count();
            assert_eq!(asked, slots.iter().filter(due).count(), "{second}");
            assert!(asked <= 20);
        }
        limiter.drop_idle(NOW.plus_seconds(5));
        assert!(limiter.0.is_empty());
    }

    #[test]
    fn a_paused_channel_is_asked_after_the_pause() {
        let one = Id::seeded(NOW, 1);
        let mut limiter = LookupRateLimiter::default();
        assert_eq!(limiter.reserve(one, NOW), Slot::Now);
        limiter.pause(one, NOW.plus_seconds(60));
        limiter.pause(one, NOW.plus_seconds(30));
        limiter.drop_idle(NOW.plus_seconds(20));
        assert_eq!(limiter.reserve(one, NOW.plus_seconds(20)), Slot::At(NOW.plus_seconds(60)));
        assert_eq!(limiter.reserve(one, NOW.plus_seconds(60)), Slot::Now);
    }
}
