//! Who may do what: tenants, accounts, roles, scopes, plans, credentials, sessions, second factors and the audit log.

pub mod accounts;
pub(crate) mod acts_for;
pub mod audit;
pub mod console_access;
pub mod credentials;
pub mod gate;
pub mod installation;
pub mod log_in;
pub mod mails;
pub mod memberships;
pub mod one_time_links;
pub mod principal;
mod room;
pub mod second_factors;
pub mod sessions;
pub mod tenants;
pub mod tokens;

pub(crate) use room::IdentityConfig;
pub use room::{Identity, LogInConfig};
