//! Who may do what: tenants, accounts, roles, scopes, plans, credentials, sessions, second factors and the audit log.

pub mod accounts;
pub mod audit;
pub mod audit_search;
pub mod log_in_tries;
pub mod mails;
pub mod memberships;
pub mod networks;
pub mod one_time_links;
pub mod passwords;
pub mod permission;
pub mod plans;
pub mod return_page;
pub mod roles;
pub mod scopes;
pub mod second_factors;
pub mod tenants;
pub mod tokens;
