//! A number's throughput: so many in any second, and about a quarter of it in any quarter, so that there is soon room
//! for something urgent. Exact: it remembers the instant of each message of the last second.

use std::collections::VecDeque;

use super::{Limits, plus};
use crate::Timestamp;

const SECOND: i64 = 1_000_000;
const QUARTER: i64 = SECOND / 4;

#[derive(Debug, Default)]
pub struct Number {
    /// In order.
    sent: VecDeque<Timestamp>,
}

/// How many in which time.
#[derive(Debug, Clone, Copy)]
struct Window {
    most: usize,
    length: i64,
}

impl Number {
    /// How many may leave now.
    pub fn room(&self, limits: &Limits, now: Timestamp) -> usize {
        windows(limits).map_or(usize::MAX, |windows| {
            let rooms = windows.map(|window| window.most.saturating_sub(self.within(window, now).len()));
            rooms[0].min(rooms[1])
        })
    }

    /// When there is room again after `more` leave now; `None` if there is some.
    pub fn next(&self, limits: &Limits, now: Timestamp, more: usize) -> Option<Timestamp> {
        windows(limits)?.into_iter().filter_map(|window| self.frees(window, now, more)).max()
    }

    pub fn count(&mut self, now: Timestamp) {
        while self.sent.front().is_some_and(|sent| *sent <= plus(now, -SECOND)) {
            self.sent.pop_front();
        }
        // Only a clock that was set back leaves these, and they would stand in the way for as long.
        while self.sent.back().is_some_and(|sent| *sent > plus(now, SECOND)) {
            self.sent.pop_back();
        }
        let last = self.sent.back().copied().unwrap_or(now);
        self.sent.push_back(now.max(last));
    }

    fn frees(&self, window: Window, now: Timestamp, more: usize) -> Option<Timestamp> {
        let within = self.within(window, now);
        let over = (within.len() + more).checked_sub(window.most)?;
        let first = self.sent.range(within).nth(over).copied().unwrap_or(now);
        Some(plus(first, window.length))
    }

    /// The places of those that count. A message that leaves exactly one length later does not meet them.
    fn within(&self, window: Window, now: Timestamp) -> std::ops::Range<usize> {
        let gone = self.sent.partition_point(|sent| *sent <= plus(now, -window.length));
        let known = self.sent.partition_point(|sent| *sent <= plus(now, SECOND));
        gone..known
    }
}

fn windows(limits: &Limits) -> Option<[Window; 2]> {
    let most = usize::try_from(limits.per_second).ok().filter(|most| *most > 0)?;
    Some([Window { most, length: SECOND }, Window { most: most.div_ceil(4), length: QUARTER }])
}

/// The order in which an idle number is used up: a quarter's share at once, the next one a quarter later.
pub fn estimate(limits: &Limits, ahead: u64, now: Timestamp) -> Timestamp {
    let each = u64::from(limits.per_second);
    if each == 0 {
        return now;
    }
    let quarters = (ahead % each) / each.div_ceil(4);
    let micros = (ahead / each).saturating_mul(4).saturating_add(quarters).saturating_mul(QUARTER.unsigned_abs());
    plus(now, i64::try_from(micros).unwrap_or(i64::MAX))
}
