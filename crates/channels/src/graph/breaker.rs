//! The breaker of one channel: when the network fails again and again, calls are refused here for a while instead of
//! waiting for it one by one. Judges only by the clock that it was handed.

use std::time::Duration;

use domain::{Clock, Timestamp};
use parking_lot::{Mutex, MutexGuard};

#[derive(Debug, Clone, Copy)]
pub struct BreakerSettings {
    /// So many failures in a row open it.
    pub failures: u32,
    /// So long it stays open before one call may probe.
    pub pause: Duration,
}

impl Default for BreakerSettings {
    fn default() -> Self {
        Self { failures: 5, pause: Duration::from_secs(10) }
    }
}

#[derive(Debug)]
pub struct Breaker {
    clock: Clock,
    settings: BreakerSettings,
    state: Mutex<State>,
}

#[derive(Debug, Clone, Copy)]
enum State {
    Closed {
        failures: u32,
    },
    Open {
        until: Timestamp,
    },
    /// One call is on its way to find out; the others wait for it.
    Probing,
}

impl Breaker {
    pub fn new(clock: Clock, settings: BreakerSettings) -> Self {
        Self { clock, settings, state: Mutex::new(State::Closed { failures: 0 }) }
    }

    /// May a call go? Else: how long to wait before asking again.
    pub(super) fn admit(&self) -> Result<Permit<'_>, Duration> {
        let mut state = self.state();
        match *state {
            State::Closed { .. } => Ok(Permit { breaker: self, probe: false }),
            State::Open { until } if self.clock.now() >= until => {
                *state = State::Probing;
                Ok(Permit { breaker: self, probe: true })
            }
            State::Open { until } => Err(between(self.clock.now(), until)),
            State::Probing => Err(self.settings.pause),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock()
    }

    fn opened(&self) -> State {
        let pause = i64::try_from(self.settings.pause.as_micros()).unwrap_or(i64::MAX);
        State::Open { until: Timestamp::from_micros(self.clock.now().micros().saturating_add(pause)) }
    }

    fn count_failure(&self, probe: bool) {
        let mut state = self.state();
        *state = match *state {
            State::Closed { failures } if failures + 1 < self.settings.failures => {
                State::Closed { failures: failures + 1 }
            }
            State::Closed { .. } => self.opened(),
            State::Probing if probe => self.opened(),
            // A call from before it opened adds nothing.
            late => late,
        };
    }
}

fn between(now: Timestamp, later: Timestamp) -> Duration {
    Duration::from_micros(u64::try_from(later.micros().saturating_sub(now.micros())).unwrap_or(0))
}

/// One call's leave to go. Whoever holds it says how it went; a call given up on the way says nothing.
#[derive(Debug)]
pub(super) struct Permit<'a> {
    breaker: &'a Breaker,
    probe: bool,
}

impl Permit<'_> {
    /// The network answered, whatever it said.
    pub(super) fn answered(self) {
        *self.breaker.state() = State::Closed { failures: 0 };
    }

    pub(super) fn failed(self) {
        self.breaker.count_failure(self.probe);
    }
}

impl Drop for Permit<'_> {
    /// A probe that ended without a word leaves its place to the next call.
    fn drop(&mut self) {
        let mut state = self.breaker.state();
        if self.probe && matches!(*state, State::Probing) {
            *state = State::Open { until: self.breaker.clock.now() };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAUSE: Duration = Duration::from_secs(10);

    fn breaker() -> (Clock, Breaker) {
        let clock = Clock::manual(Timestamp::from_seconds(1_000));
        (clock.clone(), Breaker::new(clock, BreakerSettings { failures: 3, pause: PAUSE }))
    }

    fn fail(breaker: &Breaker, times: u32) {
        for _ in 0..times {
            breaker.admit().unwrap().failed();
        }
    }

    #[test]
    fn failures_in_a_row_open_it() {
        let (clock, breaker) = breaker();
        fail(&breaker, 2);
        breaker.admit().unwrap().answered();
        fail(&breaker, 3);
        assert_eq!(breaker.admit().unwrap_err(), PAUSE);
        clock.advance(Duration::from_secs(4));
        assert_eq!(breaker.admit().unwrap_err(), Duration::from_secs(6));
    }

    #[test]
    fn one_call_probes_and_its_answer_decides() {
        let (clock, breaker) = breaker();
        fail(&breaker, 3);
        clock.advance(PAUSE);
        let probe = breaker.admit().unwrap();
        assert_eq!(breaker.admit().unwrap_err(), PAUSE, "only one");
        probe.failed();
        assert_eq!(breaker.admit().unwrap_err(), PAUSE, "open again");
        clock.advance(PAUSE);
        breaker.admit().unwrap().answered();
        fail(&breaker, 2);
        assert!(breaker.admit().is_ok(), "counted from nothing");
    }

    #[test]
    fn a_probe_that_was_given_up_leaves_its_place() {
        let (clock, breaker) = breaker();
        fail(&breaker, 3);
        clock.advance(PAUSE);
        drop(breaker.admit().unwrap());
        assert!(breaker.admit().is_ok());
    }

    #[test]
    fn late_news_of_earlier_calls() {
        let (_clock, breaker) = breaker();
        let (early, other) = (breaker.admit().unwrap(), breaker.admit().unwrap());
        fail(&breaker, 3);
        early.failed();
        assert!(breaker.admit().is_err());
        other.answered();
        assert!(breaker.admit().is_ok(), "the network answers");
    }
}
