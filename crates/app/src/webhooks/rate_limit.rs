//! So many requests a second to one endpoint, where it says so: one each so many microseconds.

use domain::Timestamp;

#[derive(Debug, Default)]
pub(super) struct Rate {
    next: Option<Timestamp>,
}

impl Rate {
    /// How many may begin now, and when the next may if none. An idle second does not add up.
    pub fn room(&self, per_second: Option<i64>, now: Timestamp, most: usize) -> (usize, Option<Timestamp>) {
        match (per_second, self.next) {
            (None, _) => (most, None),
            (Some(_), Some(next)) if now < next => (0, Some(next)),
            (Some(_), _) => (most.min(1), None),
        }
    }

    pub fn began(&mut self, per_second: Option<i64>, now: Timestamp) {
        if let Some(rate) = per_second {
            let gap = 1_000_000 / rate.max(1);
            // Being woken a little late costs nothing.
            let from = self.next.map_or(now, |next| next.max(now.plus_seconds(-1)));
            self.next = Some(Timestamp::from_micros(from.micros() + gap));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn so_many_a_second_and_no_more() {
        let start = Timestamp::from_seconds(1_776_000_000);
        let mut rate = Rate::default();
        let mut begun = 0;
        for milli in 0..10_000 {
            let now = Timestamp::from_micros(start.micros() + milli * 1000);
            let (room, _) = rate.room(Some(10), now, 5);
            for _ in 0..room {
                rate.began(Some(10), now);
                begun += 1;
            }
        }
        assert_eq!(begun, 100);
        assert_eq!(Rate::default().room(None, start, 5), (5, None));
    }
}
