//! Calls every operation of the OpenAPI document with every kind of credential, and compares the answers with the
//! operation's declaration.

use std::time::{Duration, Instant};

use app::Config;
use app::identity::accounts::NewAccount;
use app::identity::credentials::oidc::IssuerConfig;
use app::identity::tokens::NewToken;
use axum::body::Body;
use axum::http::StatusCode;
use domain::identity::networks::Networks;
use domain::identity::plans::Feature;
use domain::identity::roles::Role;
use domain::identity::scopes::{Hierarchy, Scope, ScopeSet};
use domain::identity::tokens::FreshToken;
use domain::{Id, TenantId};
use serde_json::{Value, json};
use testkit::database::TestDb;
use testkit::oidc::{Provider, client};
use testkit::world::{Answer, config, request};
use testkit::{Engine, World};

use crate::role_table::RoleTable;

/// One operation, as the document declares it. Its roles are those of the table in `docs/accounts.md`.
#[derive(Debug)]
pub(crate) struct Operation {
    pub method: String,
    path: String,
    public: bool,
    legacy_only: bool,
    any_of: Vec<Scope>,
    pub roles: Vec<String>,
    pub feature: Option<String>,
}

impl Operation {
    pub fn name(&self) -> String {
        format!("{} {}", self.method, self.path)
    }

    /// Whether the operation accepts API tokens. Some refuse them, whatever their scopes.
    fn takes_tokens(&self) -> bool {
        self.roles.iter().any(|name| name == Role::ApiToken.name())
    }

    fn is_legacy_path(&self) -> bool {
        self.path.starts_with("/{tenantId}/")
    }

    /// The same operation under the prefix `served`; None if its path does not begin with `documented`.
    pub fn at_prefix(mut self, documented: &str, served: &str) -> Option<Self> {
        self.path = format!("{served}{}", self.path.strip_prefix(documented)?);
        Some(self)
    }

    /// How many parameters the path has besides the tenant.
    pub fn parameters(&self) -> usize {
        self.path.replace("{tenantId}", "").matches('{').count()
    }

    /// The path with `first` for its first parameter and `second` for the others.
    pub fn path_with(&self, tenant: TenantId, first: &str, second: &str) -> String {
        let mut path = self.path.replace("{tenantId}", &tenant.to_string());
        let mut value = first;
        while let (Some(from), Some(to)) = (path.find('{'), path.find('}')) {
            path.replace_range(from..=to, value);
            value = second;
        }
        path
    }

    pub fn path_for(&self, tenant: TenantId) -> String {
        self.path
            .replace("{tenantId}", &tenant.to_string())
            .replace("{id}", "507f1f77bcf86cd799439011")
            .replace("{whatsappNumber}", "14155552671")
            .replace("{target}", "14155552671")
            .replace("{operator}", "me")
            .replace("{person}", "14155552671")
            .replace("{message}", "wamid.x")
            .replace("{name}", "welcome")
            .replace("{message_id}", "507f1f77bcf86cd799439011")
            .replace("{channel_id}", "507f1f77bcf86cd799439011")
            .replace("{wabaId}", "102290129340398")
            .replace("{phoneNumber}", "14155552671")
            .replace("{localMessageId}", "order-4711")
            .replace("{language}", "en")
            .replace("{delivery_id}", "507f1f77bcf86cd799439011")
            .replace("{reference_id}", "order-4711")
            .replace("{referenceId}", "order-4711")
    }
}

pub(crate) fn operations() -> Vec<Operation> {
    let document = serde_json::from_str::<Value>(&api::openapi()).unwrap();
    let table = RoleTable::read();
    let mut all = Vec::new();
    for (path, item) in document["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            let declared = &operation["x-service-permissions"];
            assert!(declared.is_object(), "{method} {path} declares no permissions");
            let texts = |member: &str| -> Vec<String> {
                let list = declared[member].as_array().cloned().unwrap_or_default();
                list.iter().map(|text| text.as_str().unwrap().to_owned()).collect()
            };
            let (method, public) = (method.to_uppercase(), declared["public"] == true);
            let roles: &[Role] = if public { &[] } else { table.roles(&method, path) };
            all.push(Operation {
                roles: roles.iter().map(|role| role.name().to_owned()).collect(),
                method,
                path: path.clone(),
                public,
                legacy_only: declared["credential"] == "legacy_jwt",
                any_of: texts("any_of").iter().map(|name| Scope::named(name).unwrap()).collect(),
                feature: declared["feature"].as_str().map(str::to_owned),
            });
        }
    }
    all
}

async fn call(app: &World, operation: &Operation, tenant: TenantId, authorization: Option<&str>) -> Answer {
    let mut builder = request(&operation.method, &operation.path_for(tenant), None);
    if let Some(authorization) = authorization {
        builder = builder.header("authorization", authorization);
    }
    let body = if operation.method == "GET" { Body::empty() } else { Body::from("{}") };
    app.send(builder.header("content-type", "application/json").body(body).unwrap()).await
}

pub(crate) fn passed(answer: &Answer) -> bool {
    !matches!(answer.status, StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN) && !answer.status.is_server_error()
}

#[track_caller]
fn assert_refused(answer: &Answer, status: u16, reason: &str, operation: &Operation) {
    let name = operation.name();
    assert_eq!((answer.status.as_u16(), answer.reason().as_str()), (status, reason), "{name}: {}", answer.text);
    let body = answer.json();
    assert_eq!(body["code"].as_u64().unwrap() / 100, u64::from(status), "{name}");
    assert!(body["timestamp"].as_str().unwrap().ends_with('Z'), "{name}");
    assert_eq!(answer.headers.contains_key("www-authenticate"), status == 401, "{name}");
    assert!(answer.headers.contains_key("x-request-id"), "{name}");
}

/// An application whose tenant's plan has every feature.
async fn app() -> World {
    let app = World::with_sandbox(Engine::Sqlite).await;
    app.app.identity().tenants().set_plan(&app::Command(app.tenant()), "everything").await.unwrap();
    app
}

#[tokio::test]
async fn without_a_usable_header_nothing_but_public_operations_answers() {
    let app = app().await;
    let good = app.token(app.tenant(), &["api"]).await;
    for operation in operations() {
        let missing = call(&app, &operation, app.tenant(), None).await;
        if operation.public {
            assert!(passed(&missing), "{}", operation.name());
            continue;
        }
        assert_refused(&missing, 401, "token_missing", &operation);
        assert_eq!(missing.json()["message"], "No Access Token provided");
        for (authorization, reason) in [
            (good.clone(), "bearer_prefix_missing"),
            ("Bearer ".to_owned(), "bearer_prefix_missing"),
            (format!("Basic {good}"), "bearer_prefix_missing"),
            (format!("Bearer {}x", &good[..good.len() - 1]), "token_malformed"),
            ("Bearer nonsense".to_owned(), "token_malformed"),
        ] {
            let answer = call(&app, &operation, app.tenant(), Some(&authorization)).await;
            let right_by_chance = authorization == format!("Bearer {good}");
            if !right_by_chance {
                assert_refused(&answer, 401, reason, &operation);
            }
        }
    }
}

#[tokio::test]
async fn a_token_that_has_ended_is_refused_everywhere_with_its_reason() {
    let app = app().await;
    let tenant = app.tenant();
    let unknown = FreshToken::generate(tenant, Id::new(app.now())).reveal().to_owned();

    app.account(tenant, "owner@example.com", Role::Administrator).await;
    let (revoked_id, revoked) = app.token_of(tenant, "owner@example.com", &["api"]).await;
    app.app.identity().tokens().revoke(&app::Command(tenant), revoked_id).await.unwrap();

    // The accounts have a password already: setting the first one would end no token.
    let password = Some("a first long password".to_owned());
    let new = |email: &str| NewAccount {
        email: email.to_owned(),
        name: None,
        role: Role::Developer,
        password: password.clone(),
    };
    for email in ["changed@example.com", "demoted@example.com", "disabled@example.com", "removed@example.com"] {
        app.app.identity().accounts().create(&app::Command(tenant), new(email)).await.unwrap();
    }
    let (_, changed) = app.token_of(tenant, "changed@example.com", &["api"]).await;
    let legacy = app.app.identity().tokens().legacy(&app::Command(tenant), "changed@example.com").await.unwrap();
    let (_, demoted) = app.token_of(tenant, "demoted@example.com", &["api"]).await;
    let (_, disabled) = app.token_of(tenant, "disabled@example.com", &["api"]).await;
    let (_, removed) = app.token_of(tenant, "removed@example.com", &["api"]).await;
    let accounts = app.app.identity().accounts();
    let password = "a new and long password".to_owned();
    accounts.set_password(&app::Command(tenant), "changed@example.com", password).await.unwrap();
    accounts.set_role(&app::Command(tenant), "demoted@example.com", Role::Operator).await.unwrap();
    accounts.set_disabled(&app::Command(tenant), "disabled@example.com", true).await.unwrap();
    accounts.remove(&app::Command(tenant), "removed@example.com").await.unwrap();

    let expires_at = Some(app.now().plus_seconds(60));
    let short = NewToken {
        name: "short".to_owned(),
        scopes: ScopeSet::from_scopes(&[Scope::Api]),
        networks: Networks::default(),
        expires_at,
        rate_limit: None,
    };
    let (_, short) =
        app.app.identity().tokens().create(&app::Command(tenant), "owner@example.com", short).await.unwrap();
    app.test.clock.advance(Duration::from_mins(1));

    for operation in operations().into_iter().filter(|operation| !operation.public) {
        for (value, reason) in [
            (unknown.as_str(), "token_unknown"),
            (short.reveal(), "token_expired"),
            (&revoked, "token_revoked"),
            (&changed, "password_changed"),
            (&legacy, "password_changed"),
            (&demoted, "token_revoked"),
            (&disabled, "token_revoked"),
            (&removed, "token_revoked"),
        ] {
            let answer = call(&app, &operation, tenant, Some(&format!("Bearer {value}"))).await;
            assert_refused(&answer, 401, reason, &operation);
        }
    }
}

#[tokio::test]
async fn a_credential_of_another_tenant_is_refused_where_the_path_names_one() {
    let app = app().await;
    let other = app.test.new_tenant("everything").await;
    let foreign = app.token(other, &["api"]).await;
    let unknown_tenant = testkit::database::random_tenant();
    for operation in operations().into_iter().filter(|operation| !operation.public) {
        // The answer is the same whether the tenant of the path exists or not.
        for path_tenant in [app.tenant(), unknown_tenant] {
            let answer = call(&app, &operation, path_tenant, Some(&format!("Bearer {foreign}"))).await;
            if operation.is_legacy_path() {
                assert_refused(&answer, 403, "tenant_mismatch", &operation);
            } else if !operation.takes_tokens() {
                assert_refused(&answer, 403, "role_denied", &operation);
            } else {
                assert!(passed(&answer), "{}: {}", operation.name(), answer.text);
            }
        }
    }
}

#[tokio::test]
async fn each_role_passes_exactly_where_the_table_says() {
    let app = app().await;
    let tenant = app.tenant();
    for role in Role::OF_ACCOUNTS {
        let email = format!("{}@example.com", role.name());
        app.account(tenant, &email, role).await;
        let tokens = app.app.identity().tokens();
        let shared = tokens.legacy(&app::Command(tenant), &email).await.unwrap();
        // `rotateToken` ends the JWT that it is called with.
        let rotated = tokens.legacy(&app::Command(tenant), &email).await.unwrap();
        for operation in operations().into_iter().filter(|operation| !operation.public) {
            let jwt = if operation.legacy_only { &rotated } else { &shared };
            let answer = call(&app, &operation, tenant, Some(&format!("Bearer {jwt}"))).await;
            if operation.roles.iter().any(|name| name == role.name()) {
                assert!(passed(&answer), "{role} {}: {}", operation.name(), answer.text);
            } else {
                assert_refused(&answer, 403, "role_denied", &operation);
            }
        }
    }
}

#[tokio::test]
async fn each_scope_alone_opens_exactly_what_it_reaches() {
    let app = app().await;
    let hierarchy = Hierarchy::default();
    for scope in Scope::ALL {
        let token = app.token(app.tenant(), &[scope.name()]).await;
        let reached = hierarchy.expand(ScopeSet::from_scopes(&[*scope]));
        for operation in operations().into_iter().filter(|operation| !operation.public) {
            let answer = call(&app, &operation, app.tenant(), Some(&format!("Bearer {token}"))).await;
            let enough = operation.any_of.is_empty() || operation.any_of.iter().any(|one| reached.contains(*one));
            if operation.legacy_only {
                assert_refused(&answer, 403, "credential_denied", &operation);
            } else if !operation.takes_tokens() {
                assert_refused(&answer, 403, "role_denied", &operation);
            } else if enough {
                assert!(passed(&answer), "{scope} {}: {}", operation.name(), answer.text);
            } else {
                assert_refused(&answer, 403, "scope_missing", &operation);
                let names: Vec<_> = operation.any_of.iter().map(|scope| scope.name()).collect();
                assert_eq!(answer.json()["required_any_of"], json!(names));
                assert_eq!(answer.json()["granted"], json!([scope.name()]));
            }
        }
    }
}

#[tokio::test]
async fn a_plan_without_the_feature_is_refused() {
    let app = app().await;
    let bare = app.test.new_tenant("bare").await;
    let token = app.token(bare, &["api"]).await;
    for operation in operations().into_iter().filter(|operation| !operation.public && !operation.legacy_only) {
        let answer = call(&app, &operation, bare, Some(&format!("Bearer {token}"))).await;
        if !operation.takes_tokens() {
            assert_refused(&answer, 403, "role_denied", &operation);
        } else if let Some(feature) = &operation.feature {
            let privilege = Feature::named(feature).unwrap().is_privilege();
            let reason = if privilege { "plan_required" } else { "feature_disabled" };
            assert_refused(&answer, 403, reason, &operation);
        } else {
            assert!(passed(&answer), "{}: {}", operation.name(), answer.text);
        }
    }
}

#[tokio::test]
async fn oidc_scopes_are_taken_literally_with_api_as_the_fallback() {
    let test = TestDb::sqlite().await;
    let every: Vec<_> = Scope::ALL.iter().map(|scope| scope.name()).collect();
    let (tenant, foreign) = (test.tenant.to_string(), test.new_tenant("unlimited").await.to_string());
    let clients = Value::Array(vec![
        client("ours", "ES256", &tenant, "DEVELOPER", &every.join(" ")),
        client("foreign", "ES256", &foreign, "DEVELOPER", &every.join(" ")),
    ]);
    let provider = Provider::start(&clients).await;
    let issuers = vec![provider.config(test.tenant)];
    let app = World::with_config(test, Config { issuers, ..config() });
    app.app.identity().tenants().set_plan(&app::Command(app.tenant()), "everything").await.unwrap();
    let foreign = provider.token("foreign", "api").await;
    let mut synchronized = Instant::now();
    for scope in Scope::ALL.iter().map(|scope| scope.name()).chain([""]) {
        // The provider's clock goes on. A token from our future would be refused.
        app.test.clock.advance(synchronized.elapsed());
        synchronized = Instant::now();
        let token = provider.token("ours", scope).await;
        for operation in operations().into_iter().filter(|operation| !operation.public) {
            let refused = call(&app, &operation, app.tenant(), Some(&format!("Bearer {foreign}"))).await;
            assert_refused(&refused, 403, "tenant_mismatch", &operation);
            let answer = call(&app, &operation, app.tenant(), Some(&format!("Bearer {token}"))).await;
            let literal = operation.any_of.iter().any(|one| one.name() == scope);
            let fallback = operation.any_of.is_empty() && scope == "api";
            if operation.legacy_only {
                assert_refused(&answer, 403, "credential_denied", &operation);
            } else if !operation.roles.iter().any(|name| name == Role::Developer.name()) {
                assert_refused(&answer, 403, "role_denied", &operation);
            } else if literal || fallback {
                assert!(passed(&answer), "{scope} {}: {}", operation.name(), answer.text);
            } else {
                assert_refused(&answer, 403, "scope_missing", &operation);
            }
        }
    }
}

/// With the default settings, a token whose claim maps to no role is an operator's. That is enough for the operations
/// that the external API names.
#[tokio::test]
async fn an_oidc_token_without_a_role_passes_where_operators_do() {
    let test = TestDb::sqlite().await;
    let provider = Provider::start(&json!([client("plain", "ES256", &test.tenant.to_string(), "none", "api")])).await;
    let issuers = vec![IssuerConfig { max_role: Role::Operator, ..provider.config(test.tenant) }];
    let app = World::with_config(test, Config { issuers, ..config() });
    app.app.identity().tenants().set_plan(&app::Command(app.tenant()), "everything").await.unwrap();
    let token = provider.token("plain", "api").await;
    let mut open = Vec::new();
    for operation in operations().into_iter().filter(|operation| !operation.public && !operation.legacy_only) {
        let answer = call(&app, &operation, app.tenant(), Some(&format!("Bearer {token}"))).await;
        if operation.roles.iter().any(|name| name == Role::Operator.name()) {
            assert!(passed(&answer), "{}: {}", operation.name(), answer.text);
            open.push(operation.name());
        } else {
            assert_refused(&answer, 403, "role_denied", &operation);
        }
    }
    let named = ["GET /api/ext/v3/account/credits", "GET /api/ext/v3/calls", "GET /{tenantId}/api/v1/getContacts"];
    assert!(named.iter().all(|name| open.iter().any(|one| one == name)), "{open:?}");
}

/// Reviewed lists of operations with weak protection: operations may be removed from them, not added.
#[test]
fn few_operations_are_public_or_have_no_scope() {
    let all = operations();
    let names = |choose: &dyn Fn(&Operation) -> bool| -> Vec<String> {
        all.iter().filter(|operation| choose(operation)).map(Operation::name).collect()
    };
    let public = names(&|operation| operation.public);
    let hooks = ["GET /hooks/whatsapp/{channel_id}", "POST /hooks/whatsapp/{channel_id}"];
    assert_eq!(public, ["GET /api/openapi.json", "GET /c/{code}", "GET /healthz", hooks[0], hooks[1], "GET /readyz"]);
    let scopeless = names(&|operation| !operation.public && !operation.legacy_only && operation.any_of.is_empty());
    assert_eq!(scopeless, ["GET /api/ext/v3/account/credits"]);
    assert_eq!(names(&|operation| operation.legacy_only), ["POST /{tenantId}/api/v1/rotateToken"]);
}

/// The matrix of operations, scopes, roles and features as text, so that every change is seen in review.
#[test]
fn the_permission_matrix_is_as_reviewed() {
    let mut lines: Vec<String> = operations()
        .iter()
        .map(|operation| {
            let scopes: Vec<_> = operation.any_of.iter().map(|scope| scope.name()).collect();
            let who = if operation.public { "public".to_owned() } else { operation.roles.join(" ") };
            let feature = operation.feature.as_deref().unwrap_or("-");
            format!("{} | {} | {} | {}", operation.name(), scopes.join(" "), who, feature)
        })
        .collect();
    lines.sort();
    insta::assert_snapshot!(lines.join("\n"));
}
