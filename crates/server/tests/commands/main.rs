//! The commands, as the real binary runs them, each test on a data folder of its own.

mod accounts;
mod backups;
mod run;
mod seeds;
mod tenants;
mod tokens;
mod without_database;
