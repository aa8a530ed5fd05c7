//! Accounts, managed by administrators, and the audit log.

use super::*;

const LAST: (u16, &str) = (409, "conflict");

async fn change(app: &World, by: &Person, id: &str, update: Value) -> Answer {
    by.call(app, "PATCH", &format!("{ACCOUNTS}/{id}"), &update).await
}

async fn remove(app: &World, by: &Person, id: &str) -> Answer {
    by.call(app, "DELETE", &format!("{ACCOUNTS}/{id}"), &json!({})).await
}

async fn roles(app: &World, person: &Person) -> Vec<(String, String, bool)> {
    let answer = person.get(app, ACCOUNTS).await.json();
    let row = |it: &Value| (text(&it["email"]), text(&it["role"]), it["disabled"].as_bool().unwrap());
    answer["accounts"].as_array().unwrap().iter().map(row).collect()
}

testkit::both_databases! {
    async fn an_account_is_made_changed_and_removed(app = World::new) {
        let admin = logged_in(&app, "admin", Role::Administrator).await;
        let address = email("grace", app.tenant());
        let new = json!({"email": address.to_uppercase(), "name": "Grace", "role": "DEVELOPER", "password": PASSWORD});
        let made = admin.call(&app, "POST", ACCOUNTS, &new).await;
        assert_eq!(made.status, 200, "{}", made.text);
        let id = text(&made.json()["id"]);
        let created_at = app.now().to_millis().to_rfc3339();
        assert_eq!(made.json(), json!({
            "id": id, "email": address, "name": "Grace", "role": "DEVELOPER", "disabled": false, "created_at": created_at,
        }));
        assert_refused(&admin.call(&app, "POST", ACCOUNTS, &new).await, 409, "conflict");
        let grace = person(&log_in(&app, &address, PASSWORD).await);
        let (_, value) = grace.token(&app, json!({})).await;
        let changed = change(&app, &admin, &id, json!({"role": "operator", "disabled": true, "password": "a password for later"})).await;
        assert_eq!((&changed.json()["role"], &changed.json()["disabled"]), (&json!("OPERATOR"), &json!(true)), "{}", changed.text);
        assert!(!grace.is_in(&app).await);
        assert_eq!(app.by(&value).get(CALLS).await.status, 401);
        assert_refused(&log_in(&app, &address, "a password for later").await, 401, "log_in_failed");
        assert_eq!(change(&app, &admin, &id, json!({"disabled": false})).await.json()["role"], "OPERATOR");
        let grace = person(&log_in(&app, &address, "a password for later").await);
        assert_eq!(remove(&app, &admin, &id).await.json(), json!({"result": true}));
        assert!(!grace.is_in(&app).await);
        assert_refused(&remove(&app, &admin, &id).await, 404, "not_found");
        assert_eq!(roles(&app, &admin).await, [(admin.email.clone(), "ADMINISTRATOR".to_owned(), false)]);
    }

    async fn the_list_says_who_has_a_password_and_who_logged_in_when(app = World::new) {
        let admin = logged_in(&app, "admin", Role::Administrator).await;
        let at = app.now().to_millis().to_rfc3339();
        let named = email("named", app.tenant());
        app.account(app.tenant(), &named, Role::Operator).await;
        let listed = admin.get(&app, ACCOUNTS).await.json();
        let row = |it: &Value| (text(&it["email"]), it["has_password"].clone(), it["last_log_in_at"].clone());
        let rows: Vec<_> = listed["accounts"].as_array().unwrap().iter().map(row).collect();
        assert_eq!(rows, [(admin.email.clone(), json!(true), json!(at)), (named, json!(false), Value::Null)]);
    }

    async fn what_cannot_be_an_account_is_named(app = World::new) {
        let admin = logged_in(&app, "admin", Role::Administrator).await;
        for (more, parameter) in [
            (json!({"email": "nobody"}), "email"),
            (json!({"email": null}), "email"),
            (json!({"name": ""}), "name"),
            (json!({"name": "x".repeat(201)}), "name"),
            (json!({"role": "API_TOKEN"}), "role"),
            (json!({"role": "KING"}), "role"),
            (json!({"password": "short"}), "password"),
        ] {
            let mut body = json!({"email": email("x", app.tenant()), "role": "OPERATOR"});
            body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            assert_invalid(&admin.call(&app, "POST", ACCOUNTS, &body).await, parameter);
        }
        let id = app.account(app.tenant(), &email("grace", app.tenant()), Role::Operator).await.to_string();
        assert_invalid(&change(&app, &admin, &id, json!({"role": "API_TOKEN"})).await, "role");
        assert_invalid(&change(&app, &admin, &id, json!({"disabled": "yes"})).await, "disabled");
        assert_invalid(&change(&app, &admin, &id, json!({"disabled": true, "password": "short"})).await, "password");
        assert!(!roles(&app, &admin).await.last().unwrap().2);
        assert_invalid(&change(&app, &admin, &admin.id, json!({"password": "stolen but long enough"})).await, "password");
        assert_refused(&change(&app, &admin, "nonsense", json!({})).await, 404, "not_found");
    }

    async fn the_last_active_administrator_stays(app = World::new) {
        let admin = logged_in(&app, "admin", Role::Administrator).await;
        let second = app.account(app.tenant(), &email("second", app.tenant()), Role::Administrator).await.to_string();
        assert_eq!(change(&app, &admin, &second, json!({"disabled": true})).await.status, 200);
        for update in [json!({"role": "DEVELOPER"}), json!({"disabled": true}), json!({"role": "ADMINISTRATOR", "disabled": true})] {
            assert_refused(&change(&app, &admin, &admin.id, update).await, LAST.0, LAST.1);
        }
        assert_refused(&remove(&app, &admin, &admin.id).await, LAST.0, LAST.1);
        let accounts = app.app.identity().accounts();
        assert!(matches!(accounts.remove(&Command(app.tenant()), &admin.email).await, Err(app::Error::Conflict { .. })));
        assert!(matches!(accounts.set_role(&Command(app.tenant()), &admin.id, Role::Trial).await, Err(app::Error::Conflict { .. })));
        assert!(admin.is_in(&app).await);
        assert_eq!(change(&app, &admin, &admin.id, json!({"role": "ADMINISTRATOR", "disabled": false})).await.status, 200);
        // A former administrator does not count as one, and can be removed.
        assert_eq!(remove(&app, &admin, &second).await.status, 200);
        let third = app.account(app.tenant(), &email("third", app.tenant()), Role::Administrator).await.to_string();
        assert_eq!(change(&app, &admin, &admin.id, json!({"role": "OPERATOR"})).await.status, 200);
        assert_refused(&admin.get(&app, ACCOUNTS).await, 403, "role_denied");
        assert!(matches!(accounts.set_disabled(&Command(app.tenant()), &third, true).await, Err(app::Error::Conflict { .. })));
    }

    async fn of_administrators_who_remove_each_other_one_stays(app = World::new) {
        let (accounts, tenant) = (app.app.identity().accounts(), app.tenant());
        for round in 0..5 {
            let [a, b] = ["a", "b"].map(|name| email(&format!("{name}{round}"), tenant));
            app.account(tenant, &a, Role::Administrator).await;
            app.account(tenant, &b, Role::Administrator).await;
            let all = accounts.list(&Command(tenant)).await.unwrap();
            let admins: Vec<_> = all.into_iter().filter(|it| it.is_active() && it.role == Role::Administrator).collect();
            let emails: Vec<_> = admins.iter().map(|it| it.email.as_str()).collect();
            let (one, two, three) = match emails.as_slice() {
                [one, two] => (one, two, two),
                [one, two, three] => (one, two, three),
                other => panic!("{other:?}"),
            };
            let me = Command(tenant);
            let _ = tokio::join!(
                accounts.remove(&me, one),
                accounts.set_disabled(&me, two, true),
                accounts.set_role(&me, three, Role::Operator),
            );
            let left = accounts.list(&Command(tenant)).await.unwrap();
            let left = left.iter().filter(|it| it.is_active() && it.role == Role::Administrator).count();
            assert_eq!(left, 1);
        }
    }

    async fn people_change_their_own_name_and_administrators_the_tenant_s(app = World::new) {
        let grace = logged_in(&app, "grace", Role::Operator).await;
        let admin = logged_in(&app, "admin", Role::Administrator).await;
        grace.call(&app, "PUT", "/console/api/account", &json!({"name": " Grace Lee "})).await.ok();
        assert_refused(&grace.call(&app, "PUT", "/console/api/tenant", &json!({"name": "Hers"})).await, 403, "role_denied");
        admin.call(&app, "PUT", "/console/api/tenant", &json!({"name": "Acme Berlin"})).await.ok();
        let long = "x".repeat(201);
        for (who, name) in [("account", ""), ("account", "   "), ("tenant", ""), ("tenant", long.as_str())] {
            assert_invalid(&admin.call(&app, "PUT", &format!("/console/api/{who}"), &json!({"name": name})).await, "name");
        }
        let session = grace.get(&app, SESSION).await.ok();
        assert_eq!((&session["account"]["name"], &session["tenant"]["name"]), (&json!("Grace Lee"), &json!("Acme Berlin")));
        let log = admin.get(&app, &format!("{AUDIT}?limit=100")).await.ok();
        let detail = |action: &str| log["entries"].as_array().unwrap().iter().find(|it| it["action"] == action).unwrap()["details"].clone();
        assert_eq!(detail("account.set_name"), json!({"name": "Grace Lee"}));
        assert_eq!(detail("tenant.set_name"), json!({"name": "Acme Berlin"}));
    }

    async fn every_change_is_in_the_audit_log_with_who_and_from_where(app = World::new) {
        let admin = logged_in(&app, "admin", Role::Administrator).await;
        let (token, value) = admin.token(&app, json!({})).await;
        let headers = [
            ("cookie", admin.cookie.as_str()), ("origin", ORIGIN), ("x-csrf-token", &admin.csrf), ("x-request-id", "req-7"),
        ];
        send(&app, "DELETE", &format!("{TOKENS}/{token}"), &headers, &json!({})).await.ok();
        let address = email("grace", app.tenant());
        let grace = admin.call(&app, "POST", ACCOUNTS, &json!({"email": address, "role": "OPERATOR", "password": PASSWORD})).await;
        let grace = text(&grace.json()["id"]);
        change(&app, &admin, &grace, json!({"role": "TRIAL", "password": "a password for later"})).await;
        admin.call(&app, "POST", "/console/api/legacy-token", &json!({})).await;
        app.advance(1);
        admin.call(&app, "POST", "/console/api/log-out-everywhere", &json!({})).await;
        app.advance(1);
        let back = person(&log_in(&app, &admin.email, PASSWORD).await);
        let log = back.get(&app, &format!("{AUDIT}?limit=100")).await;
        assert_eq!(log.status, 200, "{}", log.text);
        assert!(![PASSWORD, &value, &admin.csrf].iter().any(|secret| log.text.contains(secret)));
        let entries = log.json()["entries"].as_array().unwrap().clone();
        let by_admin: Vec<_> = entries.iter().filter(|it| it["actor"] == format!("account:{}", admin.id)).collect();
        assert!(by_admin.iter().all(|it| it["address"] == "127.0.0.1" && it["request_id"].is_string()), "{by_admin:?}");
        let actions: Vec<_> = by_admin.iter().map(|it| text(&it["action"])).collect();
        assert_eq!(actions[..2], ["session.create", "account.log_out_everywhere"]);
        let mut earlier = actions[2..].to_vec();
        earlier.sort();
        assert_eq!(earlier, [
            "account.create", "account.set_password", "account.set_role", "legacy_jwt.create", "session.create",
            "token.create", "token.revoke",
        ]);
        let revoke = by_admin.iter().find(|it| it["action"] == "token.revoke").unwrap();
        assert_eq!((&revoke["subject"], &revoke["request_id"], &revoke["details"]), (&json!(token), &json!("req-7"), &json!({"name": "ci"})));
        assert_eq!(back.get(&app, &format!("{AUDIT}?limit=1")).await.json()["entries"], json!([entries[0]]));
        for (query, parameter) in [("limit=0", "limit"), ("limit=1001", "limit"), ("limit=x", "limit"), ("page=1", "page")] {
            assert_invalid(&back.get(&app, &format!("{AUDIT}?{query}")).await, parameter);
        }
    }
}
