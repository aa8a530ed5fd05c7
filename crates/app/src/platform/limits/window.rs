//! The spans of time in which limits count: ten seconds for rates, a calendar month (UTC) for usage.

use domain::Timestamp;
use domain::identity::plans::RATE_WINDOW_SECONDS;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Window {
    pub(super) start: Timestamp,
    pub(super) end: Timestamp,
}

impl Window {
    /// The rate window at this time. Windows are aligned to 1970-01-01, so that all nodes have the same ones.
    pub(super) fn rate(now: Timestamp) -> Self {
        let start = Timestamp::from_seconds(now.seconds().div_euclid(RATE_WINDOW_SECONDS) * RATE_WINDOW_SECONDS);
        Self { start, end: start.plus_seconds(RATE_WINDOW_SECONDS) }
    }

    pub(super) fn month(now: Timestamp) -> Self {
        Self { start: now.start_of_month(), end: now.next_month() }
    }

    pub(super) const fn seconds(self) -> i64 {
        self.end.seconds_since(self.start)
    }

    /// Rounded up: after this many seconds the next window has begun.
    pub(super) const fn seconds_left(self, now: Timestamp) -> i64 {
        let micros = self.end.micros().saturating_sub(now.micros());
        if micros <= 0 { 0 } else { (micros + 999_999) / 1_000_000 }
    }
}

#[cfg(test)]
mod tests {
    use domain::base::time::Moment;

    use super::*;

    fn at(text: &str) -> Timestamp {
        Moment::parse(text).unwrap().first()
    }

    #[test]
    fn a_rate_window_has_ten_seconds_and_a_month_its_days() {
        let rate = Window::rate(at("2026-02-28T23:59:57.250Z"));
        assert_eq!((rate.start, rate.end), (at("2026-02-28T23:59:50Z"), at("2026-03-01T00:00:00Z")));
        assert_eq!(rate.seconds(), 10);
        let month = Window::month(at("2026-02-28T23:59:57.250Z"));
        assert_eq!((month.start, month.end), (at("2026-02-01"), at("2026-03-01")));
        assert_eq!(month.seconds(), 28 * 86_400);
    }

    #[test]
    fn after_the_seconds_left_the_window_is_over() {
        for text in ["2026-02-28T23:59:50Z", "2026-02-28T23:59:57.250Z", "2026-02-28T23:59:59.999Z"] {
            let now = at(text);
            let window = Window::rate(now);
            let left = window.seconds_left(now);
            assert!((1..=10).contains(&left), "{text}");
            assert!(now.plus_seconds(left) >= window.end, "{text}");
        }
        assert_eq!(Window::rate(at("2026-02-28T23:59:57.250Z")).seconds_left(at("2026-03-02")), 0);
    }
}
