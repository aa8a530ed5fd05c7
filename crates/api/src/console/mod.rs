//! `/console/api/...`: what people manage for themselves and their tenant, and every V3 operation (`operations.rs`).
//! The caller is authenticated by a session cookie, never by a token. Logging in, redeeming a one-time link and
//! resetting a password need no session. The routes in this file are not part of the OpenAPI document.

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
mod second_factors;
mod session;
mod set_up;
mod settings;
mod tokens;

use axum::Router;
use axum::routing::{delete, get, patch, post, put};
use domain::roles::Role::{self, Administrator, Developer};

use crate::ApiState;
use answer::{Done, done};
use guard::{for_anyone, for_enrolment, for_roles};

const SESSION: &str = "/console/api/session";
const SESSIONS: &str = "/console/api/sessions";
const ONE_SESSION: &str = "/console/api/sessions/{id}";
const SECOND_FACTOR: &str = "/console/api/session/second-factor";
const PASSKEY_CHALLENGE: &str = "/console/api/session/second-factor/passkey";
const SECOND_FACTORS: &str = "/console/api/second-factors";
const TOTP: &str = "/console/api/second-factors/totp";
const PASSKEYS: &str = "/console/api/second-factors/passkeys";
const PASSKEY: &str = "/console/api/second-factors/passkeys/{id}";
const RECOVERY_CODES: &str = "/console/api/second-factors/recovery-codes";
const ACCOUNT_FACTORS: &str = "/console/api/accounts/{id}/second-factors";
const SECURITY: &str = "/console/api/security";
const SET_UP: &str = "/console/api/set-up";
const INSPECT_LINK: &str = "/console/api/set-up/inspect";
const LOG_OUT_EVERYWHERE: &str = "/console/api/log-out-everywhere";
const PASSWORD: &str = "/console/api/password";
const TOKENS: &str = "/console/api/tokens";
const TOKEN: &str = "/console/api/tokens/{id}";
const RENEW_TOKEN: &str = "/console/api/tokens/{id}/renew";
const LEGACY_TOKEN: &str = "/console/api/legacy-token";
const LEGACY_TOKENS: &str = "/console/api/legacy-tokens";
const ONE_LEGACY_TOKEN: &str = "/console/api/legacy-tokens/{id}";
const ACCOUNTS: &str = "/console/api/accounts";
const INVITATIONS: &str = "/console/api/invitations";
const ACCOUNT_LINK: &str = "/console/api/accounts/{id}/link";
const LOG_IN_OPTIONS: &str = "/console/api/log-in-options";
const OIDC: &str = "/console/oidc/{id}";
const OIDC_CALLBACK: &str = "/console/oidc/{id}/callback";
const PASSWORD_RESET: &str = "/console/api/password-reset";
const ACCOUNT: &str = "/console/api/accounts/{id}";
const AUDIT: &str = "/console/api/audit";
const HEALTH: &str = "/console/api/health";
const SETTINGS: &str = "/console/api/settings";
const PLAN: &str = "/console/api/plan";
const QUEUES: &str = "/console/api/queues";
const ALERTS: &str = "/console/api/alerts";
const TEST_ALERTS: &str = "/console/api/alerts/test";

/// All paths in this file, for the edge, which corrects the spelling of paths in requests (`paths.rs`).
pub(crate) const PATHS: [&str; 37] = [
    SESSION,
    SECOND_FACTOR,
    PASSKEY_CHALLENGE,
    SECOND_FACTORS,
    TOTP,
    PASSKEYS,
    PASSKEY,
    RECOVERY_CODES,
    ACCOUNT_FACTORS,
    SECURITY,
    SESSIONS,
    ONE_SESSION,
    SET_UP,
    INSPECT_LINK,
    LOG_IN_OPTIONS,
    PASSWORD_RESET,
    OIDC,
    OIDC_CALLBACK,
    INVITATIONS,
    ACCOUNT_LINK,
    LOG_OUT_EVERYWHERE,
    PASSWORD,
    TOKENS,
    TOKEN,
    RENEW_TOKEN,
    LEGACY_TOKEN,
    LEGACY_TOKENS,
    ONE_LEGACY_TOKEN,
    ACCOUNTS,
    ACCOUNT,
    AUDIT,
    HEALTH,
    SETTINGS,
    PLAN,
    QUEUES,
    ALERTS,
    TEST_ALERTS,
];

const ALL_ROLES: &[Role] = &Role::OF_ACCOUNTS;
const TOKEN_OWNERS: &[Role] = &[Administrator, Developer];
const ADMINISTRATORS: &[Role] = &[Administrator];

pub(crate) fn routes() -> Router<ApiState> {
    let own_session = get(session::show::show_session).delete(session::log_out::log_out);
    let tokens = get(tokens::list::list_tokens).post(tokens::create::create_token);
    let accounts = get(accounts::list::list_accounts).post(accounts::create::create_account);
    let account = patch(accounts::update::update_account).delete(accounts::remove::remove_account);
    Router::new()
        .route(SESSION, for_anyone(post(session::log_in::log_in)).merge(for_enrolment(own_session)))
        .route(SESSIONS, for_roles(ALL_ROLES, get(session::list::list_sessions)))
        .route(ONE_SESSION, for_roles(ALL_ROLES, delete(session::end::end_session)))
        .route(SET_UP, for_anyone(post(set_up::redeem::redeem_link)))
        .route(INSPECT_LINK, for_anyone(post(set_up::inspect::inspect_link)))
        .route(LOG_IN_OPTIONS, for_anyone(get(log_in_options::show_log_in_options)))
        .route(PASSWORD_RESET, for_anyone(post(set_up::request_reset::request_reset)))
        .route(OIDC, get(oidc::begin::begin_log_in))
        .route(OIDC_CALLBACK, get(oidc::callback::finish_log_in))
        .route(LOG_OUT_EVERYWHERE, for_enrolment(post(session::log_out_everywhere::log_out_everywhere)))
        .route(PASSWORD, for_roles(ALL_ROLES, put(password::change_password)))
        .route(TOKENS, for_roles(TOKEN_OWNERS, tokens))
        .route(TOKEN, for_roles(TOKEN_OWNERS, delete(tokens::revoke::revoke_token)))
        .route(RENEW_TOKEN, for_roles(TOKEN_OWNERS, post(tokens::renew::renew_token)))
        .route(LEGACY_TOKEN, for_roles(TOKEN_OWNERS, post(tokens::legacy::create_legacy_token)))
        .route(LEGACY_TOKENS, for_roles(TOKEN_OWNERS, get(tokens::legacy::list_legacy_tokens)))
        .route(ONE_LEGACY_TOKEN, for_roles(TOKEN_OWNERS, delete(tokens::legacy::revoke_legacy_token)))
        .route(ACCOUNTS, for_roles(ADMINISTRATORS, accounts))
        .route(ACCOUNT, for_roles(ADMINISTRATORS, account))
        .route(ACCOUNT_LINK, for_roles(ADMINISTRATORS, post(accounts::link::make_link)))
        .route(INVITATIONS, for_roles(ADMINISTRATORS, post(accounts::invite::invite)))
        .route(AUDIT, for_roles(ADMINISTRATORS, get(audit::show_audit)))
        .route(HEALTH, for_roles(ADMINISTRATORS, get(health::show_health)))
        .route(PLAN, for_roles(ALL_ROLES, get(plan::show_plan)))
        .route(ALERTS, for_roles(ADMINISTRATORS, get(alerts::show_alerts).put(alerts::set_alerts)))
        .route(TEST_ALERTS, for_roles(ADMINISTRATORS, post(alerts::test_alerts)))
        .route(QUEUES, for_roles(ADMINISTRATORS, get(queues::show_queues)))
        .route(SETTINGS, for_roles(ADMINISTRATORS, get(settings::show_settings)))
        .merge(second_factor_routes())
}

fn second_factor_routes() -> Router<ApiState> {
    use second_factors::{list, passkeys, recovery_codes, required, reset, totp};
    let totp = post(totp::begin_totp).put(totp::finish_totp).delete(totp::remove_totp);
    let passkeys_of_account = post(passkeys::begin_passkey).put(passkeys::finish_passkey);
    let security = get(required::show_security).put(required::set_security);
    Router::new()
        .route(SECOND_FACTOR, for_anyone(post(session::second_factor::finish_log_in)))
        .route(PASSKEY_CHALLENGE, for_anyone(post(session::second_factor::challenge)))
        .route(SECOND_FACTORS, for_enrolment(get(list::show_factors)))
        .route(TOTP, for_enrolment(totp))
        .route(PASSKEYS, for_enrolment(passkeys_of_account))
        .route(PASSKEY, for_enrolment(delete(passkeys::remove_passkey)))
        .route(RECOVERY_CODES, for_enrolment(post(recovery_codes::make_codes)))
        .route(ACCOUNT_FACTORS, for_roles(ADMINISTRATORS, delete(reset::reset_factors)))
        .route(SECURITY, for_roles(ADMINISTRATORS, security))
}
