//! What tests of all rooms share: databases, tools of others, fixtures. Nothing here runs in production.

pub mod application;
pub mod database;
pub mod fresh;
pub mod network;
pub mod oidc;
pub mod postgres;
pub mod receiver;
pub mod tools;
