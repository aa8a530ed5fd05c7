//! Tracked links against the sandbox: opened by people and machines, told once, listed, counted, scored again.

mod listing;
mod opening;
mod rescoring;
mod schema;
mod telling;
mod world;
