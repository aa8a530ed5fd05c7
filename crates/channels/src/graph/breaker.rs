//! Circuit breaker of one channel.
//!
//! After a number of consecutive failures the breaker opens: calls fail at once, and no caller waits for a time-out of
//! a network that is down. After a pause it lets one call through as a probe; the probe's outcome closes it or opens it
//! again. A refusal by the network is an answer and never opens it.
//!
//! The state lives in memory: after a restart every breaker is closed. Time comes from the clock that it was given, so
//! tests move it by hand. Used by `client.rs`.

use std::time::Duration;

use domain::{BreakerSettings, BreakerState, Clock};
use parking_lot::Mutex;

/// The network's breaker: the same pause after each failure.
const NETWORK: BreakerSettings = BreakerSettings::steady(5, Duration::from_secs(10));

#[derive(Debug)]
pub struct Breaker {
    clock: Clock,
    pause: Duration,
    calls: Mutex<Calls>,
}

#[derive(Debug)]
struct Calls {
    state: BreakerState,
    /// One probe is in flight; other calls are refused until it ends.
    probing: bool,
}

impl Breaker {
    pub fn new(clock: Clock) -> Self {
        Self::with_settings(clock, NETWORK)
    }

    pub fn with_settings(clock: Clock, settings: BreakerSettings) -> Self {
        let calls = Calls { state: BreakerState::new(settings), probing: false };
        Self { clock, pause: settings.pause, calls: Mutex::new(calls) }
    }

    /// Admits a call, or answers how long to wait before the next try.
    pub(super) fn admit(&self) -> Result<Permit<'_>, Duration> {
        let (now, mut calls) = (self.clock.now(), self.calls.lock());
        if calls.state.allows(now, usize::from(calls.probing), usize::MAX) == 0 {
            let paused = calls.state.paused_until().filter(|until| *until > now);
            return Err(paused.map_or(self.pause, |until| now.until(until)));
        }
        let probe = calls.state.is_open();
        calls.probing |= probe;
        Ok(Permit { breaker: self, probe })
    }
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
        let mut calls = self.breaker.calls.lock();
        calls.state.succeeded();
        calls.probing = false;
    }

    pub(super) fn failed(self) {
        let mut calls = self.breaker.calls.lock();
        // A call that started before the breaker opened counts no more.
        if !calls.state.is_open() || (self.probe && calls.probing) {
            calls.state.failed(self.breaker.clock.now());
        }
    }
}

impl Drop for Permit<'_> {
    /// The next call probes, if the breaker is still open.
    fn drop(&mut self) {
        if self.probe {
            self.breaker.calls.lock().probing = false;
        }
    }
}

#[cfg(test)]
mod tests {
    use domain::Timestamp;

    use super::*;

    const PAUSE: Duration = Duration::from_secs(10);

    fn breaker() -> (Clock, Breaker) {
        let clock = Clock::manual(Timestamp::from_seconds(1_000));
        (clock.clone(), Breaker::with_settings(clock, BreakerSettings::steady(3, PAUSE)))
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
