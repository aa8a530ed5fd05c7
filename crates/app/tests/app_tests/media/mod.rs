//! Files from their arrival to the network and back, on both databases.

mod bringing;
mod fetching;
mod opening;
mod sweeping;
mod taking;
mod world;
