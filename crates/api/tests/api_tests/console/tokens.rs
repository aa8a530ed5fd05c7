//! Tokens, managed in the console.

use super::*;

async fn listed(app: &World, person: &Person) -> Vec<Value> {
    let answer = person.get(app, TOKENS).await.ok();
    answer["tokens"].as_array().unwrap().clone()
}

async fn states(app: &World, person: &Person) -> Vec<String> {
    listed(app, person).await.iter().map(|token| text(&token["state"])).collect()
}

testkit::both_databases! {
    async fn a_token_is_shown_with_its_value_once_and_works(app = World::new) {
        let ada = logged_in(&app, "ada", Role::Developer).await;
        let made = ada.call(&app, "POST", TOKENS, &json!({
            "name": " ci ", "scopes": ["callsv3:*"], "expires_at": "2999-05-01", "networks": ["127.0.0.1", "10.1.2.3/8"], "rate_limit": 7,
        })).await;
        assert_eq!((made.status.as_u16(), &made.headers["cache-control"]), (200, &"no-store".parse().unwrap()), "{}", made.text);
        let mut shown = made.json();
        let value = text(&shown["token"]);
        shown.as_object_mut().unwrap().remove("token");
        assert_eq!(shown, json!({
            "id": shown["id"], "name": "ci", "scopes": ["callsv3:read", "callsv3:write"],
            "networks": ["127.0.0.1/32", "10.0.0.0/8"], "rate_limit": 7, "account_id": ada.id,
            "created_at": app.now().to_millis().to_rfc3339(), "expires_at": "2999-05-01T23:59:59.999Z",
            "revoked_at": null, "last_used_at": null, "last_used_address": null, "rotation_due": false, "state": "active",
        }));
        assert_eq!(listed(&app, &ada).await, [shown]);
        assert_eq!(app.by(&value).get(CALLS).await.status, 200);
        app.test.clock.advance(Duration::from_hours(24 * 190));
        let later = person(&log_in(&app, &ada.email, PASSWORD).await);
        assert_eq!(listed(&app, &later).await[0]["rotation_due"], true);
    }

    async fn what_cannot_be_a_token_is_named(app = World::new) {
        let ada = logged_in(&app, "ada", Role::Administrator).await;
        let operator = app.account(app.tenant(), &email("op", app.tenant()), Role::Operator).await.to_string();
        let other = app.test.new_tenant("unlimited").await;
        let foreign = app.account(other, &email("far", other), Role::Administrator).await.to_string();
        for (more, parameter) in [
            (json!({"name": null}), "name"),
            (json!({"name": " "}), "name"),
            (json!({"name": "x".repeat(101)}), "name"),
            (json!({"scopes": []}), "scopes"),
            (json!({"scopes": ["calls"]}), "scopes"),
            (json!({"scopes": "api"}), "scopes"),
            (json!({"expires_at": "2020-01-01"}), "expires_at"),
            (json!({"expires_at": "tomorrow"}), "expires_at"),
            (json!({"networks": ["example.com"]}), "networks"),
            (json!({"rate_limit": 0}), "rate_limit"),
            (json!({"rate_limit": "9"}), "rate_limit"),
            (json!({"account_id": "ada"}), "account_id"),
            (json!({"account_id": operator}), "account_id"),
            (json!({"account_id": foreign}), "account_id"),
        ] {
            let mut body = json!({"name": "ci", "scopes": ["api"]});
            body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            assert_invalid(&ada.call(&app, "POST", TOKENS, &body).await, parameter);
        }
        assert!(listed(&app, &ada).await.is_empty());
    }

    async fn a_developer_touches_only_its_own_tokens(app = World::new) {
        let admin = logged_in(&app, "admin", Role::Administrator).await;
        let [ada, grace] = [logged_in(&app, "ada", Role::Developer).await, logged_in(&app, "grace", Role::Developer).await];
        let (own, _) = ada.token(&app, json!({"account_id": ada.id})).await;
        let (theirs, value) = grace.token(&app, json!({})).await;
        let (given, _) = admin.token(&app, json!({"account_id": ada.id})).await;
        let for_another = json!({"name": "ci", "scopes": ["api"], "account_id": grace.id});
        assert_refused(&ada.call(&app, "POST", TOKENS, &for_another).await, 403, "role_denied");
        let ids = |tokens: Vec<Value>| tokens.iter().map(|token| text(&token["id"])).collect::<Vec<_>>();
        assert_eq!(ids(listed(&app, &ada).await), [own.as_str(), &given]);
        assert_eq!(ids(listed(&app, &admin).await), [own.as_str(), &theirs, &given]);
        for id in [theirs.as_str(), "69eb4e9a1f0c2d3e4a5b6c7d", "nonsense"] {
            assert_refused(&ada.call(&app, "DELETE", &format!("{TOKENS}/{id}"), &json!({})).await, 404, "not_found");
            assert_refused(&ada.call(&app, "POST", &format!("{TOKENS}/{id}/renew"), &json!({})).await, 404, "not_found");
        }
        assert_eq!(app.by(&value).get(CALLS).await.status, 200);
        assert_eq!(admin.call(&app, "DELETE", &format!("{TOKENS}/{theirs}"), &json!({})).await.json(), json!({"result": true}));
        assert_refused(&app.by(&value).get(CALLS).await, 401, "token_revoked");
        assert_eq!(states(&app, &grace).await, ["revoked"]);
    }

    async fn another_tenant_s_tokens_are_not_there(app = World::new) {
        let admin = logged_in(&app, "admin", Role::Administrator).await;
        let other = app.test.new_tenant("unlimited").await;
        let owner = app.account(other, &email("far", other), Role::Administrator).await.to_string();
        let (id, value) = app.token_of(other, &owner, &["api"]).await;
        assert_refused(&admin.call(&app, "DELETE", &format!("{TOKENS}/{id}"), &json!({})).await, 404, "not_found");
        assert_refused(&admin.call(&app, "PATCH", &format!("{ACCOUNTS}/{owner}"), &json!({"disabled": true})).await, 404, "not_found");
        assert_refused(&admin.call(&app, "DELETE", &format!("{ACCOUNTS}/{owner}"), &json!({})).await, 404, "not_found");
        assert!(listed(&app, &admin).await.is_empty());
        assert_eq!(app.by(&value).get(CALLS).await.status, 200);
    }

    async fn a_renewed_token_overlaps_its_successor(app = World::new) {
        let ada = logged_in(&app, "ada", Role::Developer).await;
        let in_an_hour = app.now().plus_seconds(3600).to_rfc3339();
        let (id, old) = ada.token(&app, json!({"expires_at": in_an_hour})).await;
        let path = format!("{TOKENS}/{id}/renew");
        assert_invalid(&ada.call(&app, "POST", &path, &json!({"overlap_seconds": -1})).await, "overlap_seconds");
        assert_invalid(&ada.call(&app, "POST", &path, &json!({"expires_at": "2020-01-01"})).await, "expires_at");
        app.test.clock.advance(Duration::from_mins(30));
        let renewed = ada.call(&app, "POST", &path, &json!({"overlap_seconds": 60})).await.ok();
        let ends = renewed["expires_at"].clone();
        assert_eq!(ends, app.now().to_millis().plus_seconds(3600).to_rfc3339(), "the old one's lifetime again");
        let new = text(&renewed["token"]);
        assert_eq!((app.by(&old).get(CALLS).await.status, app.by(&new).get(CALLS).await.status), (200.try_into().unwrap(), 200.try_into().unwrap()));
        app.test.clock.advance(Duration::from_mins(1));
        assert_refused(&app.by(&old).get(CALLS).await, 401, "token_expired");
        assert_eq!(app.by(&new).get(CALLS).await.status, 200);
        assert_eq!(states(&app, &ada).await, ["expired", "active"]);
        assert_refused(&ada.call(&app, "POST", &path, &json!({})).await, 409, "conflict");
        let successor = text(&renewed["id"]);
        let endless = ada.call(&app, "POST", &format!("{TOKENS}/{successor}/renew"), &json!({"expires_at": null})).await;
        assert_eq!(endless.json()["expires_at"], Value::Null, "{}", endless.text);
    }

    async fn a_password_change_ends_tokens_and_sessions(app = World::new) {
        let path = "/console/api/password";
        let ada = logged_in(&app, "ada", Role::Administrator).await;
        let elsewhere = person(&log_in(&app, &ada.email, PASSWORD).await);
        let (_, value) = ada.token(&app, json!({})).await;
        let legacy = text(&ada.call(&app, "POST", "/console/api/legacy-token", &json!({})).await.json()["token"]);
        assert_eq!(app.by(&value).get(CALLS).await.status, 200);
        assert_eq!(app.by(&legacy).get(CALLS).await.status, 200);
        let new = "a quite different password";
        assert_invalid(&ada.call(&app, "PUT", path, &json!({"current": "wrong", "new": new})).await, "current");
        assert_invalid(&ada.call(&app, "PUT", path, &json!({"current": PASSWORD, "new": "short"})).await, "new");
        assert_eq!(app.by(&value).get(CALLS).await.status, 200);
        let changed = ada.call(&app, "PUT", path, &json!({"current": PASSWORD, "new": new})).await;
        assert_eq!(changed.json(), json!({"result": true}));
        assert!(changed.headers["set-cookie"].to_str().unwrap().starts_with("__Host-switchboard_session=; "));
        assert_refused(&app.by(&value).get(CALLS).await, 401, "password_changed");
        assert_refused(&app.by(&legacy).get(CALLS).await, 401, "password_changed");
        assert!(!ada.is_in(&app).await && !elsewhere.is_in(&app).await);
        assert_refused(&log_in(&app, &ada.email, PASSWORD).await, 401, "log_in_failed");
        let back = person(&log_in(&app, &ada.email, new).await);
        assert_eq!(states(&app, &back).await, ["password_changed"]);
    }
}
