//! One account in several tenants: invitations, switching, what administrators of one tenant cannot do, and what a
//! tenant demands of its console.

use app::identity::installation::InstallationChange;
use domain::identity::memberships::{ConsoleAccess, MAX_OPEN_INVITATIONS};

use super::guessing::{behind_proxy, log_in_from};
use super::second_factors::{AuthenticatorApp, SECOND_FACTOR, cookie_of, enrolled};
use super::*;

const OTHER_PASSWORD: &str = "zebra gravel lantern";

/// An administrator of a tenant, logged in.
async fn administrator(app: &World, tenant: TenantId) -> Person {
    let address = email("boss", tenant);
    make(app, tenant, &address, Role::Administrator, PASSWORD).await;
    person(&log_in(app, &address, PASSWORD).await)
}

/// Invites an address, and returns the code of the link.
async fn invite(app: &World, by: &Person, address: &str) -> String {
    let invited = by.call(app, "POST", INVITATIONS, &json!({"email": address, "role": "OPERATOR"})).await.ok();
    code_in(&invited["link"])
}

fn code_in(link: &Value) -> String {
    text(&link["url"]).split_once('#').unwrap().1.to_owned()
}

async fn redeem(app: &World, code: &str, password: &str) -> Answer {
    send(app, "POST", SET_UP, &[("origin", origin(app))], &json!({"code": code, "password": password})).await
}

async fn switch(app: &World, who: &Person, tenant: TenantId) -> Answer {
    who.call(app, "PUT", SWITCH, &json!({"tenant": tenant})).await
}

async fn tenants_of(app: &World, who: &Person) -> Vec<(String, bool, Value)> {
    let answer = who.get(app, TENANTS).await.ok();
    let row = |it: &Value| (text(&it["id"]), it["current"].as_bool().unwrap(), it["obstacle"].clone());
    answer["tenants"].as_array().unwrap().iter().map(row).collect()
}

async fn tenant_of(app: &World, who: &Person) -> String {
    text(&who.get(app, SESSION).await.json()["tenant"]["id"])
}

/// An account in the world's tenant that has joined another tenant too, with the other tenant and its administrator.
async fn member_of_two(app: &World) -> (Person, TenantId, Person) {
    let ada = logged_in(app, "ada", Role::Administrator).await;
    let other = app.test.new_tenant("unlimited").await;
    let boss = administrator(app, other).await;
    let code = invite(app, &boss, &ada.email).await;
    let joined = person(&redeem(app, &code, PASSWORD).await);
    assert_eq!(tenant_of(app, &joined).await, other.to_string());
    (person(&switch(app, &joined, app.tenant()).await), other, boss)
}

testkit::both_databases! {
    async fn one_password_opens_two_tenants_and_a_session_switches_between_them(app = World::new) {
        let ada = logged_in(&app, "ada", Role::Administrator).await;
        let other = app.test.new_tenant("unlimited").await;
        let boss = administrator(&app, other).await;
        assert_eq!(tenants_of(&app, &ada).await, [(app.tenant().to_string(), true, Value::Null)]);
        let code = invite(&app, &boss, &ada.email).await;
        let shown = send(&app, "POST", INSPECT, &[("origin", ORIGIN)], &json!({"code": code})).await.json();
        assert_eq!(shown["purpose"], "invitation");
        // Another password than that of the account is refused, counts, and does not use the link up.
        assert_refused(&redeem(&app, &code, OTHER_PASSWORD).await, 401, "log_in_failed");
        app.advance(3600);
        let joined = person(&redeem(&app, &code, PASSWORD).await);
        assert_ne!(joined.id, ada.id, "a membership has an id of its own");
        assert!(ada.is_in(&app).await, "nothing ended");
        assert_refused(&redeem(&app, &code, PASSWORD).await, 410, "link_ended");
        let session = joined.get(&app, SESSION).await.json();
        assert_eq!((&session["tenant"]["id"], &session["other_tenants"]), (&json!(other), &json!(1)));
        assert_eq!(session["account"]["role"], "OPERATOR");
        let mut expected = [(app.tenant().to_string(), false, Value::Null), (other.to_string(), true, Value::Null)];
        expected.sort_by_key(|it| it.0.parse::<i64>().unwrap());
        assert_eq!(tenants_of(&app, &joined).await, expected);

        // A switch ends the session, and the next one ends when the first would have ended.
        app.advance(60);
        let answer = switch(&app, &joined, app.tenant()).await;
        let back = person(&answer);
        assert_eq!((back.id.as_str(), answer.json()["expires_at"].clone()), (ada.id.as_str(), session["expires_at"].clone()));
        assert!(!joined.is_in(&app).await && back.is_in(&app).await);
        assert_eq!(back.get(&app, ACCOUNTS).await.status, 200, "an administrator here");
        app.advance(1);
        let there = person(&switch(&app, &back, other).await);
        assert_refused(&there.get(&app, ACCOUNTS).await, 403, "role_denied");
        for unknown in [json!("1"), json!("nonsense"), json!(null)] {
            let refused = there.call(&app, "PUT", SWITCH, &json!({"tenant": unknown})).await;
            assert!(matches!(refused.status.as_u16(), 400 | 404), "{}", refused.text);
        }
        // The next log-in enters the tenant that was used last; one password for both.
        assert_eq!(tenant_of(&app, &person(&log_in(&app, &ada.email, PASSWORD).await)).await, other.to_string());
        // Each tenant's audit log has what happened there, and nothing of the other.
        let log = app.app.identity().audit().latest(&Command(other), 100).await.unwrap();
        assert!(log.iter().any(|it| it.action == "link.redeem" && it.subject == joined.id));
        let rest = |details: &str| details.replace(&ada.email, "");
        assert!(log.iter().all(|it| !it.actor.contains(&ada.id) && !rest(&it.details).contains(&app.tenant().to_string())), "{log:?}");
    }

    async fn a_page_of_one_tenant_does_not_act_in_another(app = World::new) {
        let (ada, other, _) = member_of_two(&app).await;
        let by = async |tenant: &str| {
            let headers = [("cookie", ada.cookie.as_str()), ("x-tenant", tenant)];
            send(&app, "GET", "/console/api/plan", &headers, &json!({})).await
        };
        assert_eq!(by(&app.tenant().to_string()).await.status, 200);
        for tenant in [other.to_string(), String::new(), "x".to_owned()] {
            assert_refused(&by(&tenant).await, 403, "tenant_mismatch");
        }
    }

    async fn an_invitation_tells_nothing_about_the_address(app = World::new) {
        let ada = logged_in(&app, "ada", Role::Operator).await;
        let other = app.test.new_tenant("unlimited").await;
        let boss = administrator(&app, other).await;
        let mut answers = Vec::new();
        for address in [ada.email.clone(), email("nobody", other)] {
            let body = json!({"email": address, "name": "Somebody", "role": "OPERATOR"});
            let mut answer = boss.call(&app, "POST", INVITATIONS, &body).await.ok();
            let code = code_in(&answer["link"]);
            let mut shown = send(&app, "POST", INSPECT, &[("origin", ORIGIN)], &json!({"code": code})).await.json();
            // Weak passwords are refused alike, before the account is looked at.
            assert_invalid(&redeem(&app, &code, "password123456").await, "password");
            for member in ["id", "email"] {
                answer["account"][member] = Value::Null;
            }
            (answer["link"]["url"], shown["email"]) = (Value::Null, Value::Null);
            answers.push((answer, shown));
        }
        assert_eq!(answers[0], answers[1]);
        let listed = boss.get(&app, ACCOUNTS).await.json();
        let invited = listed["accounts"].as_array().unwrap().iter().filter(|it| it["id"] != boss.id.as_str());
        assert!(invited.clone().all(|it| it["has_password"] == false && it["has_second_factor"] == false));
        assert_eq!(invited.count(), 2);
    }

    async fn inviting_a_victim_buys_no_further_guesses(test) {
        let app = behind_proxy(test);
        let victim = email("ada", app.tenant());
        make(&app, app.tenant(), &victim, Role::Administrator, PASSWORD).await;
        let other = app.test.new_tenant("unlimited").await;
        let attacker = administrator(&app, other).await;
        let code = invite(&app, &attacker, &victim).await;
        let (mut compared, mut paused) = (0, 0);
        for n in 0..60 {
            let from = format!("2001:db8:{n:x}::1");
            // The attacker's own log-ins make the networks known for the attacker's account, not for the victim's.
            assert_eq!(log_in_from(&app, &from, &attacker.email, PASSWORD).await.status, 200);
            let guess = format!("zebra {n} gravel lantern");
            let headers = [("origin", ORIGIN), ("x-forwarded-for", from.as_str())];
            let by_link = send(&app, "POST", SET_UP, &headers, &json!({"code": code, "password": guess})).await;
            for answer in [by_link, log_in_from(&app, &from, &victim, &guess).await] {
                match answer.reason().as_str() {
                    "log_in_failed" => compared += 1,
                    "log_in_paused" => paused += 1,
                    other => panic!("{other}: {}", answer.text),
                }
            }
        }
        assert_eq!((compared, paused), (12, 108));
        // A second account with the address, made with a password in the attacker's tenant, makes no network known.
        let own = administrator(&app, app.test.new_tenant("unlimited").await).await;
        let body = json!({"email": victim, "role": "OPERATOR", "password": OTHER_PASSWORD});
        assert_eq!(own.call(&app, "POST", ACCOUNTS, &body).await.status, 200);
        app.test.clock.advance(Duration::from_hours(4));
        let mut compared = 0;
        for n in 0..60 {
            let from = format!("2001:db8:{n:x}:1::1");
            let inside = log_in_from(&app, &from, &victim, OTHER_PASSWORD).await;
            assert!(inside.status == 200 || inside.reason() == "log_in_paused", "{}", inside.text);
            let guess = log_in_from(&app, &from, &victim, &format!("zebra {n} gravel lantern")).await;
            compared += usize::from(guess.reason() == "log_in_failed");
        }
        assert!(compared <= 12, "{compared}");
    }

    async fn nor_of_codes(test) {
        let app = behind_proxy(test);
        let ada = logged_in(&app, "ada", Role::Administrator).await;
        enrolled(&app, &ada).await;
        let other = app.test.new_tenant("unlimited").await;
        let attacker = administrator(&app, other).await;
        let code = invite(&app, &attacker, &ada.email).await;
        let mut compared = 0;
        for n in 0..60 {
            let from = format!("2001:db8:{n:x}::1");
            log_in_from(&app, &from, &attacker.email, PASSWORD).await;
            let headers = [("origin", ORIGIN), ("x-forwarded-for", from.as_str())];
            // The right password, by the link at first, then by the log-in.
            let waiting = if n == 0 {
                send(&app, "POST", SET_UP, &headers, &json!({"code": code, "password": PASSWORD})).await
            } else {
                log_in_from(&app, &from, &ada.email, PASSWORD).await
            };
            if waiting.status != 202 {
                assert_refused(&waiting, 429, "log_in_paused");
                continue;
            }
            let cookie = cookie_of(&waiting);
            let headers = [("origin", ORIGIN), ("x-forwarded-for", from.as_str()), ("cookie", cookie.as_str())];
            for _ in 0..4 {
                let answer = send(&app, "POST", SECOND_FACTOR, &headers, &json!({"code": "000000x"})).await;
                compared += usize::from(answer.reason() == "second_factor_failed");
            }
        }
        assert!((1..=12).contains(&compared), "{compared}");
    }

    async fn an_administrator_of_one_tenant_cannot_take_the_account_of_another(app = World::new) {
        let (ada, other, boss) = member_of_two(&app).await;
        enrolled(&app, &ada).await;
        let listed = boss.get(&app, ACCOUNTS).await.json();
        let row = listed["accounts"].as_array().unwrap().iter().find(|it| it["email"] == ada.email.as_str()).unwrap().clone();
        // Name and address of a test's account contain the tenant.
        let rest = listed.to_string().replace(ada.email.split('@').next().unwrap(), "");
        assert!(!row.to_string().contains(&ada.id) && !rest.contains(&app.tenant().to_string()), "{listed}");
        let of = |path: &str| format!("{ACCOUNTS}/{}{path}", text(&row["id"]));
        let taken = json!({"password": OTHER_PASSWORD});
        assert_refused(&boss.call(&app, "PATCH", &of(""), &taken).await, 409, "conflict");
        assert_refused(&boss.call(&app, "POST", &of("/link"), &json!({})).await, 409, "conflict");
        assert_refused(&boss.call(&app, "DELETE", &of("/second-factors"), &json!({})).await, 409, "conflict");
        assert_eq!(log_in(&app, &ada.email, PASSWORD).await.status, 202, "password and factor are as they were");
        // A command may: its link is one of the account.
        let link = app.app.identity().one_time_links().issue(&Command(other), &ada.email).await.unwrap();
        assert_eq!(redeem(&app, link.code.reveal(), "another long password").await.status, 202);
        // What is the tenant's own, its administrator changes: role, state, membership.
        assert_eq!(boss.call(&app, "PATCH", &of(""), &json!({"role": "TRIAL", "disabled": true})).await.status, 200);
        assert_eq!(boss.call(&app, "DELETE", &of(""), &json!({})).await.status, 200);
        assert_eq!(log_in(&app, &ada.email, "another long password").await.status, 202, "the account stays");
    }

    async fn a_link_of_a_tenant_ends_when_the_account_joins_another(app = World::new) {
        let ada = logged_in(&app, "ada", Role::Operator).await;
        let boss = administrator(&app, app.tenant()).await;
        let made = boss.call(&app, "POST", &format!("{ACCOUNTS}/{}/link", ada.id), &json!({})).await.ok();
        let other = app.test.new_tenant("unlimited").await;
        let code = invite(&app, &administrator(&app, other).await, &ada.email).await;
        assert_eq!(ada.call(&app, "POST", ACCEPT, &json!({"code": code})).await.ok(), json!({"tenant": other}));
        assert_refused(&redeem(&app, &code_in(&made), OTHER_PASSWORD).await, 410, "link_ended");
        assert_eq!(tenant_of(&app, &person(&switch(&app, &ada, other).await)).await, other.to_string());
    }

    async fn an_invitation_is_accepted_by_its_own_person_in_a_session(app = World::new) {
        let (ada, grace) = (logged_in(&app, "ada", Role::Operator).await, logged_in(&app, "grace", Role::Operator).await);
        let boss = administrator(&app, app.test.new_tenant("unlimited").await).await;
        let code = invite(&app, &boss, &ada.email).await;
        assert_refused(&grace.call(&app, "POST", ACCEPT, &json!({"code": code})).await, 409, "conflict");
        assert_refused(&ada.call(&app, "POST", ACCEPT, &json!({"code": "x"})).await, 410, "link_ended");
        assert_eq!(ada.call(&app, "POST", ACCEPT, &json!({"code": code})).await.status, 200);
        assert_refused(&ada.call(&app, "POST", ACCEPT, &json!({"code": code})).await, 410, "link_ended");
        assert_eq!(tenants_of(&app, &ada).await.len(), 2);
    }

    async fn a_password_that_an_administrator_chose_joins_no_other_tenant(app = World::new) {
        let boss = administrator(&app, app.tenant()).await;
        let address = email("grace", app.tenant());
        let body = json!({"email": address, "role": "OPERATOR", "password": PASSWORD});
        assert_eq!(boss.call(&app, "POST", ACCOUNTS, &body).await.status, 200);
        let grace = person(&log_in(&app, &address, PASSWORD).await);
        let code = invite(&app, &administrator(&app, app.test.new_tenant("unlimited").await).await, &address).await;
        assert_refused(&redeem(&app, &code, PASSWORD).await, 409, "conflict");
        assert_refused(&grace.call(&app, "POST", ACCEPT, &json!({"code": code})).await, 409, "conflict");
        let change = json!({"current": PASSWORD, "new": OTHER_PASSWORD});
        assert_eq!(grace.call(&app, "PUT", "/console/api/password", &change).await.status, 200);
        assert_eq!(redeem(&app, &code, OTHER_PASSWORD).await.status, 200);
    }

    async fn two_passwords_of_one_address_work_until_they_are_joined(app = World::new) {
        let address = email("ada", app.tenant());
        let other = app.test.new_tenant("unlimited").await;
        make(&app, app.tenant(), &address, Role::Operator, PASSWORD).await;
        make(&app, other, &address, Role::Operator, OTHER_PASSWORD).await;
        let (one, two) = (person(&log_in(&app, &address, PASSWORD).await), person(&log_in(&app, &address, OTHER_PASSWORD).await));
        assert_eq!((tenant_of(&app, &one).await, tenant_of(&app, &two).await), (app.tenant().to_string(), other.to_string()));
        // Neither sees the other: the second may have been made by somebody else.
        for who in [&one, &two] {
            assert_eq!(tenants_of(&app, who).await.len(), 1);
            assert_eq!(who.get(&app, SESSIONS).await.json()["sessions"].as_array().unwrap().len(), 1);
        }
        assert_refused(&switch(&app, &two, app.tenant()).await, 409, "conflict");
        assert_refused(&switch(&app, &one, other).await, 404, "not_found");
        // A log-out everywhere of the one does not reach the other.
        assert_eq!(two.call(&app, "POST", "/console/api/log-out-everywhere", &json!({})).await.status, 200);
        assert!(one.is_in(&app).await && !two.is_in(&app).await);
        let two = person(&log_in(&app, &address, OTHER_PASSWORD).await);
        // Its second factor is its own, and is asked for when they are joined.
        let (device, _) = enrolled(&app, &two).await;
        assert_eq!(log_in(&app, &address, PASSWORD).await.status, 200);
        assert_invalid(&one.call(&app, "POST", JOIN, &json!({"password": "wrong"})).await, "password");
        let refused = one.call(&app, "POST", JOIN, &json!({"password": OTHER_PASSWORD})).await;
        assert_refused(&refused, 401, "second_factor_failed");
        let proof = json!({"password": OTHER_PASSWORD, "code": device.code(app.now())});
        assert_eq!(one.call(&app, "POST", JOIN, &proof).await.status, 200);
        assert_eq!(tenants_of(&app, &one).await.len(), 2);
        assert!(!two.is_in(&app).await, "it would reach the other tenant too, and showed no password of the account");
        assert_refused(&log_in(&app, &address, OTHER_PASSWORD).await, 401, "log_in_failed");
        assert_eq!(tenant_of(&app, &person(&switch(&app, &one, other).await)).await, other.to_string());
    }

    async fn a_session_of_its_own_password_joins_with_the_account_s(app = World::new) {
        let address = email("ada", app.tenant());
        let other = app.test.new_tenant("unlimited").await;
        make(&app, app.tenant(), &address, Role::Operator, PASSWORD).await;
        make(&app, other, &address, Role::Operator, OTHER_PASSWORD).await;
        let [own, elsewhere] = [
            person(&log_in(&app, &address, OTHER_PASSWORD).await), person(&log_in(&app, &address, OTHER_PASSWORD).await),
        ];
        assert_eq!(own.call(&app, "POST", JOIN, &json!({"password": PASSWORD})).await.status, 200);
        assert!(own.is_in(&app).await && !elsewhere.is_in(&app).await);
        assert_eq!(tenant_of(&app, &person(&switch(&app, &own, app.tenant()).await)).await, app.tenant().to_string());
    }

    async fn a_lost_password_joins_no_session_of_somebody_else(test) {
        let mut mails = testkit::mail::MailReceiver::start().await;
        let app = World::with_mailer(test, mails.mailer());
        let ada = logged_in(&app, "ada", Role::Administrator).await;
        let attacker = administrator(&app, app.test.new_tenant("unlimited").await).await;
        let body = json!({"email": ada.email, "role": "OPERATOR", "password": OTHER_PASSWORD});
        assert_eq!(attacker.call(&app, "POST", ACCOUNTS, &body).await.status, 200);
        let false_ada = person(&log_in(&app, &ada.email, OTHER_PASSWORD).await);
        send(&app, "POST", PASSWORD_RESET, &[("origin", ORIGIN)], &json!({"email": ada.email})).await.ok();
        let mail = mails.next().await.text();
        let code = mail.lines().find_map(|line| line.trim().split_once("/console/set-up#")).unwrap().1.to_owned();
        let back = person(&redeem(&app, &code, "another long password").await);
        assert!(back.is_in(&app).await && !false_ada.is_in(&app).await);
        assert_refused(&log_in(&app, &ada.email, OTHER_PASSWORD).await, 401, "log_in_failed");
    }

    async fn the_same_password_in_two_tenants_joins_them_at_the_log_in(app = World::new) {
        let address = email("ada", app.tenant());
        let other = app.test.new_tenant("unlimited").await;
        for tenant in [app.tenant(), other] {
            make(&app, tenant, &address, Role::Operator, PASSWORD).await;
        }
        let ada = person(&log_in(&app, &address, PASSWORD).await);
        assert_eq!(tenants_of(&app, &ada).await.len(), 2);
        assert_eq!(log_in(&app, &address, PASSWORD).await.json()["other_tenants"], 1);
    }

    async fn a_membership_ends_alone(app = World::new) {
        let (ada, other, _) = member_of_two(&app).await;
        let accounts = app.app.identity().accounts();
        let there = person(&log_in(&app, &ada.email, PASSWORD).await);
        let there = if tenant_of(&app, &there).await == other.to_string() { there } else { person(&switch(&app, &there, other).await) };
        let legacy = app.app.identity().tokens().legacy(&Command(other), &ada.email).await.unwrap();
        accounts.set_disabled(&Command(other), &ada.email, true).await.unwrap();
        assert!(!there.is_in(&app).await && ada.is_in(&app).await);
        assert_refused(&app.by(&legacy).get(CALLS).await, 401, "token_revoked");
        let obstacles: Vec<_> = tenants_of(&app, &ada).await.into_iter().map(|it| it.2).filter(|it| !it.is_null()).collect();
        assert_eq!(obstacles, [json!("disabled")]);
        assert_refused(&switch(&app, &ada, other).await, 404, "not_found");
        assert_eq!(tenant_of(&app, &person(&log_in(&app, &ada.email, PASSWORD).await)).await, app.tenant().to_string());
        accounts.remove(&Command(other), &ada.email).await.unwrap();
        assert_eq!(tenants_of(&app, &ada).await.len(), 1);
        // With its last membership the account goes, and the address is free for a new one.
        app.account(app.tenant(), &email("kept", app.tenant()), Role::Administrator).await;
        accounts.remove(&Command(app.tenant()), &ada.email).await.unwrap();
        assert_refused(&log_in(&app, &ada.email, PASSWORD).await, 401, "log_in_failed");
        make(&app, other, &ada.email, Role::Operator, OTHER_PASSWORD).await;
        assert_eq!(log_in(&app, &ada.email, OTHER_PASSWORD).await.status, 200);
    }

    async fn a_person_sees_and_ends_the_sessions_in_all_tenants(app = World::new) {
        let (ada, other, _) = member_of_two(&app).await;
        let there = person(&switch(&app, &person(&log_in(&app, &ada.email, PASSWORD).await), other).await);
        let list = async |who: &Person| who.get(&app, SESSIONS).await.json()["sessions"].as_array().unwrap().clone();
        let sessions = list(&ada).await;
        // That of `ada` in the first tenant before the switch, that of the switch, and the one in the other tenant.
        let elsewhere = list(&there).await.iter().find(|it| it["current"] == true).unwrap()["id"].clone();
        assert!(sessions.iter().any(|it| it["id"] == elsewhere), "{sessions:?}");
        let path = format!("{SESSIONS}/{}", text(&elsewhere));
        assert_eq!(ada.call(&app, "DELETE", &path, &json!({})).await.status, 200);
        assert!(!there.is_in(&app).await && ada.is_in(&app).await);
        let there = person(&switch(&app, &person(&log_in(&app, &ada.email, PASSWORD).await), other).await);
        assert_eq!(ada.call(&app, "POST", "/console/api/log-out-everywhere", &json!({})).await.status, 200);
        assert!(!there.is_in(&app).await && !ada.is_in(&app).await);
    }

    async fn a_new_password_of_the_account_ends_tokens_in_all_tenants(app = World::new) {
        let (ada, other, _) = member_of_two(&app).await;
        app.app.identity().accounts().set_role(&Command(other), &ada.email, Role::Developer).await.unwrap();
        let tokens = [app.token_of(app.tenant(), &ada.email, &["callsv3:read"]).await.1, app.token_of(other, &ada.email, &["callsv3:read"]).await.1];
        let change = json!({"current": PASSWORD, "new": OTHER_PASSWORD});
        assert_eq!(ada.call(&app, "PUT", "/console/api/password", &change).await.status, 200);
        for token in &tokens {
            assert_refused(&app.by(token).get(CALLS).await, 401, "password_changed");
        }
    }

    async fn a_tenant_requires_a_factor_of_the_account(app = World::new) {
        let (ada, other, _) = member_of_two(&app).await;
        app.app.identity().second_factors().set_required(&Command(other), true).await.unwrap();
        assert_eq!(ada.get(&app, SESSIONS).await.status, 200, "the first tenant requires none");
        let there = person(&switch(&app, &ada, other).await);
        assert_eq!(there.get(&app, SESSION).await.json()["must_enrol"], true);
        assert_refused(&there.get(&app, SESSIONS).await, 403, "second_factor_required");
        let (device, _): (AuthenticatorApp, _) = enrolled(&app, &there).await;
        assert_eq!(there.get(&app, SESSIONS).await.status, 200);
        // It is one of the account: it is asked for whatever the tenant, and stays while a tenant requires one.
        let back = person(&switch(&app, &there, app.tenant()).await);
        let removal = back.call(&app, "DELETE", TOTP, &json!({"password": PASSWORD})).await;
        assert_refused(&removal, 409, "conflict");
        let waiting = log_in(&app, &ada.email, PASSWORD).await;
        assert_eq!(waiting.status, 202);
        let cookie = cookie_of(&waiting);
        let headers = [("origin", ORIGIN), ("cookie", cookie.as_str())];
        let done = send(&app, "POST", SECOND_FACTOR, &headers, &json!({"code": device.code(app.now())})).await;
        assert_eq!(done.json()["other_tenants"], 1, "{}", done.text);
    }

    async fn a_console_is_used_from_its_networks_only(test) {
        let app = behind_proxy(test);
        let ada = logged_in(&app, "ada", Role::Administrator).await;
        let inside = json!({"single_sign_on_required": false, "networks": ["203.0.113.0/24", "127.0.0.1"]});
        let outside = json!({"single_sign_on_required": false, "networks": ["203.0.113.0/24"]});
        assert_eq!(ada.get(&app, CONSOLE_ACCESS).await.json(), json!({
            "single_sign_on_required": false, "networks": [], "single_sign_on_available": false,
        }));
        assert_refused(&ada.call(&app, "PUT", CONSOLE_ACCESS, &outside).await, 409, "conflict");
        let wrong = json!({"single_sign_on_required": false, "networks": ["nowhere"]});
        assert_invalid(&ada.call(&app, "PUT", CONSOLE_ACCESS, &wrong).await, "networks");
        let required = json!({"single_sign_on_required": true, "networks": []});
        assert_refused(&ada.call(&app, "PUT", CONSOLE_ACCESS, &required).await, 409, "conflict");
        assert_eq!(ada.call(&app, "PUT", CONSOLE_ACCESS, &inside).await.status, 200);
        let from = async |address: &str| {
            let headers = [("cookie", ada.cookie.as_str()), ("x-forwarded-for", address)];
            send(&app, "GET", "/console/api/plan", &headers, &json!({})).await
        };
        assert_eq!(from("203.0.113.9").await.status, 200);
        assert_refused(&from("198.51.100.7").await, 403, "ip_denied");
        assert_refused(&log_in_from(&app, "198.51.100.7", &ada.email, PASSWORD).await, 403, "ip_denied");
        assert_refused(&log_in_from(&app, "198.51.100.7", &ada.email, "wrong").await, 401, "log_in_failed");
        assert_eq!(log_in_from(&app, "203.0.113.9", &ada.email, PASSWORD).await.status, 200);
        // Tokens have networks of their own.
        let token = app.token(app.tenant(), &["callsv3:read"]).await;
        assert_eq!(app.by(&token).get(CALLS).await.status, 200);
        let console_access = app.app.identity().console_access();
        console_access.set(&Command(app.tenant()), ConsoleAccess::default(), None).await.unwrap();
        assert_eq!(from("198.51.100.7").await.status, 200);
    }

    async fn an_account_is_disabled_in_all_tenants_by_a_command(app = World::new) {
        let (ada, other, _) = member_of_two(&app).await;
        let token = app.token_of(app.tenant(), &ada.email, &["callsv3:read"]).await.1;
        let accounts = app.app.identity().accounts();
        accounts.change_in_installation(&ada.email, InstallationChange::Disable).await.unwrap();
        assert!(!ada.is_in(&app).await);
        assert_refused(&app.by(&token).get(CALLS).await, 401, "token_revoked");
        assert_refused(&log_in(&app, &ada.email, PASSWORD).await, 401, "log_in_failed");
        accounts.change_in_installation(&ada.email, InstallationChange::Enable).await.unwrap();
        assert_eq!(tenants_of(&app, &person(&log_in(&app, &ada.email, PASSWORD).await)).await.len(), 2);
        assert!(accounts.find(&Command(other), &ada.email).await.is_ok());
    }

    async fn a_command_adds_an_account_that_exists(app = World::new) {
        let ada = logged_in(&app, "ada", Role::Operator).await;
        let other = app.test.new_tenant("unlimited").await;
        let add = |address: &str| app::identity::accounts::Invitation { email: address.to_owned(), name: None, role: Role::Developer };
        let accounts = app.app.identity().accounts();
        accounts.add(&Command(other), add(&ada.email)).await.unwrap();
        assert!(matches!(accounts.add(&Command(other), add(&ada.email)).await, Err(app::Error::Conflict { .. })));
        assert!(matches!(accounts.add(&Command(other), add("nobody@example.com")).await, Err(app::Error::NotFound(_))));
        assert_eq!(tenants_of(&app, &ada).await.len(), 2);
    }

    async fn a_deleted_tenant_takes_the_accounts_along_that_belong_to_no_other(app = World::new) {
        let (ada, other, boss) = member_of_two(&app).await;
        let life_cycle = app.app.platform().tenants();
        life_cycle.suspend(&Command(other)).await.unwrap();
        let choices = tenants_of(&app, &ada).await;
        assert!(choices.contains(&(other.to_string(), false, json!("suspended"))), "{choices:?}");
        assert_refused(&switch(&app, &ada, other).await, 403, "tenant_suspended");
        life_cycle.delete(&Command(other), &mut |_| {}).await.unwrap();
        assert_eq!(tenants_of(&app, &ada).await.len(), 1);
        let installation = TenantId::INSTALLATION;
        let gone = store::identity::accounts::by_email(&app.test.db, installation, &boss.email).await.unwrap();
        assert_eq!(gone, None);
        assert!(ada.is_in(&app).await);
    }
}

#[tokio::test]
async fn a_tenant_has_a_limited_number_of_open_invitations() {
    let app = World::on(TestDb::sqlite().await);
    let boss = administrator(&app, app.tenant()).await;
    for n in 0..MAX_OPEN_INVITATIONS {
        invite(&app, &boss, &email(&format!("guest-{n}"), app.tenant())).await;
    }
    let body = json!({"email": email("one-more", app.tenant()), "role": "OPERATOR"});
    let refused = boss.call(&app, "POST", INVITATIONS, &body).await;
    assert_refused(&refused, 429, "limit_reached");
    assert_eq!(refused.json()["limit"], "invitations");
    app.test.clock.advance(Duration::from_hours(25));
    let boss = person(&log_in(&app, &boss.email, PASSWORD).await);
    assert_eq!(boss.call(&app, "POST", INVITATIONS, &body).await.status, 200);
}
