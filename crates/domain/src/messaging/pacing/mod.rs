//! Pacing: which due messages may leave now under the network's limits, and when the others may.
//!
//! Three limits: messages of a number in a second (`number.rs`), messages of a number to one person (`pairs.rs`), and
//! people to whom the portfolio, the network account with all its numbers, opens a conversation in a day (`people.rs`).
//! The pacer counts in memory and gets the time from its caller. It does not know where messages wait or how they are
//! sent; `app/src/messaging/messages/sender/claim.rs` uses it. After a restart only the counted people matter, and the
//! caller stores them.

mod draw;
mod ids;
mod limits;
mod number;
mod pacer;
mod pairs;
mod people;
mod plan;

pub use limits::Limits;
pub use number::estimate;
pub use pacer::Pacer;
pub use plan::{Candidate, Plan};
