//! Circuit breaker of one channel.
//!
//! After a number of consecutive failures the breaker opens: calls fail at once, and no caller waits for a time-out of
//! a network that is down. After a pause it lets one call through as a probe; the probe's outcome closes it or opens it
//! again. A refusal by the network is an answer and never opens it.
//!
//! The state lives in memory: after a restart every breaker is closed. Time comes from the clock that it was given, so
//! tests move it by hand. Used by `client.rs`.

use std::time::Duration;

use domain::{Clock, Timestamp};
use parking_lot::{Mutex, MutexGuard};

#[derive(Debug, Clone, Copy)]
pub struct BreakerSettings {
    /// Consecutive failures that open the breaker.
    pub failures: u32,
    /// How long the breaker stays open before one call may probe.
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
    /// One probe is in flight; other calls are refused until it ends.
    Probing,
}

impl Breaker {
    pub fn new(clock: Clock, settings: BreakerSettings) -> Self {
        Self { clock, settings, state: Mutex::new(State::Closed { failures: 0 }) }
    }

    /// Admits a call, or answers how long to wait before the next try.
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
            // A call that started before the breaker opened counts no more.
            late => late,
        };
    }
}

fn between(now: Timestamp, later: Timestamp) -> Duration {
    Duration::from_micros(u64::try_from(later.micros().saturating_sub(now.micros())).unwrap_or(0))
}

/// Permission for one call. Its holder reports the outcome; a dropped permit reports none.
#[derive(Debug)]
pub(super) struct Permit<'a> {
    breaker: &'a Breaker,
    probe: bool,
}

impl Permit<'_> {
    /// The network answered, with a success or a refusal: the breaker closes.
    pub(super) fn answered(self) {
        *self.breaker.state() = State::Closed { failures: 0 };
    }

    pub(super) fn failed(self) {
        self.breaker.count_failure(self.probe);
    }
}

impl Drop for Permit<'_> {
    /// A probe that is dropped without an outcome lets the next call probe.
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
    fn consecutive_failures_open_the_breaker() {
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
    fn a_dropped_probe_lets_the_next_call_probe() {
        let (clock, breaker) = breaker();
        fail(&breaker, 3);
        clock.advance(PAUSE);
        drop(breaker.admit().unwrap());
        assert!(breaker.admit().is_ok());
    }

    #[test]
    fn late_outcomes_of_earlier_calls() {
        let (_clock, breaker) = breaker();
        let (early, other) = (breaker.admit().unwrap(), breaker.admit().unwrap());
        fail(&breaker, 3);
        early.failed();
        assert!(breaker.admit().is_err());
        other.answered();
        assert!(breaker.admit().is_ok(), "the network answers");
    }
}
