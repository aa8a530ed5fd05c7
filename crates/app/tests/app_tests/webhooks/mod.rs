//! Telling endpoints what happens: over real HTTP, with the clock in the test's hands.

mod breaking;
mod delivering;
mod numbering;
mod ordering;
mod outage;
mod refusing;
mod world;
