//! The `switchboard` binary: settings, commands, listeners, start and stop, telemetry. Rules of the product are in
//! `app` and `domain`.

pub mod allocator;
pub mod bootstrap;
pub mod cli;
pub mod commands;
mod ephemeral;
pub mod first_start;
pub mod http;
mod https;
pub mod keys;
pub mod metrics;
mod open_files;
mod output;
mod ownership;
pub mod serve;
pub mod settings;
pub mod telemetry;
