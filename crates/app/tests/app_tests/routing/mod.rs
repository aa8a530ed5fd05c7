//! Routing: conversations are given to operators by the rules and the teams, on both databases.

mod operators;
mod rules;
mod simulation;
mod stories;
mod world;
