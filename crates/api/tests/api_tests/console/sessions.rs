//! Logging in and out, and access control.

use super::*;
use crate::role_table::RoleTable;

testkit::both_databases! {
    async fn a_log_in_shows_who_it_is_and_gives_a_cookie(app = World::new) {
        let address = email("ada", app.tenant());
        let id = make(&app, app.tenant(), &address, Role::Operator, PASSWORD).await;
        let answer = log_in(&app, &format!(" {} ", address.to_uppercase()), PASSWORD).await;
        assert_eq!(answer.status, 200, "{}", answer.text);
        let shown = answer.json();
        let expires_at = app.now().to_millis().plus_seconds(12 * 3600).to_rfc3339();
        assert_eq!(shown, json!({
            "account": {"id": id, "email": address, "name": address.split('@').next(), "role": "OPERATOR"},
            "tenant": {"id": app.tenant(), "name": "Test", "plan": "unlimited"},
            "csrf_token": shown["csrf_token"], "expires_at": expires_at, "must_enrol": false, "other_tenants": 0,
            "administers_installation": false,
        }));
        assert_eq!(text(&shown["csrf_token"]).len(), 64);
        assert_eq!(answer.headers["cache-control"], "no-store");
        let ada = person(&answer);
        let attributes = answer.headers["set-cookie"].to_str().unwrap().strip_prefix(&ada.cookie).unwrap();
        assert_eq!(attributes, "; Path=/; Max-Age=43200; HttpOnly; SameSite=Strict; Secure");
        assert!(ada.cookie.starts_with("__Host-switchboard_session="));
        for path in [SESSION, "/Console/API/Session"] {
            let again = ada.get(&app, path).await;
            assert_eq!(again.json(), shown);
            assert!(again.headers.get("set-cookie").is_none());
        }
    }

    async fn nobody_logs_in_to_a_suspended_tenant(app = World::new) {
        let address = email("ada", app.tenant());
        make(&app, app.tenant(), &address, Role::Administrator, PASSWORD).await;
        app.app.platform().tenants().suspend(&Command(app.tenant())).await.unwrap();
        let answer = log_in(&app, &address, PASSWORD).await;
        assert_refused(&answer, 403, "tenant_suspended");
        assert!(answer.headers.get("set-cookie").is_none());
        assert_refused(&log_in(&app, &address, "wrong").await, 401, "log_in_failed");
        app.app.platform().tenants().resume(&Command(app.tenant())).await.unwrap();
        assert_eq!(log_in(&app, &address, PASSWORD).await.status, 200);
    }

    async fn without_tls_the_cookie_is_not_secure(test) {
        let app = World::with_edge(test, edge_settings("http://127.0.0.1:8080"));
        let address = email("ada", app.tenant());
        make(&app, app.tenant(), &address, Role::Operator, PASSWORD).await;
        let headers = [("origin", "http://localhost:8080"), ("host", "localhost:8080")];
        let answer = send(&app, "POST", SESSION, &headers, &json!({"email": address, "password": PASSWORD})).await;
        assert_eq!(answer.status, 200, "{}", answer.text);
        let cookie = answer.headers["set-cookie"].to_str().unwrap();
        assert!(cookie.starts_with("switchboard_session=") && cookie.contains("; Path=/console;"), "{cookie}");
        assert!(!cookie.contains("Secure"));
    }

    async fn every_failed_log_in_is_answered_alike(app = World::new) {
        let [known, disabled, nameless] = ["ada", "grace", "alan"].map(|name| email(name, app.tenant()));
        make(&app, app.tenant(), &known, Role::Administrator, PASSWORD).await;
        make(&app, app.tenant(), &disabled, Role::Operator, PASSWORD).await;
        app.app.identity().accounts().set_disabled(&Command(app.tenant()), &disabled, true).await.unwrap();
        app.account(app.tenant(), &nameless, Role::Operator).await;
        let unknown = email("nobody", app.tenant());
        let mut bodies = Vec::new();
        for (email, password) in [(&known, "wrong"), (&unknown, PASSWORD), (&disabled, PASSWORD), (&nameless, "")] {
            let answer = log_in(&app, email, password).await;
            assert_refused(&answer, 401, "log_in_failed");
            assert!(answer.headers.get("set-cookie").is_none());
            let mut body = answer.json();
            body["timestamp"] = Value::Null;
            bodies.push(body);
        }
        assert!(bodies.iter().all(|body| *body == bodies[0]), "{bodies:?}");
        let headers = [("origin", ORIGIN)];
        assert_invalid(&send(&app, "POST", SESSION, &headers, &json!({"email": known})).await, "password");
        assert_invalid(&send(&app, "POST", SESSION, &headers, &json!({"email": 1, "password": ""})).await, "email");
        assert_refused(&log_in(&app, "a\0b@example.com", PASSWORD).await, 400, "invalid_body");
    }

    async fn of_several_accounts_of_one_address_the_first_that_fits_wins(app = World::new) {
        let mut tenants = [app.tenant(), app.test.new_tenant("growth").await, app.test.new_tenant("bare").await];
        tenants.sort();
        let address = email("ada", app.tenant());
        for (tenant, password) in tenants.iter().zip(["a password of its own", PASSWORD, PASSWORD]) {
            make(&app, *tenant, &address, Role::Operator, password).await;
        }
        let tenant_of = async |password: &str| text(&log_in(&app, &address, password).await.json()["tenant"]["id"]);
        assert_eq!(tenant_of("a password of its own").await, tenants[0].to_string());
        assert_eq!(tenant_of(PASSWORD).await, tenants[1].to_string());
    }

    async fn a_session_ends_by_time_and_by_log_out(app = World::new) {
        let ada = logged_in(&app, "ada", Role::Operator).await;
        let elsewhere = person(&log_in(&app, &ada.email, PASSWORD).await);
        assert_ne!((&ada.cookie, &ada.csrf), (&elsewhere.cookie, &elsewhere.csrf));
        let out = ada.call(&app, "DELETE", SESSION, &json!({})).await;
        assert_eq!(out.json(), json!({"result": true}));
        let cleared = "__Host-switchboard_session=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict; Secure";
        assert_eq!(out.headers["set-cookie"], cleared);
        assert!(!ada.is_in(&app).await);
        // A session that is used every hour lasts until its expiry.
        for _ in 0..11 {
            app.test.clock.advance(Duration::from_hours(1));
            assert_eq!(elsewhere.get(&app, SESSIONS).await.status, 200);
            app.app.identity().save_uses().await.unwrap();
        }
        app.advance(3600 - 1);
        assert!(elsewhere.is_in(&app).await);
        app.advance(1);
        assert!(!elsewhere.is_in(&app).await);
    }

    async fn a_session_that_is_not_used_ends(app = World::new) {
        let ada = logged_in(&app, "ada", Role::Operator).await;
        app.test.clock.advance(Duration::from_hours(2));
        assert_eq!(ada.get(&app, SESSIONS).await.status, 200);
        app.app.identity().save_uses().await.unwrap();
        let idle = person(&log_in(&app, &ada.email, PASSWORD).await);
        app.test.clock.advance(Duration::from_hours(1));
        assert_eq!(ada.get(&app, SESSIONS).await.status, 200);
        // An open page asks whether the session still holds; that does not count as use.
        assert!(idle.is_in(&app).await);
        app.app.identity().save_uses().await.unwrap();
        app.test.clock.advance(Duration::from_mins(62));
        assert!(!idle.is_in(&app).await, "122 minutes without use");
        let shown = ada.get(&app, SESSIONS).await.json();
        assert_eq!(shown["sessions"].as_array().unwrap().len(), 1, "{shown}");
        app.test.clock.advance(Duration::from_mins(122));
        assert!(!ada.is_in(&app).await);
    }

    async fn a_session_ends_with_its_account_s_credentials(app = World::new) {
        let (accounts, tenant) = (app.app.identity().accounts(), app.tenant());
        let [ada, grace, alan] = [
            logged_in(&app, "ada", Role::Operator).await,
            logged_in(&app, "grace", Role::Operator).await,
            logged_in(&app, "alan", Role::Operator).await,
        ];
        let ada_again = person(&log_in(&app, &ada.email, PASSWORD).await);
        let out = ada.call(&app, "POST", "/console/api/log-out-everywhere", &json!({})).await;
        assert_eq!(out.status, 200, "{}", out.text);
        assert!(out.headers["set-cookie"].to_str().unwrap().contains("Max-Age=0"));
        assert!(!ada.is_in(&app).await && !ada_again.is_in(&app).await);
        assert!(grace.is_in(&app).await);
        accounts.set_disabled(&Command(tenant), &grace.email, true).await.unwrap();
        assert!(!grace.is_in(&app).await);
        accounts.remove(&Command(tenant), &alan.email).await.unwrap();
        assert!(!alan.is_in(&app).await);
        let ada = person(&log_in(&app, &ada.email, PASSWORD).await);
        accounts.set_password(&Command(tenant), &ada.email, "another long password".to_owned()).await.unwrap();
        assert!(!ada.is_in(&app).await);
    }

    async fn a_person_sees_and_ends_the_own_sessions(app = World::new) {
        let began = app.now().to_millis();
        let ada = logged_in(&app, "ada", Role::Operator).await;
        app.test.clock.advance(Duration::from_mins(5));
        let long = format!("Mozilla/5.0 {}", "x".repeat(400));
        let headers = [("origin", ORIGIN), ("user-agent", long.as_str())];
        let credentials = json!({"email": ada.email, "password": PASSWORD});
        let phone = person(&send(&app, "POST", SESSION, &headers, &credentials).await);
        let grace = logged_in(&app, "grace", Role::Operator).await;
        let expired = person(&log_in(&app, &grace.email, PASSWORD).await);

        let list = async |who: &Person| who.get(&app, SESSIONS).await.json()["sessions"].as_array().unwrap().clone();
        let shown = list(&ada).await;
        assert_eq!(shown.len(), 2, "{shown:?}");
        let at = |seconds: i64| json!(began.plus_seconds(seconds).to_rfc3339());
        assert_eq!(shown[0], json!({
            "id": shown[0]["id"], "current": false, "created_at": at(300), "last_used_at": at(300),
            "expires_at": at(300 + 12 * 3600), "address": "127.0.0.1", "user_agent": &long[..300],
        }));
        assert_eq!((&shown[1]["current"], &shown[1]["user_agent"], &shown[1]["created_at"]), (&json!(true), &Value::Null, &at(0)));

        // When a session was last used is written in the background.
        app.app.identity().save_uses().await.unwrap();
        let shown = list(&ada).await;
        assert_eq!((&shown[0]["last_used_at"], &shown[1]["last_used_at"]), (&at(300), &at(300)));

        let [phone_id, own_id] =
            [false, true].map(|current| text(&shown.iter().find(|it| it["current"] == current).unwrap()["id"]));
        let of = |id: &str| format!("{SESSIONS}/{id}");
        for strange in ["nonsense", "69eb4e9a1f0c2d3e4a5b6c7d"] {
            assert_refused(&ada.call(&app, "DELETE", &of(strange), &json!({})).await, 404, "not_found");
        }
        assert_refused(&grace.call(&app, "DELETE", &of(&phone_id), &json!({})).await, 404, "not_found");
        assert!(phone.is_in(&app).await);
        let ended = ada.call(&app, "DELETE", &of(&phone_id), &json!({})).await;
        assert_eq!((ended.json(), ended.headers.get("set-cookie")), (json!({"result": true}), None));
        assert!(!phone.is_in(&app).await && ada.is_in(&app).await);
        let ended = ada.call(&app, "DELETE", &of(&own_id), &json!({})).await;
        assert!(ended.headers["set-cookie"].to_str().unwrap().contains("Max-Age=0"), "{}", ended.text);
        assert!(!ada.is_in(&app).await);
        let log = app.app.identity().audit().latest(&Command(app.tenant()), 100).await.unwrap();
        let ends: Vec<_> = log.iter().filter(|it| it.action == "session.end").map(|it| it.subject.as_str()).collect();
        assert!(ends.len() == 2 && ends.contains(&phone_id.as_str()) && ends.contains(&own_id.as_str()), "{ends:?}");

        // Sessions that ended in another way are not listed either.
        assert_eq!(list(&grace).await.len(), 2);
        grace.call(&app, "POST", "/console/api/log-out-everywhere", &json!({})).await;
        assert!(!expired.is_in(&app).await);
        let grace = person(&log_in(&app, &grace.email, PASSWORD).await);
        assert_eq!(list(&grace).await.len(), 1);
    }

    async fn a_role_counts_as_it_is_now(app = World::new) {
        let ada = logged_in(&app, "ada", Role::Developer).await;
        assert_eq!(ada.get(&app, TOKENS).await.status, 200);
        app.app.identity().accounts().set_role(&Command(app.tenant()), &ada.email, Role::Operator).await.unwrap();
        assert_refused(&ada.get(&app, TOKENS).await, 403, "role_denied");
    }

    async fn only_a_whole_cookie_of_this_server_opens_the_door(app = World::new) {
        let ada = logged_in(&app, "ada", Role::Administrator).await;
        let token = app.token(app.tenant(), &["api"]).await;
        let legacy = app.app.identity().tokens().legacy(&Command(app.tenant()), &ada.email).await.unwrap();
        let bearer = [&token, &legacy].map(|value| format!("Bearer {value}"));
        for (method, path) in everything() {
            for headers in [
                vec![],
                vec![("authorization", bearer[0].as_str())],
                vec![("authorization", &bearer[1])],
                vec![("cookie", "__Host-switchboard_session=")],
                vec![("cookie", "__Host-switchboard_session=AAAA; a=b")],
            ] {
                let headers: Vec<_> = headers.into_iter().chain([("origin", ORIGIN), ("x-csrf-token", &ada.csrf)]).collect();
                let answer = send(&app, method, path, &headers, &json!({})).await;
                assert_refused(&answer, 401, "session_required");
            }
        }
        let (last, swapped) = if ada.cookie.ends_with('A') { ('A', 'E') } else { (ada.cookie.chars().last().unwrap(), 'A') };
        let forged = Person { cookie: format!("{}{swapped}", ada.cookie.strip_suffix(last).unwrap()), ..ada };
        assert!(!forged.is_in(&app).await);
    }

    async fn the_api_does_not_know_the_cookie(app = World::new) {
        let ada = logged_in(&app, "ada", Role::Administrator).await;
        let contacts = format!("/{}/api/v1/getContacts", app.tenant());
        for path in [CALLS, &contacts] {
            assert_refused(&ada.get(&app, path).await, 401, "token_missing");
        }
    }

    async fn changes_need_the_own_origin_and_the_session_s_csrf_token(app = World::new) {
        let ada = logged_in(&app, "ada", Role::Administrator).await;
        let other = person(&log_in(&app, &ada.email, PASSWORD).await);
        let (cookie, csrf) = (("cookie", ada.cookie.as_str()), ("x-csrf-token", ada.csrf.as_str()));
        let own = ("origin", ORIGIN);
        for (method, path) in everything().into_iter().filter(|(method, _)| *method != "GET") {
            for headers in [
                vec![cookie, own],
                vec![cookie, own, ("x-csrf-token", "")],
                vec![cookie, own, ("x-csrf-token", &other.csrf)],
                vec![cookie, csrf],
                vec![cookie, csrf, ("origin", "null")],
                vec![cookie, csrf, ("origin", "https://evil.example")],
                vec![cookie, csrf, ("origin", "https://switchboard.example.evil.example")],
                vec![cookie, csrf, own, ("origin", "https://evil.example")],
            ] {
                assert_refused(&send(&app, method, path, &headers, &json!({})).await, 403, "csrf");
            }
        }
        let credentials = json!({"email": ada.email, "password": PASSWORD});
        for headers in [vec![], vec![("origin", "https://evil.example")]] {
            assert_refused(&send(&app, "POST", SESSION, &headers, &credentials).await, 403, "csrf");
        }
        let by_host = [cookie, csrf, ("host", "127.0.0.1:8080"), ("origin", "http://127.0.0.1:8080")];
        assert_eq!(send(&app, "DELETE", SESSION, &by_host, &json!({})).await.status, 200);
        assert!(send(&app, "GET", SESSION, &[("cookie", &other.cookie)], &json!({})).await.status == 200);
    }

    async fn roles_pass_exactly_where_they_may(app = World::new) {
        let table = RoleTable::read();
        for role in Role::OF_ACCOUNTS {
            let who = logged_in(&app, role.name(), role).await;
            // Requests without a valid body or id pass access control and fail afterwards.
            let ending = [("DELETE", SESSION), ("POST", "/console/api/log-out-everywhere")];
            for (method, path) in everything().into_iter().filter(|operation| !ending.contains(operation)) {
                let answer = who.call(&app, method, path, &json!({})).await;
                // The settings in force are those of the installation: its administrators see them, not a tenant's.
                let may = path != "/console/api/settings" && table.roles(method, path).contains(&role);
                let denied = answer.status == 403 && answer.reason() == "role_denied";
                assert_eq!(denied, !may, "{role} {method} {path}: {}", answer.text);
                assert_ne!(answer.status, 401, "{role} {method} {path}: {}", answer.text);
            }
        }
    }

    async fn a_method_that_is_not_there_and_a_path_that_is_not_there(app = World::new) {
        let ada = logged_in(&app, "ada", Role::Administrator).await;
        assert_refused(&ada.call(&app, "PUT", TOKENS, &json!({})).await, 405, "method_not_allowed");
        assert_refused(&ada.get(&app, "/console/api/nothing").await, 404, "route_not_found");
    }
}
