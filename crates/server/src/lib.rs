//! server

pub mod settings;
