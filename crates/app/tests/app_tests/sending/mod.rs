//! Sending from the request to the person's phone and back, on both databases, with the sandbox as the network and a
//! manual clock.

mod accepting;
mod campaign;
mod crashing;
mod faults;
mod network_refusals;
mod nodes;
mod pacing;
mod waiting;
pub mod world;
