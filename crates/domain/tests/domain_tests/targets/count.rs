//! Due times, found by going through a conversation's life in steps of twelve seconds: a fifth of a minute, so that every
//! promise and its last fifth end with a step.

use domain::Timestamp;
use domain::automation::opening_hours::Schedule;
use domain::automation::targets::PromiseState;

pub(crate) const STEP: i64 = 12;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fact {
    PersonWrote,
    Answered,
    Snoozed,
    Woken,
    Resolved,
    Reopened,
}

/// A wait for an answer, or for the resolution.
#[derive(Debug, Clone)]
pub(crate) struct Wait {
    steps: i64,
    /// Steps that have passed until the promise is due.
    limit: i64,
    pub done: bool,
    pub due_at: Option<Timestamp>,
    pub soon_at: Option<Timestamp>,
    before_resolution: bool,
}

impl Wait {
    fn new(minutes: u32) -> Self {
        let limit = i64::from(minutes) * 60 / STEP;
        Self { steps: 0, limit, done: false, due_at: None, soon_at: None, before_resolution: false }
    }

    fn pass(&mut self, end: Timestamp) {
        if self.done {
            return;
        }
        self.steps += 1;
        if self.steps * 5 == self.limit * 4 {
            self.soon_at = Some(end);
        }
        if self.steps == self.limit {
            self.due_at = Some(end);
        }
    }

    fn state(&self, is_paused: bool) -> PromiseState {
        match (self.due_at, self.done, is_paused) {
            (Some(_), _, _) => PromiseState::Missed,
            (None, true, _) => PromiseState::Met,
            (None, false, true) => PromiseState::Paused,
            (None, false, false) => PromiseState::Running,
        }
    }
}

/// A conversation as it goes on.
pub(crate) struct Life<'s> {
    schedule: Option<&'s Schedule>,
    next_minutes: u32,
    pub first: Option<Wait>,
    pub next: Option<Wait>,
    pub resolution: Wait,
    snoozed: bool,
    resolved: bool,
    is_open: bool,
}

impl<'s> Life<'s> {
    pub fn new(schedule: Option<&'s Schedule>, resolution_minutes: u32, next_minutes: u32) -> Self {
        let resolution = Wait::new(resolution_minutes);
        let (first, next) = (None, None);
        Self { schedule, next_minutes, first, next, resolution, snoozed: false, resolved: false, is_open: true }
    }

    pub fn apply(&mut self, fact: Fact, first_minutes: u32) {
        match fact {
            Fact::PersonWrote => self.person_wrote(first_minutes),
            Fact::Answered => {
                for wait in [&mut self.first, &mut self.next].into_iter().flatten() {
                    wait.done = true;
                }
            }
            Fact::Snoozed => self.snoozed = true,
            Fact::Woken => self.snoozed = false,
            Fact::Resolved if self.resolved => {}
            Fact::Resolved => {
                for wait in [&mut self.first, &mut self.next].into_iter().flatten() {
                    wait.before_resolution = true;
                }
                self.resolution.done = true;
                self.resolved = true;
            }
            Fact::Reopened => {
                self.resolution.done = false;
                self.resolved = false;
            }
        }
    }

    fn person_wrote(&mut self, first_minutes: u32) {
        let (wait, minutes) = match &self.first {
            Some(first) if first.done => (&mut self.next, self.next_minutes),
            _ => (&mut self.first, first_minutes),
        };
        let goes_on = wait.as_ref().is_some_and(|wait| !wait.done && !wait.before_resolution);
        if !goes_on {
            *wait = Some(Wait::new(minutes));
        }
    }

    /// One step passes. Schedules open and close with whole minutes.
    pub fn pass(&mut self, from: Timestamp) {
        if from.seconds() % 60 == 0 {
            self.is_open = self.schedule.is_none_or(|schedule| schedule.is_open(from));
        }
        if self.is_open && !self.is_paused() {
            let end = from.plus_seconds(STEP);
            for wait in [Some(&mut self.resolution), self.first.as_mut(), self.next.as_mut()].into_iter().flatten() {
                wait.pass(end);
            }
        }
    }

    fn is_paused(&self) -> bool {
        self.snoozed || self.resolved
    }

    pub fn states(&self) -> [Option<PromiseState>; 3] {
        let state = |wait: &Wait| wait.state(self.is_paused());
        [self.first.as_ref().map(state), self.next.as_ref().map(state), Some(state(&self.resolution))]
    }
}
