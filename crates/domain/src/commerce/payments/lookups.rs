//! When the look-up of a payment is due: to confirm a webhook's claim, soon and then with growing pauses; or, without a
//! claim, as a sweep that finds payments whose webhook was lost.

use std::time::Duration;

use super::{Payment, PaymentStatus};
use crate::{OrderId, Timestamp};

/// First pause in seconds while a claim is unconfirmed; it doubles with each fruitless attempt.
const CONFIRM_SECONDS: i64 = 5;
const CONFIRM_LONGEST: i64 = 3600;
/// Most attempts to confirm a claim: about half a day in all. Then only the sweep looks the payment up.
const MOST_CONFIRM_ATTEMPTS: i64 = 20;
/// First pause of the sweep in seconds; it doubles. Most people pay within minutes or not at all.
const SWEEP_SECONDS: i64 = 15 * 60;
const SWEEP_LONGEST: i64 = DAY;
const SWEEP_FOR: i64 = 30 * DAY;
/// How long the sweep goes on after a cancellation: a canceled order may still be paid for a while.
const SWEEP_CANCELED_FOR: i64 = 3 * DAY;
/// How long the sweep goes on after a capture, with one look-up a day: a captured payment may be paid twice or refunded
/// without a webhook.
const SWEEP_CAPTURED_FOR: i64 = 3 * DAY;
const DAY: i64 = 24 * 60 * 60;
/// The longest pause in seconds that is kept when the network asks for one.
const LONGEST_PAUSE: i64 = DAY;

/// The past look-ups of one payment.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct LookupAttempts {
    /// Attempts since the last change of state that failed or changed nothing.
    pub fruitless: i64,
    /// Time of the last attempt.
    pub last: Option<Timestamp>,
    /// The end of a pause that the network asked for.
    pub not_before: Option<Timestamp>,
}

impl LookupAttempts {
    /// Counts an attempt. `changed`: it changed the payment's state. `asked`: the pause that the network asks for.
    #[must_use]
    pub fn record(self, now: Timestamp, changed: bool, asked: Option<Duration>) -> Self {
        let pause = |asked: Duration| i64::try_from(asked.as_secs()).unwrap_or(LONGEST_PAUSE).min(LONGEST_PAUSE);
        Self {
            fruitless: if changed { 0 } else { self.fruitless.saturating_add(1) },
            last: Some(now),
            not_before: asked.map(|asked| now.plus_seconds(pause(asked))),
        }
    }

    /// Another source changed the state: the pauses begin anew.
    #[must_use]
    pub const fn reset(self) -> Self {
        Self { fruitless: 0, ..self }
    }

    /// The time of the last attempt plus a pause, which doubles with each fruitless attempt from `first` up to
    /// `longest` seconds. The id adds up to a quarter of the pause, so that payments are not due all at once.
    fn after(self, last: Timestamp, first: i64, longest: i64, id: OrderId) -> Timestamp {
        let pause = first.saturating_mul(1 << (self.fruitless - 1).clamp(0, 20)).min(longest);
        let spread = i64::from(id.bytes()[11]) * pause * 1_000_000 / 1024;
        last.plus_seconds(pause).plus_micros(spread)
    }
}

impl Payment {
    /// When the next look-up is due; None when no further one is needed. A time in the past means now. `id` is the
    /// order's.
    pub fn next_lookup(&self, attempts: LookupAttempts, id: OrderId) -> Option<Timestamp> {
        let ordered_at = self.ordered_at?;
        let due = match self.pending_confirmation {
            Some(_) if attempts.fruitless < MOST_CONFIRM_ATTEMPTS => Some(self.confirm_at(attempts, ordered_at, id)),
            _ => self.sweep_at(attempts, ordered_at, id),
        };
        due.map(|due| attempts.not_before.map_or(due, |not_before| due.max(not_before)))
    }

    fn confirm_at(&self, attempts: LookupAttempts, ordered_at: Timestamp, id: OrderId) -> Timestamp {
        match attempts.last {
            None => self.reported_at.unwrap_or(ordered_at),
            Some(last) => attempts.after(last, CONFIRM_SECONDS, CONFIRM_LONGEST, id),
        }
    }

    /// When the sweep looks the payment up, because the webhook of a capture may have been lost. None after the end of
    /// the sweep.
    fn sweep_at(&self, attempts: LookupAttempts, ordered_at: Timestamp, id: OrderId) -> Option<Timestamp> {
        let (from, first, ends) = match (self.status, self.captured_at) {
            (PaymentStatus::Refunded, _) => return None,
            (PaymentStatus::Captured, at) => {
                let at = at.unwrap_or(ordered_at);
                (at, DAY, at.plus_seconds(SWEEP_CAPTURED_FOR))
            }
            _ => (ordered_at, SWEEP_SECONDS, self.sweep_ends_at(ordered_at)),
        };
        let earliest = from.plus_seconds(first);
        let due = attempts.last.map_or(earliest, |last| earliest.max(attempts.after(last, first, SWEEP_LONGEST, id)));
        (due <= ends).then_some(due)
    }

    fn sweep_ends_at(&self, ordered_at: Timestamp) -> Timestamp {
        let ends = ordered_at.plus_seconds(SWEEP_FOR);
        self.canceled_at.map_or(ends, |at| ends.min(at.plus_seconds(SWEEP_CANCELED_FOR)))
    }
}
