//! Shared code of tests: databases, the application without a socket, external tools. Not used in production.

pub mod authenticator;
pub mod citus;
pub mod database;
mod folders;
pub mod fresh;
pub mod generated;
pub mod mail;
pub mod network;
pub mod oidc;
pub mod outgoing;
pub mod postgres;
pub mod receiver;
pub mod s3;
pub mod sends;
mod settings;
pub mod shop;
pub mod tools;
pub mod world;

pub use store::Engine;
pub use world::World;
