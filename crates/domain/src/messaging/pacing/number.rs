//! A number's throughput: a limit in any second, and about a quarter of it in any quarter of a second, so that an
//! urgent message soon finds room. Exact: it keeps the instant of each message of the last second.

use std::collections::VecDeque;

use super::limits::Limits;
use crate::Timestamp;

const SECOND: i64 = 1_000_000;
const QUARTER: i64 = SECOND / 4;

#[derive(Debug, Default)]
pub struct Number {
    /// When the messages of the last second left, in order.
    sent: VecDeque<Timestamp>,
}

/// At most `most` messages in `length` microseconds.
#[derive(Debug, Clone, Copy)]
struct Window {
    most: usize,
    length: i64,
}

impl Number {
    /// How many messages may leave now.
    pub fn room(&self, limits: &Limits, now: Timestamp) -> usize {
        windows(limits).map_or(usize::MAX, |windows| {
            let rooms = windows.map(|window| window.most.saturating_sub(self.within(window, now).len()));
            rooms[0].min(rooms[1])
        })
    }

    /// When there is room again, if `more` messages leave now; `None` if there is room left even then.
    pub fn next(&self, limits: &Limits, now: Timestamp, more: usize) -> Option<Timestamp> {
        windows(limits)?.into_iter().filter_map(|window| self.frees(window, now, more)).max()
    }

    pub fn count(&mut self, now: Timestamp) {
        while self.sent.front().is_some_and(|sent| *sent <= now.plus_micros(-SECOND)) {
            self.sent.pop_front();
        }
        // Times that are left over after a clock was set back; they would block the number until the clock has caught
        // up.
        while self.sent.back().is_some_and(|sent| *sent > now.plus_micros(SECOND)) {
            self.sent.pop_back();
        }
        let last = self.sent.back().copied().unwrap_or(now);
        self.sent.push_back(now.max(last));
    }

    fn frees(&self, window: Window, now: Timestamp, more: usize) -> Option<Timestamp> {
        let within = self.within(window, now);
        let over = (within.len() + more).checked_sub(window.most)?;
        let first = self.sent.range(within).nth(over).copied().unwrap_or(now);
        Some(first.plus_micros(window.length))
    }

    /// The indexes of the messages that count. A message stops counting exactly one length after it left.
    fn within(&self, window: Window, now: Timestamp) -> std::ops::Range<usize> {
        let gone = self.sent.partition_point(|sent| *sent <= now.plus_micros(-window.length));
        let known = self.sent.partition_point(|sent| *sent <= now.plus_micros(SECOND));
        gone..known
    }
}

fn windows(limits: &Limits) -> Option<[Window; 2]> {
    let most = usize::try_from(limits.per_second).ok().filter(|most| *most > 0)?;
    Some([Window { most, length: SECOND }, Window { most: most.div_ceil(4), length: QUARTER }])
}

/// When a message with `ahead` messages of its number before it leaves, if only the number's limit holds them back. As
/// an idle number sends: a quarter's share at once, the next share a quarter of a second later.
pub fn estimate(limits: &Limits, ahead: u64, now: Timestamp) -> Timestamp {
    let each = u64::from(limits.per_second);
    if each == 0 {
        return now;
    }
    let quarters = (ahead % each) / each.div_ceil(4);
    let micros = (ahead / each).saturating_mul(4).saturating_add(quarters).saturating_mul(QUARTER.unsigned_abs());
    now.plus_micros(i64::try_from(micros).unwrap_or(i64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Timestamp = Timestamp::from_seconds(1_776_000_000);

    fn at(micros: i64) -> Timestamp {
        NOW.plus_micros(micros)
    }

    fn limits(per_second: u32) -> Limits {
        Limits { per_second, ..Limits::default() }
    }

    #[test]
    fn a_quarter_of_the_limit_is_rounded_up() {
        for (per_second, room) in [(1, 1), (4, 1), (5, 2), (8, 2), (80, 20), (81, 21)] {
            assert_eq!(Number::default().room(&limits(per_second), NOW), room, "{per_second}");
        }
        assert_eq!(Number::default().room(&limits(0), NOW), usize::MAX);
    }

    #[test]
    fn a_message_counts_for_exactly_one_second_and_one_quarter() {
        let mut number = Number::default();
        number.count(NOW);
        for (micros, quarter, second) in
            [(0, 1, 3), (249_999, 1, 3), (250_000, 2, 3), (999_999, 2, 3), (1_000_000, 2, 4)]
        {
            assert_eq!(number.room(&limits(8), at(micros)), quarter, "{micros}");
            // A limit of four a second allows one in a quarter, so the room in the whole second is looked at directly.
            let left = 4 - number.within(Window { most: 4, length: SECOND }, at(micros)).len();
            assert_eq!(left, second, "{micros}");
        }
    }

    #[test]
    fn the_second_limits_where_the_quarters_would_not() {
        // Five a second are two a quarter: after 2, 2 and 1 the second is used up.
        let mut number = Number::default();
        for micros in [0, 0, 250_000, 250_000, 500_000] {
            number.count(at(micros));
        }
        assert_eq!(number.room(&limits(5), at(750_000)), 0);
        assert_eq!(number.next(&limits(5), at(750_000), 0), Some(at(SECOND)));
        assert_eq!(number.room(&limits(5), at(SECOND)), 2);
        assert_eq!(number.next(&limits(5), at(SECOND), 0), None, "there is room");
        assert_eq!(number.next(&limits(5), at(SECOND), 2), Some(at(SECOND + QUARTER)));
        assert_eq!(number.next(&limits(0), at(SECOND), 9), None);
    }

    #[test]
    fn what_is_older_than_a_second_is_not_remembered() {
        let mut number = Number::default();
        for micros in [0, 1, SECOND, SECOND + 1] {
            number.count(at(micros));
        }
        assert_eq!(number.sent, [at(SECOND), at(SECOND + 1)]);
    }

    #[test]
    fn a_clock_that_is_set_back_by_more_than_a_second_forgets_and_by_less_it_waits() {
        let mut number = Number::default();
        number.count(at(SECOND));
        number.count(NOW);
        assert_eq!(number.sent, [at(SECOND), at(SECOND)], "in order");
        number.count(at(-1));
        assert_eq!(number.sent, [at(-1)], "more than a second ahead");
    }

    #[test]
    fn an_estimate_counts_whole_seconds_and_quarters() {
        for (per_second, ahead, quarters) in [
            (80, 0, 0),
            (80, 19, 0),
            (80, 20, 1),
            (80, 79, 3),
            (80, 80, 4),
            (80, 100, 5),
            (5, 4, 2),
            (5, 5, 4),
            (1, 3, 12),
        ] {
            assert_eq!(estimate(&limits(per_second), ahead, NOW), at(quarters * QUARTER), "{ahead} of {per_second}");
        }
    }
}
