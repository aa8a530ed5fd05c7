//! Second factors: codes of an authenticator app, recovery codes, and tenants that require a factor.

use futures_util::future::join_all;
pub(super) use testkit::authenticator::AuthenticatorApp;

use super::*;

pub(super) const SECOND_FACTOR: &str = "/console/api/session/second-factor";

/// Adds an authenticator app, and returns it with the recovery codes.
pub(super) async fn enrolled(app: &World, who: &Person) -> (AuthenticatorApp, Vec<String>) {
    let begun = who.call(app, "POST", TOTP, &json!({})).await.ok();
    let secret = text(&begun["secret"]);
    assert!(text(&begun["uri"]).contains(&secret));
    let device = AuthenticatorApp::new(&secret);
    let done = who.call(app, "PUT", TOTP, &json!({"code": device.code(app.now())})).await.ok();
    let codes = done["recovery_codes"].as_array().unwrap().iter().map(text).collect();
    // The code that confirmed it is used up.
    app.advance(30);
    (device, codes)
}

pub(super) fn cookie_of(answer: &Answer) -> String {
    answer.headers["set-cookie"].to_str().unwrap().split(';').next().unwrap().to_owned()
}

/// The cookie of a log-in whose password was right.
pub(super) async fn pending(app: &World, email: &str) -> String {
    let answer = log_in(app, email, PASSWORD).await;
    assert_eq!(answer.status, 202, "{}", answer.text);
    cookie_of(&answer)
}

pub(super) async fn finish(app: &World, pending: &str, body: &Value) -> Answer {
    send(app, "POST", SECOND_FACTOR, &[("origin", origin(app)), ("cookie", pending)], body).await
}

async fn finish_with_code(app: &World, pending: &str, code: &str) -> Answer {
    finish(app, pending, &json!({"code": code})).await
}

pub(super) async fn actions(app: &World) -> Vec<(String, String)> {
    let log = app.app.identity().audit().latest(&Command(app.tenant()), 1000).await.unwrap();
    log.into_iter().rev().map(|it| (it.action, it.details)).collect()
}

async fn require(app: &World, required: bool) {
    app.app.identity().second_factors().set_required(&Command(app.tenant()), required).await.unwrap();
}

testkit::both_databases! {
    async fn after_the_password_a_code_of_the_app_logs_in(app = World::new) {
        let ada = logged_in(&app, "ada", Role::Operator).await;
        let (device, codes) = enrolled(&app, &ada).await;
        assert_eq!(codes.len(), 10);
        let answer = log_in(&app, &ada.email, PASSWORD).await;
        assert_eq!((answer.status.as_u16(), answer.headers["cache-control"].to_str().unwrap()), (202, "no-store"));
        let expires_at = app.now().to_millis().plus_seconds(300).to_rfc3339();
        assert_eq!(answer.json(), json!({"second_factor": {"methods": ["totp", "recovery_code"], "expires_at": expires_at}}));
        let set = answer.headers["set-cookie"].to_str().unwrap().to_owned();
        let waiting = cookie_of(&answer);
        assert_eq!(set.strip_prefix(&waiting).unwrap(), "; Path=/; Max-Age=300; HttpOnly; SameSite=Strict; Secure");
        // It is no session.
        let value = waiting.split('=').nth(1).unwrap();
        let as_session = format!("__Host-switchboard_session={value}");
        assert_refused(&send(&app, "GET", SESSION, &[("cookie", &as_session)], &json!({})).await, 401, "session_required");
        for body in [json!({}), json!({"code": "1", "recovery_code": "2"}), json!({"passkey": {}})] {
            assert_eq!(finish(&app, &waiting, &body).await.status, 400, "{body}");
        }
        assert_refused(&finish_with_code(&app, &waiting, "000").await, 401, "second_factor_failed");
        assert_refused(&send(&app, "POST", SECOND_FACTOR, &[("cookie", &waiting)], &json!({"code": "1"})).await, 403, "csrf");
        let code = device.code(app.now());
        let answer = finish_with_code(&app, &waiting, &code).await;
        assert!(person(&answer).is_in(&app).await);
        assert_eq!(answer.json()["must_enrol"], false);
        let last = answer.headers.get_all("set-cookie").iter().next_back().unwrap().to_str().unwrap();
        assert!(last.starts_with("__Host-switchboard_log_in=; Path=/; Max-Age=0;"), "{last}");
        let log = actions(&app).await;
        assert!(log.contains(&("second_factor.enrol".into(), r#"{"factor":"totp"}"#.into())));
        assert!(log.contains(&("log_in.fail".into(), r#"{"reason":"second_factor"}"#.into())));
        assert_eq!(log.last().unwrap(), &("session.create".into(), r#"{"second_factor":"totp"}"#.into()));
        assert!(log.iter().all(|(_, details)| !details.contains(&code) && !codes.iter().any(|it| details.contains(it))));
    }

    async fn a_code_works_once(app = World::new) {
        let ada = logged_in(&app, "ada", Role::Operator).await;
        let (device, _) = enrolled(&app, &ada).await;
        let code = device.code(app.now());
        let first = pending(&app, &ada.email).await;
        assert_eq!(finish_with_code(&app, &first, &code).await.status, 200);
        assert_refused(&finish_with_code(&app, &first, &code).await, 401, "log_in_ended");
        let second = pending(&app, &ada.email).await;
        assert_refused(&finish_with_code(&app, &second, &code).await, 401, "second_factor_failed");
        // Nor does the code of the step before, which is within the window.
        let before = device.code(app.now().plus_seconds(-30));
        assert_refused(&finish_with_code(&app, &second, &before).await, 401, "second_factor_failed");
        app.advance(30);
        let answer = finish_with_code(&app, &second, &device.code(app.now())).await;
        assert_eq!(answer.status, 200, "{}", answer.text);
    }

    async fn of_parallel_log_ins_with_one_code_one_gets_in(app = World::new) {
        let ada = logged_in(&app, "ada", Role::Operator).await;
        let (device, codes) = enrolled(&app, &ada).await;
        let code = device.code(app.now());
        for body in [json!({"code": code}), json!({"recovery_code": codes[0]})] {
            let mut waiting = Vec::new();
            for _ in 0..4 {
                waiting.push(pending(&app, &ada.email).await);
            }
            let answers = join_all(waiting.iter().map(|it| finish(&app, it, &body))).await;
            let inside = answers.iter().filter(|answer| answer.status == 200).count();
            let refused = answers.iter().filter(|answer| answer.reason() == "second_factor_failed").count();
            assert_eq!((inside, refused), (1, 3), "{body}");
            app.test.clock.advance(Duration::from_hours(2));
        }
        // The same log-in twice at the same time.
        let waiting = pending(&app, &ada.email).await;
        let answers = join_all([&codes[1], &codes[2]].map(|code| {
            let (app, waiting) = (&app, &waiting);
            async move { finish(app, waiting, &json!({"recovery_code": code})).await }
        })).await;
        let inside: Vec<_> = answers.iter().filter(|answer| answer.status == 200).collect();
        assert_eq!(inside.len(), 1);
        assert_eq!(person(inside[0]).get(&app, SECOND_FACTORS).await.json()["recovery_codes"], 8);
    }

    async fn wrong_codes_are_limited_like_wrong_passwords_and_the_password_buys_no_more(app = World::new) {
        let ada = logged_in(&app, "ada", Role::Operator).await;
        let (device, _) = enrolled(&app, &ada).await;
        let waiting = pending(&app, &ada.email).await;
        for _ in 0..4 {
            assert_refused(&finish_with_code(&app, &waiting, "000000x").await, 401, "second_factor_failed");
        }
        let again = pending(&app, &ada.email).await;
        assert_refused(&finish_with_code(&app, &again, "000000x").await, 401, "second_factor_failed");
        let code = device.code(app.now());
        let paused = finish_with_code(&app, &again, &code).await;
        assert_refused(&paused, 429, "log_in_paused");
        assert_eq!(paused.headers["retry-after"], "1");
        assert_refused(&log_in(&app, &ada.email, PASSWORD).await, 429, "log_in_paused");
        app.advance(1);
        assert_refused(&finish_with_code(&app, &again, "000000x").await, 401, "second_factor_failed");
        app.advance(2);
        let code = device.code(app.now());
        assert_eq!(finish_with_code(&app, &again, &code).await.status, 200);
        // Parallel guesses count too.
        let waiting = pending(&app, &ada.email).await;
        let answers = join_all((0..100).map(|_| finish_with_code(&app, &waiting, "999999x"))).await;
        let tried = answers.iter().filter(|answer| answer.reason() == "second_factor_failed").count();
        assert!((1..=5).contains(&tried), "{tried}");
        assert!(answers.iter().all(|answer| matches!(answer.reason().as_str(), "second_factor_failed" | "log_in_paused")));
    }

    async fn a_recovery_code_works_once_and_new_ones_end_the_old(app = World::new) {
        let ada = logged_in(&app, "ada", Role::Operator).await;
        let (_, codes) = enrolled(&app, &ada).await;
        let typed = json!({"recovery_code": codes[0].to_uppercase().replace('-', " ")});
        let waiting = pending(&app, &ada.email).await;
        let inside = person(&finish(&app, &waiting, &typed).await);
        let log = actions(&app).await;
        assert!(log.contains(&("second_factor.use_recovery_code".into(), r#"{"left":9}"#.into())));
        let waiting = pending(&app, &ada.email).await;
        assert_refused(&finish(&app, &waiting, &typed).await, 401, "second_factor_failed");
        assert_invalid(&inside.call(&app, "POST", RECOVERY_CODES, &json!({"password": "wrong"})).await, "password");
        let fresh = inside.call(&app, "POST", RECOVERY_CODES, &json!({"password": PASSWORD})).await.json();
        assert_eq!(fresh["recovery_codes"].as_array().unwrap().len(), 10);
        assert_refused(&finish(&app, &waiting, &json!({"recovery_code": codes[1]})).await, 401, "second_factor_failed");
        assert_eq!(finish(&app, &waiting, &json!({"recovery_code": fresh["recovery_codes"][9]})).await.status, 200);
    }

    // Alone: the sweep at the end would end log-ins of other tests.
    async fn a_log_in_waits_five_minutes_in_its_browser_and_ends_with_the_credentials(app = World::alone) {
        let ada = logged_in(&app, "ada", Role::Operator).await;
        let (device, _) = enrolled(&app, &ada).await;
        for cookie in ["", "__Host-switchboard_log_in=", "__Host-switchboard_log_in=AAAA", "switchboard_log_in=AAAA"] {
            assert_refused(&finish_with_code(&app, cookie, "123456").await, 401, "log_in_ended");
        }
        let waiting = pending(&app, &ada.email).await;
        app.test.clock.advance(Duration::from_mins(5));
        assert_refused(&finish_with_code(&app, &waiting, &device.code(app.now())).await, 401, "log_in_ended");
        let waiting = pending(&app, &ada.email).await;
        app.app.identity().accounts().log_out_everywhere(&Command(app.tenant()), &ada.email).await.unwrap();
        assert_refused(&finish_with_code(&app, &waiting, &device.code(app.now())).await, 401, "log_in_ended");
        app.app.identity().second_factors().sweep().await.unwrap();
    }

    async fn a_link_that_resets_the_password_does_not_pass_the_factor(app = World::new) {
        let ada = logged_in(&app, "ada", Role::Operator).await;
        let (device, _) = enrolled(&app, &ada).await;
        let link = app.app.identity().one_time_links().issue(&Command(app.tenant()), &ada.email).await.unwrap();
        let body = json!({"code": link.code.reveal(), "password": "another good long password"});
        let answer = send(&app, "POST", SET_UP, &[("origin", origin(&app))], &body).await;
        assert_eq!(answer.status, 202, "{}", answer.text);
        let waiting = cookie_of(&answer);
        assert_eq!(finish_with_code(&app, &waiting, &device.code(app.now())).await.status, 200);
    }

    async fn a_tenant_can_require_a_factor(app = World::new) {
        let admin = logged_in(&app, "ada", Role::Administrator).await;
        let colleague = logged_in(&app, "grace", Role::Operator).await;
        let wanted = json!({"second_factor_required": true});
        assert_refused(&admin.call(&app, "PUT", SECURITY, &wanted).await, 409, "conflict");
        enrolled(&app, &admin).await;
        assert_eq!(admin.call(&app, "PUT", SECURITY, &wanted).await.json(), wanted);
        assert_eq!(admin.get(&app, SECURITY).await.json(), wanted);
        assert!(actions(&app).await.contains(&("tenant.set_second_factor".into(), r#"{"required":true}"#.into())));
        // A session that exists, and a new one, reach the enrolment only.
        let fresh = person(&log_in(&app, &colleague.email, PASSWORD).await);
        for who in [&colleague, &fresh] {
            assert_eq!(who.get(&app, SESSION).await.json()["must_enrol"], true);
            assert_eq!(who.get(&app, SECOND_FACTORS).await.json()["required"], true);
            for path in [SESSIONS, "/console/api/plan", "/console/api/calls", "/console/api/events/stream"] {
                assert_refused(&who.get(&app, path).await, 403, "second_factor_required");
            }
        }
        enrolled(&app, &fresh).await;
        assert_eq!(fresh.get(&app, "/console/api/calls").await.status, 200);
        assert_eq!(fresh.get(&app, SESSION).await.json()["must_enrol"], false);
        // The session of the password alone ends: its owner has a factor to log in with.
        assert_refused(&colleague.get(&app, SESSION).await, 401, "session_required");
        // The last factor stays.
        let removal = fresh.call(&app, "DELETE", TOTP, &json!({"password": PASSWORD})).await;
        assert_refused(&removal, 409, "conflict");
        require(&app, false).await;
        assert_eq!(fresh.call(&app, "DELETE", TOTP, &json!({"password": PASSWORD})).await.status, 200);
        assert!(person(&log_in(&app, &fresh.email, PASSWORD).await).is_in(&app).await);
    }

    async fn changes_need_the_password_and_are_noted(app = World::new) {
        let ada = logged_in(&app, "ada", Role::Operator).await;
        let shown = ada.get(&app, SECOND_FACTORS).await.json();
        assert_eq!(shown, json!({
            "totp": null, "passkeys": [], "recovery_codes": 0, "required": false, "has_password": true,
            "password_needed": false,
        }));
        app.test.clock.advance(Duration::from_mins(10));
        assert_eq!(ada.get(&app, SECOND_FACTORS).await.json()["password_needed"], true);
        assert_invalid(&ada.call(&app, "POST", TOTP, &json!({})).await, "password");
        assert_invalid(&ada.call(&app, "POST", TOTP, &json!({"password": "wrong"})).await, "password");
        assert_invalid(&ada.call(&app, "POST", PASSKEYS, &json!({})).await, "password");
        assert_eq!(ada.call(&app, "POST", TOTP, &json!({"password": PASSWORD})).await.status, 200);
        assert_invalid(&ada.call(&app, "PUT", TOTP, &json!({"code": "000"})).await, "code");
        app.test.clock.advance(Duration::from_mins(15));
        assert_refused(&ada.call(&app, "PUT", TOTP, &json!({"code": "000000"})).await, 409, "conflict");
        let again = person(&log_in(&app, &ada.email, PASSWORD).await);
        enrolled(&app, &again).await;
        assert_refused(&again.call(&app, "POST", TOTP, &json!({})).await, 409, "conflict");
        assert_invalid(&again.call(&app, "DELETE", TOTP, &json!({"password": "wrong"})).await, "password");
        assert_eq!(again.call(&app, "DELETE", TOTP, &json!({"password": PASSWORD})).await.status, 200);
        let left = again.get(&app, SECOND_FACTORS).await.json();
        assert_eq!((&left["totp"], &left["recovery_codes"]), (&Value::Null, &json!(0)));
        assert_refused(&again.call(&app, "POST", RECOVERY_CODES, &json!({"password": PASSWORD})).await, 409, "conflict");
        let log = actions(&app).await;
        assert!(log.contains(&("second_factor.remove".into(), r#"{"factor":"totp"}"#.into())));
    }

    async fn an_administrator_resets_the_factors_of_a_colleague(app = World::new) {
        let admin = logged_in(&app, "ada", Role::Administrator).await;
        let colleague = logged_in(&app, "grace", Role::Operator).await;
        enrolled(&app, &colleague).await;
        enrolled(&app, &admin).await;
        let listed = admin.get(&app, ACCOUNTS).await.json();
        assert!(listed["accounts"].as_array().unwrap().iter().all(|it| it["has_second_factor"] == true));
        let of = |who: &Person| format!("{ACCOUNTS}/{}/second-factors", who.id);
        assert_refused(&admin.call(&app, "DELETE", &of(&admin), &json!({})).await, 409, "conflict");
        assert_eq!(admin.call(&app, "DELETE", &of(&colleague), &json!({})).await.status, 200);
        assert!(person(&log_in(&app, &colleague.email, PASSWORD).await).is_in(&app).await);
        assert!(actions(&app).await.contains(&("second_factor.reset".into(), r#"{"factors":1}"#.into())));
        // An account of another tenant is not found.
        let other = app.test.new_tenant("unlimited").await;
        let stranger = make(&app, other, &email("alan", other), Role::Operator, PASSWORD).await;
        let path = format!("{ACCOUNTS}/{stranger}/second-factors");
        assert_refused(&admin.call(&app, "DELETE", &path, &json!({})).await, 404, "not_found");
        // A removed account that is made again begins without factors.
        app.app.identity().accounts().remove(&Command(app.tenant()), &admin.email).await.unwrap_err();
        enrolled(&app, &person(&log_in(&app, &colleague.email, PASSWORD).await)).await;
        app.app.identity().accounts().remove(&Command(app.tenant()), &colleague.email).await.unwrap();
        make(&app, app.tenant(), &colleague.email, Role::Operator, PASSWORD).await;
        assert_eq!(log_in(&app, &colleague.email, PASSWORD).await.status, 200);
    }
}
