//! Limits the requests a second to one endpoint, if the endpoint sets a limit: requests start at even intervals. Starts
//! that were missed within the last second are made up for.

use domain::Timestamp;

#[derive(Debug, Default)]
pub(super) struct RateLimit {
    next: Option<Timestamp>,
}

impl RateLimit {
    /// How many requests may start now, at most `most`; if none may, also the time of the next start.
    pub fn room(&self, per_second: Option<i64>, now: Timestamp, most: usize) -> (usize, Option<Timestamp>) {
        match (per_second, self.next) {
            (None, _) => (most, None),
            (Some(_), Some(next)) if now < next => (0, Some(next)),
            (Some(_), _) => (most.min(1), None),
        }
    }

    pub fn started(&mut self, per_second: Option<i64>, now: Timestamp) {
        if let Some(rate) = per_second {
            let gap = 1_000_000 / rate.max(1);
            // A late wake-up does not lower the rate: up to a second of missed starts is made up for.
            let from = self.next.map_or(now, |next| next.max(now.plus_seconds(-1)));
            self.next = Some(Timestamp::from_micros(from.micros() + gap));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_limit_is_kept_and_reached() {
        let start = Timestamp::from_seconds(1_776_000_000);
        let mut rate = RateLimit::default();
        let mut started = 0;
        for milli in 0..10_000 {
            let now = Timestamp::from_micros(start.micros() + milli * 1000);
            let (room, _) = rate.room(Some(10), now, 5);
            for _ in 0..room {
                rate.started(Some(10), now);
                started += 1;
            }
        }
        assert_eq!(started, 100);
        assert_eq!(RateLimit::default().room(None, start, 5), (5, None));
    }
}
