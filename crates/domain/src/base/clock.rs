//! The source of the present time. Code that needs the time takes a `Clock`, so that tests can control it.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use crate::Timestamp;

/// The system's clock, or one that a test moves by hand.
#[derive(Debug, Clone)]
pub struct Clock(Source);

#[derive(Debug, Clone)]
enum Source {
    System,
    Manual(Arc<AtomicI64>),
}

impl Clock {
    pub fn system() -> Self {
        Self(Source::System)
    }

    pub fn manual(start: Timestamp) -> Self {
        Self(Source::Manual(Arc::new(AtomicI64::new(start.micros()))))
    }

    pub fn now(&self) -> Timestamp {
        match &self.0 {
            Source::System => Timestamp::system_now(),
            Source::Manual(micros) => Timestamp::from_micros(micros.load(Ordering::SeqCst)),
        }
    }

    /// Moves a manual clock forward; does nothing on a system clock.
    pub fn advance(&self, by: std::time::Duration) {
        if let Source::Manual(micros) = &self.0 {
            micros.fetch_add(i64::try_from(by.as_micros()).unwrap_or(i64::MAX), Ordering::SeqCst);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn a_manual_clock_stands_still_until_it_is_moved_and_its_copies_move_with_it() {
        let start = Timestamp::from_seconds(1_776_000_000);
        let clock = Clock::manual(start);
        let copy = clock.clone();
        assert_eq!((clock.now(), clock.now()), (start, start));
        clock.advance(Duration::from_micros(1));
        clock.advance(Duration::from_secs(2));
        assert_eq!(copy.now(), Timestamp::from_micros(start.micros() + 2_000_001));
    }

    #[test]
    fn a_system_clock_goes_by_itself() {
        let clock = Clock::system();
        let before = clock.now();
        clock.advance(Duration::from_secs(1_000_000));
        let after = clock.now();
        assert!(before > Timestamp::from_seconds(1_700_000_000), "{before:?}");
        assert!(after.seconds_since(before) < 100_000);
    }
}
