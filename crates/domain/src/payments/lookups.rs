//! When the network is asked how a payment stands. Two reasons: a webhook spoke and is to be confirmed, soon and then
//! less and less often; or nobody spoke, and a sweep looks whether a webhook was lost.

use std::time::Duration;

use super::{Payment, Status};
use crate::{OrderId, Timestamp};

/// The first pause while something is to be confirmed; it doubles.
const CONFIRM_SECONDS: i64 = 5;
const CONFIRM_LONGEST: i64 = 3600;
/// Together about half a day; what is not confirmed then is left to the sweep.
const CONFIRM_TRIES: i64 = 20;
/// People pay within minutes or not at all. The pause doubles.
const SWEEP_SECONDS: i64 = 15 * 60;
const SWEEP_LONGEST: i64 = DAY;
const SWEEP_FOR: i64 = 30 * DAY;
/// An order that was canceled may still be paid for a while.
const SWEEP_CANCELED_FOR: i64 = 3 * DAY;
/// What is captured may be paid once more, or refunded, and nobody tells: a look a day.
const SWEEP_CAPTURED_FOR: i64 = 3 * DAY;
const DAY: i64 = 24 * 60 * 60;
/// What the network may ask us to wait, at most.
const LONGEST_ASKED: i64 = DAY;

/// The look-ups of one payment so far.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Tries {
    /// Those that failed or brought nothing new since something was learnt.
    pub fruitless: i64,
    /// When the last one was made.
    pub last: Option<Timestamp>,
    /// The network asked not to be asked before.
    pub not_before: Option<Timestamp>,
}

impl Tries {
    /// A look-up was made. `learnt`: it changed the payment's state. `asked`: the pause that the network wants.
    #[must_use]
    pub fn made(self, now: Timestamp, learnt: bool, asked: Option<Duration>) -> Self {
        let pause = |asked: Duration| i64::try_from(asked.as_secs()).unwrap_or(LONGEST_ASKED).min(LONGEST_ASKED);
        Self {
            fruitless: if learnt { 0 } else { self.fruitless.saturating_add(1) },
            last: Some(now),
            not_before: asked.map(|asked| now.plus_seconds(pause(asked))),
        }
    }

    /// Somebody else said something new: look soon.
    #[must_use]
    pub const fn woken(self) -> Self {
        Self { fruitless: 0, ..self }
    }

    /// After the last one by a pause that doubles. The id spreads payments that would be asked for together.
    fn after(self, last: Timestamp, first: i64, longest: i64, id: OrderId) -> Timestamp {
        let pause = first.saturating_mul(1 << (self.fruitless - 1).clamp(0, 20)).min(longest);
        let spread = i64::from(id.bytes()[11]) * pause * 1_000_000 / 1024;
        Timestamp::from_micros(last.plus_seconds(pause).micros().saturating_add(spread))
    }
}

impl Payment {
    /// None: there is nothing to find out any more. A time that has passed: now. `id` is the order's.
    pub fn next_lookup(&self, tries: Tries, id: OrderId) -> Option<Timestamp> {
        let ordered_at = self.ordered_at?;
        let due = match self.pending_confirmation {
            Some(_) if tries.fruitless < CONFIRM_TRIES => Some(self.confirm_at(tries, ordered_at, id)),
            _ => self.sweep_at(tries, ordered_at, id),
        };
        due.map(|due| tries.not_before.map_or(due, |not_before| due.max(not_before)))
    }

    fn confirm_at(&self, tries: Tries, ordered_at: Timestamp, id: OrderId) -> Timestamp {
        match tries.last {
            None => self.reported_at.unwrap_or(ordered_at),
            Some(last) => tries.after(last, CONFIRM_SECONDS, CONFIRM_LONGEST, id),
        }
    }

    /// What is not captured may have been, and nobody told.
    fn sweep_at(&self, tries: Tries, ordered_at: Timestamp, id: OrderId) -> Option<Timestamp> {
        let (from, first, ends) = match (self.status, self.captured_at) {
            (Status::Refunded, _) => return None,
            (Status::Captured, at) => {
                let at = at.unwrap_or(ordered_at);
                (at, DAY, at.plus_seconds(SWEEP_CAPTURED_FOR))
            }
            _ => (ordered_at, SWEEP_SECONDS, self.given_up_at(ordered_at)),
        };
        let earliest = from.plus_seconds(first);
        let due = tries.last.map_or(earliest, |last| earliest.max(tries.after(last, first, SWEEP_LONGEST, id)));
        (due <= ends).then_some(due)
    }

    fn given_up_at(&self, ordered_at: Timestamp) -> Timestamp {
        let ends = ordered_at.plus_seconds(SWEEP_FOR);
        self.canceled_at.map_or(ends, |at| ends.min(at.plus_seconds(SWEEP_CANCELED_FOR)))
    }
}
