//! Deliveries to endpoints over real HTTP, with a manual clock.

mod breaking;
mod delivering;
mod erasing;
mod numbering;
mod ordering;
mod outage;
mod recovering;
mod refusing;
mod sharing;
mod world;
