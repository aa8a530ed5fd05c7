//! Tracked links against the sandbox: opened by people and programs, emitted once, listed, counted, rescored.

mod listing;
mod network_reports;
mod opening;
mod overflow;
mod rescoring;
mod schema;
mod world;
