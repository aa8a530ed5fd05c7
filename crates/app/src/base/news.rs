//! News between nodes. On a distributed database, a node that looks for what other nodes have done asks all workers, so
//! it looks only after another node has said that there is something.
//!
//! A node notes what it has done (`note`), after the commit: who hears of it then also finds it. Several times a second,
//! `Base::exchange_news` (`exchange_news.rs`) raises the epoch of each kind that this node has noted, and compares all epochs with the values
//! that it knows. The epochs are rows of the installation: reading them asks the coordinator alone.
//!
//! News are hints. If a node dies before it has raised an epoch, the polls of the others find its work (`ACROSS_EVERY` in
//! `workers/src/round.rs`). On a database that is not distributed, nothing is exchanged: looking costs no more there.

use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::Mutex;
use store::Wakeup;

/// What a node has done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NewsKind {
    /// It has appended facts to a log that another node numbers.
    Appended,
    /// It has numbered facts of a log.
    Numbered,
    /// It has stored a change of presence.
    Presence,
}

impl NewsKind {
    pub const ALL: [Self; 3] = [Self::Appended, Self::Numbered, Self::Presence];

    /// Name of the epoch.
    pub(crate) const fn epoch(self) -> &'static str {
        match self {
            Self::Appended => "news/appended",
            Self::Numbered => "news/numbered",
            Self::Presence => "news/presence",
        }
    }
}

/// What this node has noted, and what it knows of the others.
#[derive(Debug, Default)]
pub(crate) struct News([KindState; NewsKind::ALL.len()]);

#[derive(Debug, Default)]
struct KindState {
    is_noted: AtomicBool,
    /// None before the first exchange: there may be anything.
    known: Mutex<Option<i64>>,
    arrived: Wakeup,
}

impl News {
    /// Tells the other nodes at the next exchange. Must be called after the commit.
    pub fn note(&self, kind: NewsKind) {
        self.of(kind).is_noted.store(true, Ordering::Relaxed);
    }

    /// Whether something was noted since the last call.
    pub fn take_noted(&self, kind: NewsKind) -> bool {
        self.of(kind).is_noted.swap(false, Ordering::Relaxed)
    }

    /// Returns when another node has news of this kind. For one task.
    pub async fn arrived(&self, kind: NewsKind) {
        self.of(kind).arrived.woken().await;
    }

    /// Remembers the value of the epoch. Wakes the waiting task if the value is not the known one, apart from what this
    /// node has added.
    pub fn learn(&self, kind: NewsKind, value: i64, own: i64) {
        let state = self.of(kind);
        let known = state.known.lock().replace(value);
        if known != Some(value - own) {
            state.arrived.wake();
        }
    }

    const fn of(&self, kind: NewsKind) -> &KindState {
        &self.0[kind as usize]
    }
}
