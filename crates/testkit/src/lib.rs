//! Shared code of tests: databases, the application without a socket, external tools. Not used in production.

pub mod application;
pub mod database;
pub mod fresh;
pub mod generated;
pub mod mail;
pub mod network;
pub mod oidc;
pub mod postgres;
pub mod receiver;
pub mod s3;
pub mod shop;
pub mod tools;
