//! app

pub mod credentials;
