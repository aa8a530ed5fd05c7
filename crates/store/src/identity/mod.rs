//! Who may do what: tenants, accounts, roles, scopes, plans, credentials, sessions, second factors and the audit log.

pub mod accounts;
pub mod audit;
pub mod console_access;
pub mod legacy_jwts;
pub mod log_in_tries;
pub mod mail_counts;
pub mod memberships;
pub mod oidc_states;
pub mod one_time_links;
pub mod second_factors;
pub mod sessions;
pub mod tenants;
pub mod tokens;

use crate::Statement;

/// All statements of the room.
pub(crate) fn statements() -> Vec<&'static Statement> {
    [
        accounts::statements(),
        audit::statements(),
        console_access::statements(),
        legacy_jwts::statements(),
        log_in_tries::statements(),
        mail_counts::statements(),
        memberships::statements(),
        oidc_states::statements(),
        one_time_links::statements(),
        second_factors::statements(),
        sessions::statements(),
        tenants::statements(),
        tokens::statements(),
    ]
    .concat()
}
