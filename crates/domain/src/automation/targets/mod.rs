//! Targets: how soon conversations are answered and resolved.
//!
//! A policy promises a first answer, a next answer and a resolution within so many minutes. [`TargetClock`] is what a
//! conversation's promises depend on, and [`due_times`] is the only calculation of when they are due.

mod clock;
mod due;
mod policy;

pub use clock::{Answer, MAX_PAUSES, Pause, Pauses, TargetClock};
pub use due::{Due, DueTimes, PromiseState, due_times};
pub use policy::{
    BadPolicy, MAX_CHOICES, MAX_MINUTES, MAX_POLICY_NAME_CHARACTERS, TargetConditions, TargetPolicy, TargetSubject,
    first_match,
};
