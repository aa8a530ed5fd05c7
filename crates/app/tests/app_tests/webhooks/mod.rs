//! Deliveries to endpoints over real HTTP, with a manual clock.

mod breaking;
mod delivering;
mod numbering;
mod ordering;
mod outage;
mod recovering;
mod refusing;
mod world;
