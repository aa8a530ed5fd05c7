//! How fast the network is asked about payments: so many a second for each channel. Knows no database.

use std::collections::HashMap;

use domain::{ChannelId, Timestamp};

/// Look-ups of a channel in one second.
const MOST: u32 = 20;
const SECOND: i64 = 1_000_000;

/// How much each channel was asked lately; one that is not here, not at all.
#[derive(Debug, Clone, Default)]
pub(super) struct Paces(HashMap<ChannelId, Pace>);

#[derive(Debug, Clone, Copy)]
struct Pace {
    /// Since when it is counted, and what was asked since then.
    since: Timestamp,
    asked: u32,
    /// Turns before this are given away.
    given: Timestamp,
}

/// When it is a look-up's turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Turn {
    Now,
    At(Timestamp),
}

impl Paces {
    /// The next turn of a channel, which is given away by that. What has a turn later asks again when it comes: the turns
    /// only spread it, so that whoever has much is looked at once and not every second.
    pub fn turn(&mut self, channel: ChannelId, now: Timestamp) -> Turn {
        let pace = self.0.entry(channel).or_insert(Pace { since: now, asked: 0, given: now });
        if now >= after(pace.since, SECOND) {
            (pace.since, pace.asked) = (now, 0);
        }
        if pace.asked < MOST {
            pace.asked += 1;
            return Turn::Now;
        }
        let turn = pace.given.max(after(pace.since, SECOND));
        pace.given = after(turn, SECOND / i64::from(MOST));
        Turn::At(turn)
    }

    /// The network wants a channel to be silent until then.
    pub fn rest(&mut self, channel: ChannelId, until: Timestamp) {
        let pace = self.0.entry(channel).or_insert(Pace { since: until, asked: MOST, given: until });
        // The second before the rest is over is used up.
        pace.since = pace.since.max(after(until, -SECOND));
        pace.asked = MOST;
        pace.given = pace.given.max(until);
    }

    /// Whoever may be asked now is not remembered.
    pub fn forget(&mut self, now: Timestamp) {
        self.0.retain(|_, pace| pace.given > now || after(pace.since, SECOND) > now);
    }
}

const fn after(at: Timestamp, micros: i64) -> Timestamp {
    Timestamp::from_micros(at.micros().saturating_add(micros))
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::Id;

    const NOW: Timestamp = Timestamp::from_seconds(1_776_000_000);

    #[test]
    fn a_channel_is_asked_twenty_times_a_second_and_does_not_hold_up_another() {
        let (one, other) = (Id::seeded(NOW, 1), Id::seeded(NOW, 2));
        let mut paces = Paces::default();
        let turns: Vec<Turn> = (0..60).map(|_| paces.turn(one, NOW)).collect();
        assert!(turns[..20].iter().all(|turn| *turn == Turn::Now), "{turns:?}");
        assert_eq!(turns[20], Turn::At(NOW.plus_seconds(1)));
        assert_eq!(turns[40], Turn::At(NOW.plus_seconds(2)));
        assert_eq!(paces.turn(other, NOW), Turn::Now);
        // Their turns come.
        for second in 1..=3 {
            let now = NOW.plus_seconds(second);
            let due = |turn: &&Turn| matches!(turn, Turn::At(at) if *at <= now && *at > now.plus_seconds(-1));
            let asked = turns.iter().filter(due).filter(|_| paces.turn(one, now) == Turn::Now).count();
            assert_eq!(asked, turns.iter().filter(due).count(), "{second}");
            assert!(asked <= 20);
        }
        paces.forget(NOW.plus_seconds(5));
        assert!(paces.0.is_empty());
    }

    #[test]
    fn a_channel_that_is_to_rest_is_asked_afterwards() {
        let one = Id::seeded(NOW, 1);
        let mut paces = Paces::default();
        assert_eq!(paces.turn(one, NOW), Turn::Now);
        paces.rest(one, NOW.plus_seconds(60));
        paces.rest(one, NOW.plus_seconds(30));
        paces.forget(NOW.plus_seconds(20));
        assert_eq!(paces.turn(one, NOW.plus_seconds(20)), Turn::At(NOW.plus_seconds(60)));
        assert_eq!(paces.turn(one, NOW.plus_seconds(60)), Turn::Now);
    }
}
