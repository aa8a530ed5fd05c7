//! Messages that leave, from the request to the person's phone and back, on both databases, with the sandbox as the
//! network and a clock of the test's own.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on must fail")]

mod accepting;
mod campaign;
mod crashing;
mod faults;
mod nodes;
mod pacing;
mod waiting;
mod world;
