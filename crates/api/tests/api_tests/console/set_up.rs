//! One-time links: set-up of the first password, and reset of a lost one.

use app::Config;
use domain::identity::one_time_links::{FreshCode, LinkPurpose};
use testkit::world::config;

use super::*;

const LINK_ENDED: (u16, &str) = (410, "link_ended");

async fn inspect(app: &World, code: &str) -> Answer {
    send(app, "POST", INSPECT, &[("origin", origin(app))], &json!({"code": code})).await
}

async fn set_up(app: &World, code: &str, password: &str) -> Answer {
    send(app, "POST", SET_UP, &[("origin", origin(app))], &json!({"code": code, "password": password})).await
}

/// Issues a link for an account and returns its code.
async fn issue(app: &World, who: &str) -> String {
    let issued = app.app.identity().one_time_links().issue(&Command(app.tenant()), who).await.unwrap();
    issued.code.reveal().to_owned()
}

#[track_caller]
fn assert_ended(answer: &Answer) {
    assert_refused(answer, LINK_ENDED.0, LINK_ENDED.1);
    assert!(answer.headers.get("set-cookie").is_none());
}

testkit::both_databases! {
    async fn a_link_sets_the_first_password_logs_in_and_ends_nothing(app = World::new) {
        let address = email("ada", app.tenant());
        let id = app.account(app.tenant(), &address, Role::Administrator).await;
        let (_, token) = app.token_of(app.tenant(), &address, &["callsv3:read"]).await;
        let legacy = app.app.identity().tokens().legacy(&Command(app.tenant()), &address).await.unwrap();
        let code = issue(&app, &address).await;
        let shown = inspect(&app, &code).await;
        assert_eq!(shown.json(), json!({
            "purpose": "setup", "email": address, "name": address.split('@').next(), "tenant_name": "Test",
            "expires_at": app.now().to_millis().plus_seconds(24 * 3600).to_rfc3339(),
        }));
        assert_eq!(shown.headers["cache-control"], "no-store");
        // A password that is refused does not use the link up.
        assert_invalid(&set_up(&app, &code, "short").await, "password");
        let answer = set_up(&app, &code, PASSWORD).await;
        let ada = person(&answer);
        assert_eq!(ada.id, id.to_string());
        let attributes = answer.headers["set-cookie"].to_str().unwrap().strip_prefix(&ada.cookie).unwrap();
        assert_eq!(attributes, "; Path=/; Max-Age=43200; HttpOnly; SameSite=Strict; Secure");
        assert!(ada.is_in(&app).await);
        for value in [&token, &legacy] {
            assert_eq!(app.by(value).get(CALLS).await.status, 200);
        }
        assert_ended(&inspect(&app, &code).await);
        assert_ended(&set_up(&app, &code, PASSWORD).await);
        assert!(person(&log_in(&app, &address, PASSWORD).await).is_in(&app).await);
        let log = app.app.identity().audit().latest(&Command(app.tenant()), 100).await.unwrap();
        let of = |action: &str| log.iter().find(|it| it.action == action).unwrap();
        let (made, redeemed) = (of("link.create"), of("link.redeem"));
        assert_eq!((made.actor.as_str(), made.subject.as_str(), made.details.as_str()), ("command", ada.id.as_str(), r#"{"purpose":"setup"}"#));
        assert_eq!((redeemed.actor.as_str(), redeemed.address.as_deref()), (&*format!("account:{}", ada.id), Some("127.0.0.1")));
        assert!(log.iter().all(|it| !it.details.contains(&code) && !it.subject.contains(&code)));
    }

    async fn a_reset_ends_tokens_and_sessions_like_every_change_of_a_password(app = World::new) {
        let ada = logged_in(&app, "ada", Role::Administrator).await;
        let (_, token) = ada.token(&app, json!({})).await;
        let legacy = app.app.identity().tokens().legacy(&Command(app.tenant()), &ada.email).await.unwrap();
        let code = issue(&app, &ada.email).await;
        assert_eq!(inspect(&app, &code).await.json()["purpose"], "reset");
        assert!(ada.is_in(&app).await && app.by(&token).get(CALLS).await.status == 200, "the link itself changes nothing");
        let back = person(&set_up(&app, &code, "another long password").await);
        assert!(!ada.is_in(&app).await && back.is_in(&app).await);
        for value in [&token, &legacy] {
            assert_refused(&app.by(value).get(CALLS).await, 401, "password_changed");
        }
        assert_refused(&log_in(&app, &ada.email, PASSWORD).await, 401, "log_in_failed");
    }

    async fn a_code_that_does_not_work_gets_one_answer_whatever_the_reason(app = World::new) {
        let (accounts, tenant) = (app.app.identity().accounts(), app.tenant());
        let names = ["used", "expired", "replaced", "disabled", "removed", "changed"].map(|name| email(name, tenant));
        let mut codes = Vec::new();
        for name in &names {
            app.account(tenant, name, Role::Operator).await;
            codes.push(issue(&app, name).await);
        }
        assert_eq!(set_up(&app, &codes[0], PASSWORD).await.status, 200);
        issue(&app, &names[2]).await;
        accounts.set_disabled(&Command(tenant), &names[3], true).await.unwrap();
        accounts.remove(&Command(tenant), &names[4]).await.unwrap();
        accounts.set_password(&Command(tenant), &names[5], "by an administrator".to_owned()).await.unwrap();
        let other = app.test.new_tenant("growth").await;
        let of_another = FreshCode::generate(other, app.account(other, &names[0], Role::Operator).await, LinkPurpose::Setup);
        codes.extend([of_another.reveal().to_owned(), String::new(), "nonsense".to_owned()]);
        // The link that expires comes last, because advancing the clock ends all links.
        let expired = codes.remove(1);
        assert_eq!(inspect(&app, &expired).await.status, 200);
        let mut bodies = Vec::new();
        let mut keep = |answer: &Answer| {
            assert_ended(answer);
            let mut body = answer.json();
            body["timestamp"] = Value::Null;
            bodies.push(body);
        };
        for code in &codes {
            keep(&inspect(&app, code).await);
            keep(&set_up(&app, code, PASSWORD).await);
        }
        app.test.clock.advance(Duration::from_hours(24));
        keep(&inspect(&app, &expired).await);
        keep(&set_up(&app, &expired, PASSWORD).await);
        assert!(bodies.iter().all(|body| *body == bodies[0]), "{bodies:?}");
        assert!(matches!(
            app.app.identity().one_time_links().issue(&Command(tenant), &names[3]).await, Err(app::Error::Conflict { .. })
        ));
    }

    async fn of_two_requests_with_one_code_one_sets_the_password(app = World::new) {
        let address = email("ada", app.tenant());
        app.account(app.tenant(), &address, Role::Operator).await;
        let code = issue(&app, &address).await;
        let (one, two) = tokio::join!(set_up(&app, &code, PASSWORD), set_up(&app, &code, "of another person"));
        let mut statuses = [one.status.as_u16(), two.status.as_u16()];
        statuses.sort_unstable();
        assert_eq!(statuses, [200, 410], "{} {}", one.text, two.text);
    }

    async fn links_are_used_from_the_console_s_own_pages_only(app = World::new) {
        let address = email("ada", app.tenant());
        app.account(app.tenant(), &address, Role::Operator).await;
        let code = issue(&app, &address).await;
        for path in [INSPECT, SET_UP] {
            for headers in [vec![], vec![("origin", "https://evil.example")]] {
                let body = json!({"code": code, "password": PASSWORD});
                assert_refused(&send(&app, "POST", path, &headers, &body).await, 403, "csrf");
            }
        }
        assert_invalid(&send(&app, "POST", SET_UP, &[("origin", ORIGIN)], &json!({"code": code})).await, "password");
        assert_invalid(&send(&app, "POST", INSPECT, &[("origin", ORIGIN)], &json!({})).await, "code");
        assert_eq!(set_up(&app, &code, PASSWORD).await.status, 200);
    }

    async fn a_code_is_stored_as_a_hash_and_swept_when_it_has_expired(app = World::new) {
        let address = email("ada", app.tenant());
        let id = app.account(app.tenant(), &address, Role::Operator).await;
        let code = issue(&app, &address).await;
        let find = async || store::identity::one_time_links::find(&app.test.db, app.tenant(), id, LinkPurpose::Setup).await.unwrap();
        let stored = find().await.unwrap();
        assert!(!code.as_bytes().windows(32).any(|part| part == stored.hash.0));
        app.app.identity().one_time_links().sweep().await.unwrap();
        assert!(find().await.is_some());
    }
}

#[tokio::test]
async fn wrong_codes_count_as_failed_attempts_like_wrong_passwords() {
    let app = World::with_config(TestDb::sqlite().await, Config { failed_attempts_per_minute: 3, ..config() });
    let address = email("ada", app.tenant());
    app.account(app.tenant(), &address, Role::Operator).await;
    assert_eq!(inspect(&app, &issue(&app, &address).await).await.status, 200);
    assert_ended(&inspect(&app, "nonsense").await);
    assert_ended(&set_up(&app, "nonsense", PASSWORD).await);
    let failed = || app.app.identity().attempts().failed([127, 0, 0, 1].into());
    assert_eq!(failed(), None, "the third");
    assert!(failed().is_some(), "the fourth waits");
}
