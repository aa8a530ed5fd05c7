//! The console: accounts, access to the console, log-in options, names, OpenID Connect, one-time links,
//! password, second factors, sessions and tokens.

pub(super) mod accounts;
pub(super) mod console_access;
pub(super) mod log_in_options;
pub(super) mod names;
pub(super) mod oidc;
pub(super) mod one_time_links;
pub(super) mod password;
pub(super) mod second_factors;
pub(super) mod sessions;
pub(super) mod tokens;
