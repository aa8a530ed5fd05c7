//! Credentials end with their account for good, and legacy JWTs end one by one.

use domain::identity::memberships::{MAX_LEGACY_JWTS, MAX_SESSIONS};

use super::*;

const LEGACY_TOKENS: &str = "/console/api/legacy-tokens";
const WEBHOOKS: &str = "/api/ext/v3/webhooks";

async fn legacy_of(app: &World, who: &str) -> String {
    app.app.identity().tokens().legacy(&Command(app.tenant()), who).await.unwrap()
}

async fn assert_ends(app: &World, value: &str, reason: &str) {
    assert_refused(&app.by(value).get(CALLS).await, 401, reason);
}

testkit::both_databases! {
    async fn enabling_an_account_revives_nothing(app = World::new) {
        let (accounts, tenant) = (app.app.identity().accounts(), app.tenant());
        let ada = logged_in(&app, "ada", Role::Developer).await;
        let (token_id, token) = ada.token(&app, json!({})).await;
        let legacy = legacy_of(&app, &ada.email).await;
        let link = app.app.identity().one_time_links().issue(&Command(tenant), &ada.email).await.unwrap();
        for value in [&token, &legacy] {
            assert_eq!(app.by(value).get(CALLS).await.status, 200);
        }
        accounts.set_disabled(&Command(tenant), &ada.email, true).await.unwrap();
        for value in [&token, &legacy] {
            assert_ends(&app, value, "token_revoked").await;
        }
        assert!(!ada.is_in(&app).await);

        accounts.set_disabled(&Command(tenant), &ada.email, false).await.unwrap();
        assert_ends(&app, &token, "token_revoked").await;
        assert_ends(&app, &legacy, "password_changed").await;
        assert!(!ada.is_in(&app).await);
        let redeem = json!({"code": link.code.reveal(), "password": "zebra gravel lantern"});
        assert_refused(&send(&app, "POST", SET_UP, &[("origin", ORIGIN)], &redeem).await, 410, "link_ended");
        // The account itself works again, with new credentials.
        let ada = person(&log_in(&app, &ada.email, PASSWORD).await);
        let listed = ada.get(&app, TOKENS).await.json();
        let old = listed["tokens"].as_array().unwrap().iter().find(|it| it["id"] == token_id.as_str()).unwrap().clone();
        assert!(old["revoked_at"].is_string(), "{old}");
        assert_eq!(app.by(&ada.token(&app, json!({})).await.1).get(CALLS).await.status, 200);
        assert_eq!(app.by(&legacy_of(&app, &ada.email).await).get(CALLS).await.status, 200);
    }

    async fn promoting_an_account_revives_no_token(app = World::new) {
        let (accounts, tenant) = (app.app.identity().accounts(), app.tenant());
        logged_in(&app, "admin", Role::Administrator).await;
        let ada = logged_in(&app, "ada", Role::Developer).await;
        let (_, token) = ada.token(&app, json!({})).await;
        let legacy = legacy_of(&app, &ada.email).await;
        accounts.set_role(&Command(tenant), &ada.email, Role::Administrator).await.unwrap();
        assert_eq!(app.by(&token).get(CALLS).await.status, 200, "an administrator may own tokens too");
        accounts.set_role(&Command(tenant), &ada.email, Role::Operator).await.unwrap();
        assert_ends(&app, &token, "token_revoked").await;
        accounts.set_role(&Command(tenant), &ada.email, Role::Developer).await.unwrap();
        assert_ends(&app, &token, "token_revoked").await;
        // Legacy JWTs and sessions do not end: they have the rights of the present role.
        assert_eq!(app.by(&legacy).get(CALLS).await.status, 200);
        assert!(ada.is_in(&app).await);
    }

    async fn a_demoted_account_s_legacy_jwt_has_the_present_role_s_rights_and_is_not_replaced(app = World::new) {
        let (accounts, tenant) = (app.app.identity().accounts(), app.tenant());
        logged_in(&app, "admin", Role::Administrator).await;
        let ada = logged_in(&app, "ada", Role::Administrator).await;
        let legacy = legacy_of(&app, &ada.email).await;
        let (rotate, new) = (format!("/{tenant}/api/v1/rotateToken"), "/console/api/legacy-token");
        assert_eq!(app.by(&legacy).get(WEBHOOKS).await.status, 200);
        for role in [Role::Operator, Role::Trial] {
            accounts.set_role(&Command(tenant), &ada.email, role).await.unwrap();
            assert_eq!(app.by(&legacy).get(CALLS).await.status, 200, "{role}");
            assert_refused(&app.by(&legacy).get(WEBHOOKS).await, 403, "role_denied");
            let shown = ada.get(&app, SESSION).await.json();
            assert_eq!(shown["account"]["role"], role.name(), "the session goes on too");
            // The JWT ends with its time at the latest: neither a new one nor one in its place is given out.
            assert_refused(&ada.call(&app, "POST", new, &json!({})).await, 403, "role_denied");
            assert_refused(&app.by(&legacy).post(&rotate, &json!({"token": legacy})).await, 403, "role_denied");
        }
        accounts.set_role(&Command(tenant), &ada.email, Role::Developer).await.unwrap();
        assert_eq!(app.by(&legacy).get(WEBHOOKS).await.status, 200);
        let rotated = text(&app.by(&legacy).post(&rotate, &json!({"token": legacy})).await.json()["token"]);
        assert_ends(&app, &legacy, "token_revoked").await;
        accounts.set_disabled(&Command(tenant), &ada.email, true).await.unwrap();
        assert_ends(&app, &rotated, "token_revoked").await;
    }

    async fn a_legacy_jwt_that_has_ended_is_not_replaced(app = World::new) {
        let ada = logged_in(&app, "ada", Role::Developer).await;
        let ended = legacy_of(&app, &ada.email).await;
        let rotate = format!("/{}/api/v1/rotateToken", app.tenant());
        app.app.identity().accounts().log_out_everywhere(&Command(app.tenant()), &ada.email).await.unwrap();
        assert_ends(&app, &ended, "password_changed").await;
        let present = legacy_of(&app, &ada.email).await;
        let refused = app.by(&present).post(&rotate, &json!({"token": ended})).await.json();
        assert!(refused["result"] == false && refused.get("token").is_none(), "{refused}");
        assert_eq!(app.by(&present).post(&rotate, &json!({})).await.json()["result"], true);
    }

    async fn an_account_has_a_limited_number_of_legacy_jwts(app = World::new) {
        let ada = logged_in(&app, "ada", Role::Developer).await;
        for _ in 0..MAX_LEGACY_JWTS {
            legacy_of(&app, &ada.email).await;
        }
        let one_more = ada.call(&app, "POST", "/console/api/legacy-token", &json!({})).await;
        assert_refused(&one_more, 429, "limit_reached");
        assert_eq!(one_more.json()["limit"], "legacy_jwts");
        let listed = ada.get(&app, LEGACY_TOKENS).await.json();
        let first = format!("{LEGACY_TOKENS}/{}", listed["legacy_tokens"][0]["id"].as_str().unwrap());
        assert_eq!(ada.call(&app, "DELETE", &first, &json!({})).await.status, 200);
        assert_eq!(ada.call(&app, "POST", "/console/api/legacy-token", &json!({})).await.status, 200);
    }

    async fn the_oldest_session_ends_with_one_too_many(app = World::new) {
        let first = logged_in(&app, "ada", Role::Operator).await;
        app.advance(1);
        let second = person(&log_in(&app, &first.email, PASSWORD).await);
        for _ in 2..MAX_SESSIONS {
            app.advance(1);
            person(&log_in(&app, &first.email, PASSWORD).await);
        }
        assert!(first.is_in(&app).await);
        app.advance(1);
        let last = person(&log_in(&app, &first.email, PASSWORD).await);
        assert!(!first.is_in(&app).await && second.is_in(&app).await && last.is_in(&app).await);
    }

    async fn a_removed_account_s_tokens_stay_ended(app = World::new) {
        let (accounts, tenant) = (app.app.identity().accounts(), app.tenant());
        let ada = logged_in(&app, "ada", Role::Developer).await;
        let (_, token) = ada.token(&app, json!({})).await;
        accounts.remove(&Command(tenant), &ada.email).await.unwrap();
        assert_ends(&app, &token, "token_revoked").await;
        make(&app, tenant, &ada.email, Role::Developer, PASSWORD).await;
        assert_ends(&app, &token, "token_revoked").await;
    }

    async fn legacy_jwts_expire_and_are_revoked_one_by_one(app = World::new) {
        let admin = logged_in(&app, "admin", Role::Administrator).await;
        let ada = logged_in(&app, "ada", Role::Developer).await;
        let grace = logged_in(&app, "grace", Role::Developer).await;
        let made = ada.call(&app, "POST", "/console/api/legacy-token", &json!({})).await;
        let (first, second) = (text(&made.json()["token"]), legacy_of(&app, &ada.email).await);

        let list = async |who: &Person| who.get(&app, LEGACY_TOKENS).await.json()["legacy_tokens"].as_array().unwrap().clone();
        let own = list(&ada).await;
        assert_eq!((own.len(), list(&grace).await.len(), list(&admin).await.len()), (2, 0, 2));
        let now = app.now();
        let days = domain::Timestamp::from_seconds(now.seconds()).plus_seconds(365 * 86_400).to_rfc3339();
        assert_eq!(own[0], json!({
            "id": own[0]["id"], "account": ada.email, "account_id": ada.id, "created_at": now.to_millis().to_rfc3339(),
            "expires_at": days, "revoked_at": null, "state": "active",
        }));
        assert!(!own.iter().any(|it| it.to_string().contains(&first)));

        let of = |entry: &Value| format!("{LEGACY_TOKENS}/{}", entry["id"].as_str().unwrap());
        assert_refused(&grace.call(&app, "DELETE", &of(&own[0]), &json!({})).await, 404, "not_found");
        for strange in ["nonsense", "69eb4e9a1f0c2d3e4a5b6c7d"] {
            let path = format!("{LEGACY_TOKENS}/{strange}");
            assert_refused(&admin.call(&app, "DELETE", &path, &json!({})).await, 404, "not_found");
        }
        for _ in 0..2 {
            assert_eq!(ada.call(&app, "DELETE", &of(&own[0]), &json!({})).await.json(), json!({"result": true}));
        }
        let works = async |value: &str| app.by(value).get(CALLS).await.status == 200;
        let (one, two) = (works(&first).await, works(&second).await);
        assert!(one != two, "exactly one was revoked");
        let states: Vec<_> = list(&ada).await.iter().map(|it| text(&it["state"])).collect();
        assert_eq!(states, ["revoked", "active"]);
        let log = app.app.identity().audit().latest(&Command(app.tenant()), 100).await.unwrap();
        assert_eq!(log.iter().filter(|it| it.action == "legacy_jwt.revoke").count(), 1);

        let left = if one { &first } else { &second };
        let rotate = format!("/{}/api/v1/rotateToken", app.tenant());
        let rotated = app.by(left).post(&rotate, &json!({"token": left})).await.json();
        let left = text(&rotated["token"]);
        assert_eq!(list(&ada).await.len(), 3);
        app.advance(365 * 86_400 - 1);
        assert!(works(&left).await);
        app.advance(2);
        assert_ends(&app, &left, "token_expired").await;
        let ada = person(&log_in(&app, &ada.email, PASSWORD).await);
        assert_eq!(list(&ada).await[2]["state"], "expired");
    }
}
