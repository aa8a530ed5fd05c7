//! Broadcasts from the request to the person's phone and back: counts that add up at every moment, recipients, stopping.

mod counting;
mod reading;
mod stopping;
mod world;
