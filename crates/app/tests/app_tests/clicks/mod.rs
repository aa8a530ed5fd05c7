//! Tracked links against the sandbox: opened by people and programs, listed, counted and rescored; each emits one
//! event.

mod listing;
mod network_reports;
mod opening;
mod overflow;
mod rescoring;
mod schema;
mod world;
