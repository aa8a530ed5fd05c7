//! `/console/api/...`: what people manage for themselves and their tenant, and every V3 operation (`operations.rs`). All
//! routes take a session, never a token. The routes of this table are not part of the public document.

mod accounts;
mod answer;
mod audit;
mod cookie;
mod guard;
mod health;
pub(crate) mod operations;
mod origin;
mod password;
mod session;
mod settings;
mod tokens;

use axum::Router;
use axum::routing::{delete, get, patch, post, put};
use domain::roles::Role::{self, Administrator, Developer};

use crate::ApiState;
use answer::{Done, done};
use guard::{for_anyone, for_roles};

const SESSION: &str = "/console/api/session";
const LOG_OUT_EVERYWHERE: &str = "/console/api/log-out-everywhere";
const PASSWORD: &str = "/console/api/password";
const TOKENS: &str = "/console/api/tokens";
const TOKEN: &str = "/console/api/tokens/{id}";
const RENEW_TOKEN: &str = "/console/api/tokens/{id}/renew";
const LEGACY_TOKEN: &str = "/console/api/legacy-token";
const ACCOUNTS: &str = "/console/api/accounts";
const ACCOUNT: &str = "/console/api/accounts/{id}";
const AUDIT: &str = "/console/api/audit";
const HEALTH: &str = "/console/api/health";
const SETTINGS: &str = "/console/api/settings";

/// All paths, for the respelling of paths.
pub(crate) const PATHS: [&str; 12] = [
    SESSION,
    LOG_OUT_EVERYWHERE,
    PASSWORD,
    TOKENS,
    TOKEN,
    RENEW_TOKEN,
    LEGACY_TOKEN,
    ACCOUNTS,
    ACCOUNT,
    AUDIT,
    HEALTH,
    SETTINGS,
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
        .route(SESSION, for_anyone(post(session::log_in::log_in)).merge(for_roles(ALL_ROLES, own_session)))
        .route(LOG_OUT_EVERYWHERE, for_roles(ALL_ROLES, post(session::log_out_everywhere::log_out_everywhere)))
        .route(PASSWORD, for_roles(ALL_ROLES, put(password::change_password)))
        .route(TOKENS, for_roles(TOKEN_OWNERS, tokens))
        .route(TOKEN, for_roles(TOKEN_OWNERS, delete(tokens::revoke::revoke_token)))
        .route(RENEW_TOKEN, for_roles(TOKEN_OWNERS, post(tokens::renew::renew_token)))
        .route(LEGACY_TOKEN, for_roles(TOKEN_OWNERS, post(tokens::legacy::create_legacy_token)))
        .route(ACCOUNTS, for_roles(ADMINISTRATORS, accounts))
        .route(ACCOUNT, for_roles(ADMINISTRATORS, account))
        .route(AUDIT, for_roles(ADMINISTRATORS, get(audit::show_audit)))
        .route(HEALTH, for_roles(ADMINISTRATORS, get(health::show_health)))
        .route(SETTINGS, for_roles(ADMINISTRATORS, get(settings::show_settings)))
}
