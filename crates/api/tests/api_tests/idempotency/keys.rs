//! The owner and the form of a key.

use app::Config;
use axum::body::Body;
use domain::identity::roles::Role;
use serde_json::json;
use testkit::World;
use testkit::database::TestDb;
use testkit::oidc::{Provider, client};
use testkit::world::{config, request};

use crate::idempotency::world::{
    CONTACTS, CSV, IMPORT, assert_first, assert_refused, assert_replay, contact, effects, import, post, token,
};

testkit::both_databases! {
    async fn another_credential_operation_or_tenant_has_keys_of_its_own(app = World::new) {
        let (one, other) = (token(&app).await, token(&app).await);
        let first = import(&app, &one, "k", CSV).await;
        assert_first(&first);
        assert_first(&import(&app, &other, "k", CSV).await);
        let elsewhere = app.test.new_tenant("unlimited").await;
        let foreign = app.token(elsewhere, &["api"]).await;
        assert_first(&import(&app, &foreign, "k", CSV).await);
        assert_first(&post(&app, CONTACTS, &one, "k", &contact("Ada")).await);
        assert_eq!((effects(&app, &one).await, effects(&app, &foreign).await), (2, 1));
        assert_replay(&import(&app, &one, "k", CSV).await, &first);
    }

    async fn all_legacy_tokens_of_an_account_share_its_keys(app = World::new) {
        app.account(app.tenant(), "ada@example.com", Role::Administrator).await;
        let jwt = async || app.app.identity().tokens().legacy(&app::Command(app.tenant()), "ada@example.com").await.unwrap();
        let first = import(&app, &jwt().await, "k", CSV).await;
        assert_first(&first);
        assert_replay(&import(&app, &jwt().await, "k", CSV).await, &first);
    }

    async fn keys_have_a_shape(app = World::with_api_token) {
        let longest = "x".repeat(255);
        for good in ["a", "0", "Order_42.retry-1", &longest] {
            assert_first(&import(&app, &app.token, good, CSV).await);
        }
        let long = "x".repeat(256);
        for bad in ["", " ", "a b", "a/b", "a:b", "é", "a,b", "\"a\"", &long] {
            let refused = import(&app, &app.token, bad, CSV).await;
            assert_refused(&refused, 400, "invalid_parameter");
            assert_eq!(refused.json()["parameter"], "Idempotency-Key", "{bad}");
        }
        let twice = request("POST", IMPORT, Some(&app.token)).header("idempotency-key", "a").header("idempotency-key", "b");
        assert_refused(&app.send(twice.body(Body::from(CSV)).unwrap()).await, 400, "malformed_request");
        assert_eq!(effects(&app, &app.token).await, 4);
    }

    async fn a_caller_without_permission_gets_no_stored_answer(app = World::new) {
        let (tenant, owner) = (app.tenant(), app.account(app.tenant(), "ada@example.com", Role::Administrator).await);
        let (id, value) = app.token_of(tenant, &owner.to_string(), &["api"]).await;
        assert_first(&import(&app, &value, "k", CSV).await);
        app.app.identity().tokens().revoke(&app::Command(tenant), id).await.unwrap();
        assert_refused(&import(&app, &value, "k", CSV).await, 401, "token_revoked");
    }

    async fn an_answer_with_a_secret_is_not_kept(app = World::new) {
        app.account(app.tenant(), "ada@example.com", Role::Administrator).await;
        let jwt = app.app.identity().tokens().legacy(&app::Command(app.tenant()), "ada@example.com").await.unwrap();
        let path = format!("/{}/api/v1/rotateToken", app.tenant());
        let refused = post(&app, &path, &jwt, "k", &json!({})).await;
        assert_refused(&refused, 400, "invalid_parameter");
        assert_eq!(refused.json()["parameter"], "Idempotency-Key");
        let rotated = app.by(&jwt).post(&path, &json!({})).await;
        assert_eq!((rotated.status.as_u16(), &rotated.json()["result"]), (200, &json!(true)), "{}", rotated.text);
    }
}

#[tokio::test]
async fn each_subject_of_an_issuer_has_keys_of_its_own() {
    let test = TestDb::sqlite().await;
    let tenant = test.tenant.to_string();
    let named = |name: &str| client(name, "ES256", &tenant, "DEVELOPER", "api");
    let provider = Provider::start(&json!([named("one"), named("other")])).await;
    let issuers = vec![provider.config(test.tenant)];
    let app = World::with_config(test, Config { issuers, ..config() });
    let first = import(&app, &provider.token("one", "api").await, "k", CSV).await;
    assert_first(&first);
    let other = provider.token("other", "api").await;
    assert_first(&import(&app, &other, "k", CSV).await);
    assert_replay(&import(&app, &provider.token("one", "api").await, "k", CSV).await, &first);
    assert_eq!(effects(&app, &other).await, 2);
}
