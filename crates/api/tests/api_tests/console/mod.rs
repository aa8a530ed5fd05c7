//! The console's own operations over the wire, on both databases: sessions, tokens, accounts, the audit log.

use std::time::Duration;

use api::EdgeSettings;
use app::Command;
use app::identity::accounts::NewAccount;
use axum::body::Body;
use domain::base::keys::{Keyring, SecretKey};
use domain::identity::networks::Networks;
use domain::identity::roles::Role;
use domain::{AccountId, TenantId};
use serde_json::{Value, json};
use testkit::World;
use testkit::database::TestDb;
use testkit::world::{Answer, edge_settings, request};

const CALLS: &str = "/api/ext/v3/calls";
pub(crate) const SESSION: &str = "/console/api/session";
const TOKENS: &str = "/console/api/tokens";
const ACCOUNTS: &str = "/console/api/accounts";
const AUDIT: &str = "/console/api/audit";
const ORIGIN: &str = "https://switchboard.example";
/// The console's origin in an application with the sandbox.
const ORIGIN_WITH_SANDBOX: &str = "http://switchboard.test";
const PASSWORD: &str = "correct horse battery staple";
const SESSIONS: &str = "/console/api/sessions";
const SET_UP: &str = "/console/api/set-up";
const INSPECT: &str = "/console/api/set-up/inspect";
const INVITATIONS: &str = "/console/api/invitations";
const LOG_IN_OPTIONS: &str = "/console/api/log-in-options";
const PASSWORD_RESET: &str = "/console/api/password-reset";
const SECOND_FACTORS: &str = "/console/api/second-factors";
const TOTP: &str = "/console/api/second-factors/totp";
const PASSKEYS: &str = "/console/api/second-factors/passkeys";
const RECOVERY_CODES: &str = "/console/api/second-factors/recovery-codes";
const SECURITY: &str = "/console/api/security";
const TENANTS: &str = "/console/api/session/tenants";
const SWITCH: &str = "/console/api/session/tenant";
const JOIN: &str = "/console/api/session/join";
const ACCEPT: &str = "/console/api/set-up/accept";
const CONSOLE_ACCESS: &str = "/console/api/console-access";

/// Every operation that needs a session, with an id that nothing has.
fn everything() -> Vec<(&'static str, &'static str)> {
    let document = serde_json::from_str::<Value>(&api::console_openapi()).unwrap();
    let of_path = |(path, operations): (&String, &Value)| {
        let path: &str = path.replace("{id}", "69eb4e9a1f0c2d3e4a5b6c7d").leak();
        let by_session = |operation: &Value| operation["x-service-permissions"]["public"] != true;
        let methods = operations.as_object().unwrap().iter().filter(|(_, operation)| by_session(operation));
        methods.map(|(method, _)| (&*method.to_uppercase().leak(), path)).collect::<Vec<_>>()
    };
    let all: Vec<_> = document["paths"].as_object().unwrap().iter().flat_map(of_path).collect();
    assert_eq!(all.len(), 51);
    all
}

/// An account that has logged in, with the cookie and the CSRF token of its session.
pub(crate) struct Person {
    id: String,
    email: String,
    pub cookie: String,
    csrf: String,
}

impl Person {
    pub async fn call(&self, app: &World, method: &str, path: &str, body: &Value) -> Answer {
        let headers = [("cookie", self.cookie.as_str()), ("origin", origin(app)), ("x-csrf-token", &self.csrf)];
        send(app, method, path, &headers, body).await
    }

    async fn get(&self, app: &World, path: &str) -> Answer {
        self.call(app, "GET", path, &json!({})).await
    }

    async fn is_in(&self, app: &World) -> bool {
        let answer = self.get(app, SESSION).await;
        if answer.status != 200 {
            assert_refused(&answer, 401, "session_required");
        }
        answer.status == 200
    }

    /// Creates a token and returns its id and value.
    async fn token(&self, app: &World, more: Value) -> (String, String) {
        let mut body = json!({"name": "ci", "scopes": ["callsv3:read"]});
        body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let made = self.call(app, "POST", TOKENS, &body).await.ok();
        (text(&made["id"]), text(&made["token"]))
    }
}

fn text(value: &Value) -> String {
    value.as_str().unwrap().to_owned()
}

fn origin(app: &World) -> &'static str {
    if app.has_sandbox() { ORIGIN_WITH_SANDBOX } else { ORIGIN }
}

async fn send(app: &World, method: &str, path: &str, headers: &[(&str, &str)], body: &Value) -> Answer {
    let mut request = request(method, path, None).header("content-type", "application/json");
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    app.send(request.body(Body::from(body.to_string())).unwrap()).await
}

/// An e-mail address that no other test has: all tests of a run share one PostgreSQL, and a log-in names no tenant.
fn email(name: &str, tenant: TenantId) -> String {
    format!("{name}-{tenant}@example.com")
}

async fn make(app: &World, tenant: TenantId, email: &str, role: Role, password: &str) -> AccountId {
    let new = NewAccount { email: email.to_owned(), name: None, role, password: Some(password.to_owned()) };
    app.app.identity().accounts().create(&Command(tenant), new).await.unwrap().id
}

async fn log_in(app: &World, email: &str, password: &str) -> Answer {
    send(app, "POST", SESSION, &[("origin", origin(app))], &json!({"email": email, "password": password})).await
}

fn person(answer: &Answer) -> Person {
    assert_eq!(answer.status, 200, "{}", answer.text);
    let cookie = answer.headers["set-cookie"].to_str().unwrap();
    let account = &answer.json()["account"];
    Person {
        id: text(&account["id"]),
        email: text(&account["email"]),
        cookie: cookie.split(';').next().unwrap().to_owned(),
        csrf: text(&answer.json()["csrf_token"]),
    }
}

/// Creates an account with this role and logs in.
pub(crate) async fn logged_in(app: &World, name: &str, role: Role) -> Person {
    let email = email(name, app.tenant());
    make(app, app.tenant(), &email, role, PASSWORD).await;
    person(&log_in(app, &email, PASSWORD).await)
}

#[track_caller]
fn assert_refused(answer: &Answer, status: u16, reason: &str) {
    assert_eq!((answer.status.as_u16(), answer.reason().as_str()), (status, reason), "{}", answer.text);
}

#[track_caller]
fn assert_invalid(answer: &Answer, parameter: &str) {
    assert_eq!(answer.status, 400, "{}", answer.text);
    assert_eq!(answer.json()["parameter"], parameter, "{}", answer.text);
}

mod accounts;
mod alerts;
mod audit_chain;
mod audit_search;
mod call_log;
mod caps;
mod credentials_end;
mod guessing;
mod health;
mod invitations;
mod memberships;
mod oidc;
mod operations;
mod order_counts;
mod passkeys;
mod second_factors;
mod sessions;
mod set_up;
mod tokens;
