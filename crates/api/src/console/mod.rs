//! `/console/api/...`: what people manage for themselves and their tenant, and every V3 operation (`operations.rs`).
//! The caller is authenticated by a session cookie, never by a token. Logging in, redeeming a one-time link and
//! resetting a password need no session. These operations have an OpenAPI document of their own, from which the client of
//! the user interface is generated: clients of the API do not need them.

mod accounts;
mod alerts;
mod answer;
mod audit;
mod cookie;
mod guard;
mod health;
mod log_in_options;
mod oidc;
pub(crate) mod operations;
mod origin;
mod password;
mod plan;
mod queues;
mod roles;
mod second_factors;
mod session;
mod set_up;
mod settings;
mod tokens;

use axum::Router;
use axum::routing::get;

use crate::routing::{Operations, routes};
use crate::state::ApiState;
use answer::{Done, done};
use guard::{for_anyone, for_enrolment, for_roles};
pub(crate) use roles::PAGES;
use roles::{ADMINISTRATORS, ALL_ROLES, OIDC, OIDC_CALLBACK, TOKEN_OWNERS};

pub(crate) fn pages() -> Router<ApiState> {
    Router::new().route(OIDC, get(oidc::begin::begin_log_in)).route(OIDC_CALLBACK, get(oidc::callback::finish_log_in))
}

/// Every operation of the console's own, each behind the guard.
pub(crate) fn session_operations() -> Operations {
    Operations::default()
        .routes(for_anyone(routes!(session::log_in::log_in)))
        .routes(for_enrolment(routes!(session::show::show_session, session::log_out::log_out)))
        .routes(for_roles(ALL_ROLES, routes!(session::list::list_sessions)))
        .routes(for_roles(ALL_ROLES, routes!(session::end::end_session)))
        .routes(for_anyone(routes!(set_up::redeem::redeem_link)))
        .routes(for_anyone(routes!(set_up::inspect::inspect_link)))
        .routes(for_anyone(routes!(log_in_options::show_log_in_options)))
        .routes(for_anyone(routes!(set_up::request_reset::request_reset)))
        .routes(for_enrolment(routes!(session::log_out_everywhere::log_out_everywhere)))
        .routes(for_roles(ALL_ROLES, routes!(password::change_password)))
        .routes(for_roles(TOKEN_OWNERS, routes!(tokens::list::list_tokens, tokens::create::create_token)))
        .routes(for_roles(TOKEN_OWNERS, routes!(tokens::revoke::revoke_token)))
        .routes(for_roles(TOKEN_OWNERS, routes!(tokens::renew::renew_token)))
        .routes(for_roles(TOKEN_OWNERS, routes!(tokens::legacy::create_legacy_token)))
        .routes(for_roles(TOKEN_OWNERS, routes!(tokens::legacy::list_legacy_tokens)))
        .routes(for_roles(TOKEN_OWNERS, routes!(tokens::legacy::revoke_legacy_token)))
        .routes(for_roles(ADMINISTRATORS, routes!(accounts::list::list_accounts, accounts::create::create_account)))
        .routes(for_roles(ADMINISTRATORS, routes!(accounts::update::update_account, accounts::remove::remove_account)))
        .routes(for_roles(ADMINISTRATORS, routes!(accounts::link::make_link)))
        .routes(for_roles(ADMINISTRATORS, routes!(accounts::invite::invite)))
        .routes(for_roles(ADMINISTRATORS, routes!(audit::show_audit)))
        .routes(for_roles(ADMINISTRATORS, routes!(health::show_health)))
        .routes(for_roles(ALL_ROLES, routes!(plan::show_plan)))
        .routes(for_roles(ADMINISTRATORS, routes!(alerts::show_alerts, alerts::set_alerts)))
        .routes(for_roles(ADMINISTRATORS, routes!(alerts::test_alerts)))
        .routes(for_roles(ADMINISTRATORS, routes!(queues::show_queues)))
        .routes(for_roles(ADMINISTRATORS, routes!(settings::show_settings)))
        .merge(second_factor_operations())
}

fn second_factor_operations() -> Operations {
    use second_factors::{list, passkeys, recovery_codes, required, reset, totp};
    Operations::default()
        .routes(for_anyone(routes!(session::second_factor::finish_log_in)))
        .routes(for_anyone(routes!(session::second_factor::challenge)))
        .routes(for_enrolment(routes!(list::show_factors)))
        .routes(for_enrolment(routes!(totp::begin_totp, totp::finish_totp, totp::remove_totp)))
        .routes(for_enrolment(routes!(passkeys::begin_passkey, passkeys::finish_passkey)))
        .routes(for_enrolment(routes!(passkeys::remove_passkey)))
        .routes(for_enrolment(routes!(recovery_codes::make_codes)))
        .routes(for_roles(ADMINISTRATORS, routes!(reset::reset_factors)))
        .routes(for_roles(ADMINISTRATORS, routes!(required::show_security, required::set_security)))
}
