//! The one source of "now". Everything that needs the time is handed a `Clock`, so that tests can own it.

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

    /// Moves a manual clock forward; a system clock moves by itself and ignores it.
    pub fn advance(&self, by: std::time::Duration) {
        if let Source::Manual(micros) = &self.0 {
            micros.fetch_add(i64::try_from(by.as_micros()).unwrap_or(i64::MAX), Ordering::SeqCst);
        }
    }
}
