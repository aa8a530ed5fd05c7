//! `/console/api/...`: what people manage for themselves and their tenant, and every V3 operation (`operations.rs`).
//! The caller is authenticated by a session cookie, never by a token. Logging in, redeeming a one-time link, resetting
//! a password and confirming an address for alerts need no session. These operations have an OpenAPI document of their
//! own, from which the client of the user interface is generated: clients of the API do not need them.

mod answer;
mod calls;
mod commerce;
mod cookie;
mod delivery;
mod guard;
mod identity;
mod messaging;
pub(crate) mod operations;
mod origin;
mod platform;
mod roles;

use axum::Router;
use axum::routing::get;
use domain::identity::plans::Feature;
use domain::identity::roles::DEVELOPERS;

use crate::routing::{Operations, routes};
use crate::state::ApiState;
use answer::{Done, done};
use guard::{for_anyone, for_enrolment, for_feature, for_roles};
pub(crate) use roles::PAGES;
use roles::{ADMINISTRATORS, ALL_ROLES, OIDC, OIDC_CALLBACK, TOKEN_OWNERS};

pub(crate) fn pages() -> Router<ApiState> {
    Router::new()
        .route(OIDC, get(identity::oidc::begin::begin_log_in))
        .route(OIDC_CALLBACK, get(identity::oidc::callback::finish_log_in))
}

/// Every operation of the console's own, each behind the guard.
pub(crate) fn session_operations() -> Operations {
    Operations::default()
        .routes(for_anyone(routes!(identity::sessions::log_in::log_in)))
        .routes(for_enrolment(routes!(identity::sessions::show::show_session, identity::sessions::log_out::log_out)))
        .routes(for_enrolment(routes!(identity::sessions::tenants::list_tenants)))
        .routes(for_enrolment(routes!(identity::sessions::switch::switch_tenant)))
        .routes(for_roles(ALL_ROLES, routes!(identity::sessions::join::join_log_ins)))
        .routes(for_enrolment(routes!(identity::one_time_links::accept::accept_link)))
        .routes(for_roles(ALL_ROLES, routes!(identity::sessions::list::list_sessions)))
        .routes(for_roles(ALL_ROLES, routes!(identity::sessions::end::end_session)))
        .routes(for_anyone(routes!(identity::one_time_links::redeem::redeem_link)))
        .routes(for_anyone(routes!(identity::one_time_links::inspect::inspect_link)))
        .routes(for_anyone(routes!(identity::log_in_options::show_log_in_options)))
        .routes(for_anyone(routes!(identity::one_time_links::request_reset::request_reset)))
        .routes(for_enrolment(routes!(identity::sessions::log_out_everywhere::log_out_everywhere)))
        .routes(for_roles(ALL_ROLES, routes!(identity::password::change_password)))
        .routes(for_roles(ALL_ROLES, routes!(identity::names::rename_account)))
        .routes(for_roles(ADMINISTRATORS, routes!(identity::names::rename_tenant)))
        .routes(for_roles(
            TOKEN_OWNERS,
            routes!(identity::tokens::list::list_tokens, identity::tokens::create::create_token),
        ))
        .routes(for_roles(TOKEN_OWNERS, routes!(identity::tokens::revoke::revoke_token)))
        .routes(for_roles(TOKEN_OWNERS, routes!(identity::tokens::renew::renew_token)))
        .routes(for_roles(TOKEN_OWNERS, routes!(identity::tokens::legacy::create_legacy_token)))
        .routes(for_roles(TOKEN_OWNERS, routes!(identity::tokens::legacy::list_legacy_tokens)))
        .routes(for_roles(TOKEN_OWNERS, routes!(identity::tokens::legacy::revoke_legacy_token)))
        .routes(for_roles(
            ADMINISTRATORS,
            routes!(identity::accounts::list::list_accounts, identity::accounts::create::create_account),
        ))
        .routes(for_roles(
            ADMINISTRATORS,
            routes!(identity::accounts::update::update_account, identity::accounts::remove::remove_account),
        ))
        .routes(for_roles(ADMINISTRATORS, routes!(identity::accounts::link::make_link)))
        .routes(for_roles(ADMINISTRATORS, routes!(identity::accounts::invite::invite)))
        .routes(for_roles(
            ADMINISTRATORS,
            routes!(identity::console_access::show_console_access, identity::console_access::set_console_access),
        ))
        .routes(for_roles(ADMINISTRATORS, routes!(platform::audit::show_audit)))
        .routes(for_roles(ADMINISTRATORS, routes!(platform::health::show_health)))
        .routes(for_roles(ALL_ROLES, routes!(delivery::live::follow_changes)))
        .routes(for_roles(ALL_ROLES, routes!(messaging::channel_names::list_channel_names)))
        .routes(for_roles(ALL_ROLES, routes!(commerce::order_counts::count_orders)))
        .routes(for_feature(Feature::Calls, ALL_ROLES, routes!(calls::log::list_call_log)))
        .routes(for_roles(DEVELOPERS, routes!(platform::plan::show_plan)))
        .routes(for_roles(ADMINISTRATORS, routes!(platform::alerts::show_alerts, platform::alerts::set_alerts)))
        .routes(for_roles(ADMINISTRATORS, routes!(platform::alerts::test_alerts)))
        .routes(for_roles(ADMINISTRATORS, routes!(platform::alerts::mail_confirmation)))
        .routes(for_anyone(routes!(platform::alerts::confirm_address)))
        .routes(for_roles(ADMINISTRATORS, routes!(platform::queues::show_queues)))
        .routes(for_roles(ADMINISTRATORS, routes!(platform::settings::show_settings)))
        .merge(second_factor_operations())
}

fn second_factor_operations() -> Operations {
    use identity::second_factors::{list, passkeys, recovery_codes, required, reset, totp};
    Operations::default()
        .routes(for_anyone(routes!(identity::sessions::second_factor::finish_log_in)))
        .routes(for_anyone(routes!(identity::sessions::second_factor::challenge)))
        .routes(for_enrolment(routes!(list::show_factors)))
        .routes(for_enrolment(routes!(totp::begin_totp, totp::finish_totp, totp::remove_totp)))
        .routes(for_enrolment(routes!(passkeys::begin_passkey, passkeys::finish_passkey)))
        .routes(for_enrolment(routes!(passkeys::remove_passkey)))
        .routes(for_enrolment(routes!(recovery_codes::make_codes)))
        .routes(for_roles(ADMINISTRATORS, routes!(reset::reset_factors)))
        .routes(for_roles(ADMINISTRATORS, routes!(required::show_security, required::set_security)))
}
