//! The requests of a connection, as its stream, its bodies and the accept loop see them.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use tokio::time::Instant;

use super::options::NoAnswer;
use super::reader_watch::ReaderWatch;

/// The requests of a connection: how many have begun and how many run, and since when it is idle. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub(super) struct Activity(Arc<Counts>);

#[derive(Debug)]
struct Counts {
    begun: AtomicU32,
    running: AtomicU32,
    given_up: AtomicBool,
    idle: ReaderWatch,
    /// Watch of the answer that an HTTP/1 connection sends.
    reader: ReaderWatch,
}

impl Default for Counts {
    fn default() -> Self {
        let idle = ReaderWatch::default();
        idle.start();
        Self {
            begun: AtomicU32::new(0),
            running: AtomicU32::new(0),
            given_up: AtomicBool::new(false),
            idle,
            reader: ReaderWatch::default(),
        }
    }
}

/// Exists while a request is handled and its answer is sent.
#[derive(Debug)]
pub(super) struct RunningRequest(Activity);

impl Activity {
    pub fn begin(&self) -> RunningRequest {
        self.0.begun.fetch_add(1, Ordering::Relaxed);
        self.0.running.fetch_add(1, Ordering::Relaxed);
        RunningRequest(self.clone())
    }

    pub fn begun(&self) -> u32 {
        self.0.begun.load(Ordering::Relaxed)
    }

    pub fn is_busy(&self) -> bool {
        self.0.running.load(Ordering::Relaxed) > 0
    }

    /// Since when no request is handled; none while one is.
    pub fn idle_since(&self) -> Option<Instant> {
        self.0.idle.since().filter(|_| !self.is_busy())
    }

    /// Whether a request was given up: its connection is reset without an answer.
    pub fn is_given_up(&self) -> bool {
        self.0.given_up.load(Ordering::Relaxed)
    }

    pub fn reader(&self) -> &ReaderWatch {
        &self.0.reader
    }
}

impl RunningRequest {
    /// Marks the connection to be reset; returns the error by which hyper ends the request without an answer.
    pub fn give_up(&self) -> NoAnswer {
        self.0.0.given_up.store(true, Ordering::Relaxed);
        NoAnswer
    }
}

impl Drop for RunningRequest {
    fn drop(&mut self) {
        if self.0.0.running.fetch_sub(1, Ordering::Relaxed) == 1 {
            self.0.0.idle.start();
        }
    }
}
