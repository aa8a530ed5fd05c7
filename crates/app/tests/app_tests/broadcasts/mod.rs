//! Broadcasts from the request to the person's phone and back: counts, recipients, stopping.

mod counting;
mod reading;
mod stopping;
mod world;
