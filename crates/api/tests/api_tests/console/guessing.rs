//! Guessing passwords: pauses for each address and network, also for parallel tries and at several nodes.

use std::net::IpAddr;

use app::identity::sessions::LogInSource;
use app::{App, Config, Error};
use futures_util::future::join_all;
use testkit::World;
use testkit::world::config;

use super::*;

const GUESSES: usize = 1000;

/// An application behind a proxy on this machine, so that tests choose the client's address by `X-Forwarded-For`.
pub(super) fn behind_proxy(test: TestDb) -> World {
    let trusted_proxies = Networks::parse(["127.0.0.0/8"]).unwrap();
    let settings = EdgeSettings { trusted_proxies, ..edge_settings(ORIGIN) };
    World::with_edge(test, settings)
}

pub(super) async fn log_in_from(app: &World, from: &str, email: &str, password: &str) -> Answer {
    let headers = [("origin", ORIGIN), ("x-forwarded-for", from)];
    send(app, "POST", SESSION, &headers, &json!({"email": email, "password": password})).await
}

/// How many guesses were compared with the password, and how many were refused without a comparison.
fn tried_and_paused(answers: &[Answer]) -> (usize, usize) {
    let with = |reason: &str| answers.iter().filter(|answer| answer.reason() == reason).count();
    (with("log_in_failed"), with("log_in_paused"))
}

async fn failures_in_audit(app: &World) -> Vec<(String, String)> {
    let log = app.app.identity().audit().latest(&Command(app.tenant()), 1000).await.unwrap();
    log.into_iter().filter(|it| it.action == "log_in.fail").map(|it| (it.subject, it.details)).collect()
}

testkit::both_databases! {
    async fn parallel_guesses_from_one_network_get_few_tries_and_the_owner_gets_in(test) {
        let app = behind_proxy(test);
        let address = email("ada", app.tenant());
        let id = make(&app, app.tenant(), &address, Role::Operator, PASSWORD).await;
        let guesses = (0..GUESSES).map(|n| {
            let (app, address) = (&app, &address);
            async move { log_in_from(app, "203.0.113.9", address, &format!("a guess, number {n}")).await }
        });
        let answers = join_all(guesses).await;
        assert_eq!(tried_and_paused(&answers), (5, GUESSES - 5));
        let paused = answers.iter().find(|answer| answer.reason() == "log_in_paused").unwrap();
        assert_eq!((paused.status.as_u16(), &paused.headers["retry-after"]), (429, &"1".parse().unwrap()));
        assert_eq!(failures_in_audit(&app).await, vec![(id.to_string(), r#"{"reason":"password"}"#.to_owned()); 5]);

        // From this address even the right password is refused; from another network it is accepted.
        assert_refused(&log_in_from(&app, "203.0.113.9", &address, PASSWORD).await, 429, "log_in_paused");
        assert_eq!(log_in_from(&app, "198.51.100.7", &address, PASSWORD).await.status, 200);
        // Other accounts can still log in from the same address.
        let grace = email("grace", app.tenant());
        make(&app, app.tenant(), &grace, Role::Operator, PASSWORD).await;
        assert_eq!(log_in_from(&app, "203.0.113.9", &grace, PASSWORD).await.status, 200);
        // A pause ends, and each further failure makes the next pause longer.
        for seconds in [1, 2, 4] {
            app.advance(seconds);
            assert_refused(&log_in_from(&app, "203.0.113.9", &address, "wrong").await, 401, "log_in_failed");
            assert_refused(&log_in_from(&app, "203.0.113.9", &address, "wrong").await, 429, "log_in_paused");
        }
        app.advance(8);
        assert_eq!(log_in_from(&app, "203.0.113.9", &address, PASSWORD).await.status, 200);
        assert_refused(&log_in_from(&app, "203.0.113.9", &address, "wrong").await, 401, "log_in_failed");
    }

    async fn guesses_from_many_networks_get_few_tries_and_known_networks_get_in(test) {
        let app = behind_proxy(test);
        let address = email("ada", app.tenant());
        make(&app, app.tenant(), &address, Role::Operator, PASSWORD).await;
        assert_eq!(log_in_from(&app, "198.51.100.7", &address, PASSWORD).await.status, 200);
        let guesses = (0..GUESSES).map(|n| {
            let (app, address) = (&app, &address);
            let from = format!("2001:db8:{:x}:{:x}::1", n / 100, n % 100);
            async move { log_in_from(app, &from, address, "a guess").await }
        });
        assert_eq!(tried_and_paused(&join_all(guesses).await), (12, GUESSES - 12));
        assert_refused(&log_in_from(&app, "198.51.100.8", &address, PASSWORD).await, 429, "log_in_paused");
        assert_eq!(log_in_from(&app, "198.51.100.7", &address, PASSWORD).await.status, 200);
    }

    async fn one_network_cannot_try_many_accounts(test) {
        let app = behind_proxy(test);
        let guesses = (0..100).map(|n| {
            let (app, unknown) = (&app, email(&format!("unknown-{n}"), app.tenant()));
            async move { log_in_from(app, "203.0.113.9", &unknown, "a guess").await }
        });
        assert_eq!(tried_and_paused(&join_all(guesses).await), (10, 90));
    }

    async fn nodes_count_together(test) {
        let keyring = Keyring::new(SecretKey::random(), None);
        let node = || App::new(test.db.clone(), test.clock.clone(), &keyring, config()).unwrap();
        let (one, two) = (node(), node());
        let address = email("ada", test.tenant);
        let source = LogInSource { address: IpAddr::from([203, 0, 113, 9]), user_agent: None, request_id: None };
        let guesses = (0..40).map(|n| {
            let (node, address, source) = (if n % 2 == 0 { &one } else { &two }, &address, &source);
            async move { node.identity().sessions().log_in(address, "a guess", source).await }
        });
        let outcomes = join_all(guesses).await;
        let tried = outcomes.iter().filter(|it| matches!(it, Ok(None))).count();
        let paused = outcomes.iter().filter(|it| matches!(it, Err(Error::TooManyTries { seconds: 1 }))).count();
        assert_eq!((tried, paused), (5, 35));
    }

    async fn an_unknown_address_and_one_of_several_tenants_take_the_same_work(app = World::new) {
        let address = email("ada", app.tenant());
        let second = app.test.new_tenant("unlimited").await;
        let third = app.test.new_tenant("unlimited").await;
        make(&app, app.tenant(), &address, Role::Operator, PASSWORD).await;
        make(&app, second, &address, Role::Operator, "another long password").await;
        make(&app, third, &address, Role::Operator, "zebra gravel lantern").await;
        let lone = email("grace", app.tenant());
        make(&app, app.tenant(), &lone, Role::Operator, PASSWORD).await;
        let mut work = Vec::new();
        for (email, password, status) in [
            (&address, "wrong", 401),
            (&address, PASSWORD, 200),
            (&address, "zebra gravel lantern", 200),
            (&lone, "wrong", 401),
            (&lone, PASSWORD, 200),
            (&email("nobody", app.tenant()), PASSWORD, 401),
        ] {
            let before = app.app.identity().verified_hashes();
            assert_eq!(log_in(&app, email, password).await.status, status, "{email}");
            work.push(app.app.identity().verified_hashes() - before);
        }
        assert!(work[0] >= 3 && work.iter().all(|hashes| *hashes == work[0]), "{work:?}");
        // Each tenant of a known address has the failure in its audit log.
        for tenant in [app.tenant(), second, third] {
            let log = app.app.identity().audit().latest(&Command(tenant), 100).await.unwrap();
            assert_eq!(log.iter().filter(|it| it.action == "log_in.fail").count(), if tenant == app.tenant() { 2 } else { 1 });
        }
    }

    async fn a_wrong_present_password_counts_as_a_try(app = World::new) {
        let ada = logged_in(&app, "ada", Role::Operator).await;
        let change = async |current: &str| {
            let body = json!({"current": current, "new": "zebra gravel lantern"});
            ada.call(&app, "PUT", "/console/api/password", &body).await
        };
        for _ in 0..5 {
            assert_invalid(&change("wrong").await, "current");
        }
        assert_refused(&change(PASSWORD).await, 429, "log_in_paused");
        app.advance(1);
        assert_eq!(change(PASSWORD).await.status, 200);
    }

    async fn common_passwords_are_refused_wherever_one_is_set(app = World::new) {
        let ada = logged_in(&app, "ada", Role::Administrator).await;
        let new = json!({"email": email("grace", app.tenant()), "role": "OPERATOR", "password": "password123456"});
        assert_invalid(&ada.call(&app, "POST", ACCOUNTS, &new).await, "password");
        let own = format!("{ACCOUNTS}/{}", ada.id);
        assert_invalid(&ada.call(&app, "PATCH", &own, &json!({"password": "qwertyuiop1234"})).await, "password");
        let change = json!({"current": PASSWORD, "new": ada.email});
        assert_invalid(&ada.call(&app, "PUT", "/console/api/password", &change).await, "new");
        assert!(ada.is_in(&app).await);
    }
}

/// So that clients which go on guessing in a pause are answered late.
#[tokio::test]
async fn wrong_and_paused_log_ins_are_failures_of_their_network() {
    let app = World::with_config(TestDb::sqlite().await, Config { failed_attempts_per_minute: 8, ..config() });
    let address = email("ada", app.tenant());
    make(&app, app.tenant(), &address, Role::Operator, PASSWORD).await;
    for _ in 0..5 {
        assert_refused(&log_in(&app, &address, "a guess").await, 401, "log_in_failed");
    }
    for _ in 0..2 {
        assert_refused(&log_in(&app, &address, "a guess").await, 429, "log_in_paused");
    }
    let failed = || app.app.identity().attempts().failed([127, 0, 0, 1].into());
    assert_eq!(failed(), None, "the eighth");
    assert!(failed().is_some(), "the ninth waits");
}

#[tokio::test]
async fn counts_are_deleted_when_they_are_over() {
    let app = behind_proxy(TestDb::sqlite().await);
    let address = email("ada", app.tenant());
    make(&app, app.tenant(), &address, Role::Operator, PASSWORD).await;
    for _ in 0..5 {
        log_in_from(&app, "203.0.113.9", &address, "wrong").await;
    }
    app.app.identity().sessions().sweep().await.unwrap();
    assert_refused(&log_in_from(&app, "203.0.113.9", &address, PASSWORD).await, 429, "log_in_paused");
    app.test.clock.advance(Duration::from_hours(49));
    app.app.identity().sessions().sweep().await.unwrap();
    assert_eq!(log_in_from(&app, "203.0.113.9", &address, PASSWORD).await.status, 200);
}
