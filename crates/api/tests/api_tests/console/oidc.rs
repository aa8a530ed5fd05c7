//! Log-in at a real OpenID provider (the npm package oidc-provider) on loopback.

use std::ops::Deref;

use app::identity::credentials::oidc::log_in::{ProviderConfig, Provisioning};
use axum::http::HeaderMap;
use channels::outgoing::Share;
use domain::identity::memberships::ConsoleAccess;
use reqwest::Url;
use testkit::oidc::{Provider, log_in_client};
use testkit::outgoing::use_up;

use super::*;

const BEGIN: &str = "/console/oidc/acme";
const CALLBACK: &str = "https://switchboard.example/console/oidc/acme/callback";

/// The application, with the provider `acme` for its tenant.
struct AtProvider {
    world: World,
    provider: Provider,
}

/// A log-in that has begun: the provider's address to which the browser was sent, and the browser's cookie.
struct Begun {
    url: Url,
    cookie: String,
}

impl Deref for AtProvider {
    type Target = World;

    fn deref(&self) -> &World {
        &self.world
    }
}

impl AtProvider {
    async fn new(test: TestDb, alg: &str, claims_in_id_token: bool) -> Self {
        let clients = json!([log_in_client("console", alg, CALLBACK, claims_in_id_token)]);
        Self::with(test, &clients, Provisioning::default()).await
    }

    /// New people get accounts by these rules.
    async fn with(test: TestDb, clients: &Value, provisioning: Provisioning) -> Self {
        let provider = Provider::start(clients).await;
        let config = ProviderConfig { provisioning, ..provider.log_in_config("acme", "console", test.tenant) };
        Self { world: World::with_providers(test, vec![config]), provider }
    }

    /// Logs in at the provider and returns the person.
    async fn log_in_as(&self, name: &str) -> Person {
        self.seat(name, json!(true)).await;
        let (cookie, _) = succeeded(&self.log_in("").await);
        let shown = self.get(SESSION, &cookie).await.json();
        let (account, csrf) = (&shown["account"], text(&shown["csrf_token"]));
        Person { id: text(&account["id"]), email: text(&account["email"]), cookie, csrf }
    }

    async fn seat(&self, name: &str, verified: Value) -> String {
        let address = email(name, self.tenant());
        self.provider.seat(&json!({"sub": name, "email": address, "email_verified": verified})).await;
        address
    }

    async fn get(&self, path: &str, cookie: &str) -> Answer {
        send(self, "GET", path, &[("cookie", cookie)], &json!({})).await
    }

    async fn begin(&self, query: &str) -> Begun {
        let answer = self.get(&format!("{BEGIN}{query}"), "").await;
        assert_eq!(
            (answer.status.as_u16(), answer.headers["cache-control"].to_str().unwrap()),
            (303, "no-store"),
            "{}",
            answer.text
        );
        let set = cookies(&answer.headers);
        assert!(set[0].starts_with("__Host-switchboard_oidc=") && set.len() == 1, "{set:?}");
        assert!(set[0].ends_with("; Path=/; Max-Age=600; HttpOnly; SameSite=Lax; Secure"), "{set:?}");
        let url = Url::parse(answer.headers["location"].to_str().unwrap()).unwrap();
        Begun { url, cookie: set[0].split(';').next().unwrap().to_owned() }
    }

    /// Logs in at the provider, and returns path and query of the address to which it redirects the browser back.
    async fn at_provider(&self, url: &Url) -> String {
        let back = self.provider.browse(url.as_str()).await;
        assert!(back.starts_with(CALLBACK), "{back}");
        back.strip_prefix("https://switchboard.example").unwrap().to_owned()
    }

    async fn finish(&self, begun: &Begun) -> Answer {
        let back = self.at_provider(&begun.url).await;
        self.get(&back, &begun.cookie).await
    }

    async fn log_in(&self, query: &str) -> Answer {
        let begun = self.begin(query).await;
        self.finish(&begun).await
    }
}

fn cookies(headers: &HeaderMap) -> Vec<&str> {
    headers.get_all("set-cookie").iter().map(|it| it.to_str().unwrap()).collect()
}

/// Asserts that the answer is a page with the reason and sets no session cookie.
#[track_caller]
fn assert_failed(answer: &Answer, status: u16, why: &str) {
    assert_eq!(answer.status.as_u16(), status, "{}", answer.text);
    assert!(answer.text.contains(why), "{}", answer.text);
    assert_eq!(answer.headers["content-type"], "text/html; charset=utf-8");
    assert_eq!(answer.headers["cache-control"], "no-store");
    assert!(answer.headers["content-security-policy"].to_str().unwrap().starts_with("default-src 'none'"));
    assert!(
        !cookies(&answer.headers).iter().any(|it| it.starts_with("__Host-switchboard_session=")),
        "{:?}",
        answer.headers
    );
}

/// Asserts that the log-in succeeded. Returns the session cookie and the address to which the browser is redirected.
#[track_caller]
fn succeeded(answer: &Answer) -> (String, String) {
    assert_eq!(answer.status.as_u16(), 303, "{}", answer.text);
    let set = cookies(&answer.headers);
    assert!(set.contains(&"__Host-switchboard_oidc=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax; Secure"), "{set:?}");
    let session = set.iter().find(|it| it.starts_with("__Host-switchboard_session=")).unwrap();
    assert!(session.ends_with("; Path=/; Max-Age=43200; HttpOnly; SameSite=Strict; Secure"), "{session}");
    let cookie = session.split(';').next().unwrap().to_owned();
    (cookie, answer.headers["location"].to_str().unwrap().to_owned())
}

fn with_parameter(url: &Url, name: &str, value: &str) -> Url {
    let pairs: Vec<(String, String)> = url.query_pairs().map(|(n, v)| (n.into_owned(), v.into_owned())).collect();
    let mut changed = url.clone();
    assert!(pairs.iter().any(|(n, _)| n == name), "no {name} in {url}");
    changed
        .query_pairs_mut()
        .clear()
        .extend_pairs(pairs.iter().map(|(n, v)| (n.as_str(), if n == name { value } else { v.as_str() })));
    changed
}

testkit::both_databases! {
    async fn a_verified_address_opens_the_account_of_the_tenant(test) {
        let world = AtProvider::new(test, "ES256", false).await;
        let options = world.get(LOG_IN_OPTIONS, "").await.json();
        assert_eq!(options["oidc"], json!([{"id": "acme", "name": "Acme & <Sons>"}]));
        let address = world.seat("Ada", json!(true)).await.to_lowercase();
        let id = world.account(world.tenant(), &address, Role::Operator).await;
        // An account of another tenant with the same e-mail address must not be logged in.
        let other = world.test.new_tenant("growth").await;
        world.account(other, &address, Role::Administrator).await;
        let begun = world.begin("?next=%2Fconsole%2Fcalls%3Fdirection%3Dinbound").await;
        let sent: std::collections::BTreeMap<_, _> = begun.url.query_pairs().into_owned().collect();
        assert_eq!((sent["response_type"].as_str(), sent["code_challenge_method"].as_str()), ("code", "S256"));
        assert_eq!((sent["client_id"].as_str(), sent["redirect_uri"].as_str()), ("console", CALLBACK));
        assert!(sent["state"].len() >= 43 && sent["nonce"].len() >= 43 && sent["code_challenge"].len() == 43, "{sent:?}");
        assert!(!begun.cookie.contains(&sent["state"]));
        let back = world.at_provider(&begun.url).await;
        let (cookie, next) = succeeded(&world.get(&back, &begun.cookie).await);
        assert_eq!(next, "/console/calls?direction=inbound");
        let shown = world.get(SESSION, &cookie).await.json();
        assert_eq!((&shown["account"]["id"], &shown["tenant"]["id"]), (&json!(id), &json!(world.tenant())));
        let log = world.app.identity().audit().latest(&Command(world.tenant()), 1).await.unwrap();
        assert_eq!((log[0].action.as_str(), log[0].details.as_str()), ("session.create", r#"{"provider":"acme"}"#));
        assert_eq!(log[0].actor, format!("account:{id}"));
        // The provider's answer can be used once.
        assert_failed(&world.get(&back, &begun.cookie).await, 400, "Start again");
    }

    async fn only_a_path_of_this_server_is_followed(test) {
        let world = AtProvider::new(test, "RS256", true).await;
        let address = world.seat("ada", json!(true)).await;
        world.account(world.tenant(), &address, Role::Operator).await;
        for (query, next) in [
            ("", "/console/"),
            ("?next=", "/console/"),
            ("?next=/console/webhooks", "/console/webhooks"),
            ("?next=https://evil.example/", "/console/"),
            ("?next=//evil.example/", "/console/"),
            ("?next=/%5Cevil.example/", "/console/"),
            ("?next=/%09/evil.example/", "/console/"),
            ("?next=javascript:alert(1)", "/console/"),
            ("?next=console", "/console/"),
        ] {
            assert_eq!(succeeded(&world.log_in(query).await).1, next, "{query}");
        }
    }

    async fn an_address_that_is_not_verified_or_not_known_opens_nothing(test) {
        let world = AtProvider::new(test, "EdDSA", true).await;
        let (app, tenant) = (&world.world, world.tenant());
        for name in ["ada", "disabled", "removed"] {
            app.account(tenant, &email(name, tenant), Role::Administrator).await;
        }
        app.app.identity().accounts().set_disabled(&Command(tenant), &email("disabled", tenant), true).await.unwrap();
        app.account(tenant, &email("kept", tenant), Role::Administrator).await;
        app.app.identity().accounts().remove(&Command(tenant), &email("removed", tenant)).await.unwrap();
        let other = app.test.new_tenant("growth").await;
        app.account(other, &email("theirs", tenant), Role::Operator).await;
        for verified in [json!(false), Value::Null, json!("no")] {
            world.seat("ada", verified).await;
            assert_failed(&world.log_in("").await, 403, "Acme &amp; &lt;Sons&gt; has not verified your e-mail address.");
        }
        for name in ["nobody", "disabled", "removed", "theirs"] {
            world.seat(name, json!(true)).await;
            assert_failed(&world.log_in("").await, 403, "No account here has your e-mail address.");
        }
        assert!(app.app.identity().audit().latest(&Command(tenant), 100).await.unwrap().iter().all(|it| it.action != "session.create"));
    }

    async fn a_log_in_is_finished_in_the_browser_and_time_in_which_it_began(test) {
        let world = AtProvider::new(test, "ES256", true).await;
        let address = world.seat("ada", json!(true)).await;
        world.account(world.tenant(), &address, Role::Operator).await;
        let (begun, other) = (world.begin("").await, world.begin("").await);
        let back = world.at_provider(&begun.url).await;
        let forged = format!("{}A", begun.cookie);
        for cookie in ["", "__Host-switchboard_oidc=", "__Host-switchboard_oidc=AAAA", &forged, &other.cookie] {
            assert_failed(&world.get(&back, cookie).await, 400, "Start again");
        }
        let state = with_parameter(&Url::parse(&format!("https://switchboard.example{back}")).unwrap(), "state", "wrong");
        let without = back.split("&state=").next().unwrap();
        for path in [without, "/console/oidc/acme/callback", &format!("{}?{}", state.path(), state.query().unwrap())] {
            assert_failed(&world.get(path, &begun.cookie).await, 400, "Start again");
        }
        succeeded(&world.get(&back, &begun.cookie).await);
        let back = world.at_provider(&other.url).await;
        world.test.clock.advance(Duration::from_mins(10));
        assert_failed(&world.get(&back, &other.cookie).await, 400, "Start again");
    }

    async fn a_token_of_another_log_in_is_refused(test) {
        let world = AtProvider::new(test, "RS256", true).await;
        let address = world.seat("ada", json!(true)).await;
        world.account(world.tenant(), &address, Role::Operator).await;
        let begun = world.begin("").await;
        let nonce = Begun { url: with_parameter(&begun.url, "nonce", "of-another-log-in"), cookie: begun.cookie };
        assert_failed(&world.finish(&nonce).await, 403, "`nonce` does not belong to this log-in");
        // A stolen code is useless without the verifier of the browser that began the log-in.
        let begun = world.begin("").await;
        let challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";
        let challenge = Begun { url: with_parameter(&begun.url, "code_challenge", challenge), cookie: begun.cookie };
        assert_failed(&world.finish(&challenge).await, 403, "did not log you in");
        let begun = world.begin("").await;
        let back = world.at_provider(&begun.url).await;
        let url = with_parameter(&Url::parse(&format!("https://switchboard.example{back}")).unwrap(), "code", "made-up");
        assert_failed(&world.get(&format!("{}?{}", url.path(), url.query().unwrap()), &begun.cookie).await, 403, "did not log you in");
        world.provider.seat(&Value::Null).await;
        assert_failed(&world.log_in("").await, 403, "did not log you in");
    }

    async fn a_log_in_takes_connections_of_the_provider_s_tenant(test) {
        let world = AtProvider::new(test, "RS256", true).await;
        world.account(world.tenant(), &email("ada", world.tenant()), Role::Operator).await;
        let used_up = use_up(world.app.outgoing(), world.tenant());
        assert_failed(&world.get(BEGIN, "").await, 502, "cannot be reached at the moment");
        drop(used_up);
        world.advance(6);
        let others = [Share::Mail, Share::Issuers, Share::Tenant(TenantId::INSTALLATION)];
        let _used_up = others.map(|share| use_up(world.app.outgoing(), share));
        world.log_in_as("ada").await;
    }

    async fn a_provider_that_is_not_there_is_named(test) {
        let tenant = test.tenant;
        let provider = Provider::start(&json!([log_in_client("console", "RS256", CALLBACK, true)])).await;
        let gone = ProviderConfig {
            issuer: "http://127.0.0.1:9".to_owned(), ..provider.log_in_config("gone", "console", tenant)
        };
        // In tests the address guard permits loopback, and no other private address.
        let private = ProviderConfig {
            issuer: "https://10.0.0.1".to_owned(), ..provider.log_in_config("private", "console", tenant)
        };
        let app = World::with_providers(test, vec![gone, private]);
        for id in ["gone", "private"] {
            let answer = send(&app, "GET", &format!("/console/oidc/{id}"), &[], &json!({})).await;
            assert_failed(&answer, 502, "cannot be reached at the moment");
            assert!(cookies(&answer.headers).is_empty());
        }
        for path in ["/console/oidc/other", "/console/oidc/other/callback?code=x&state=y"] {
            assert_failed(&send(&app, "GET", path, &[], &json!({})).await, 404, "There is no such provider");
        }
    }

    async fn new_people_get_accounts_by_domain_and_group(test) {
        let rules = Provisioning {
            domains: vec!["example.com".to_owned()],
            role_claim: "groups".to_owned(),
            role_map: [("support".to_owned(), Role::Operator), ("leads".to_owned(), Role::Administrator)].into(),
            default_role: None,
        };
        let clients = json!([log_in_client("console", "ES256", CALLBACK, false)]);
        let world = AtProvider::with(test, &clients, rules).await;
        let tenant = world.tenant();
        let log_in = async |name: &str, address: &str, groups: Value| {
            world.provider.seat(&json!({"sub": name, "email": address, "email_verified": true, "groups": groups})).await;
            world.log_in("").await
        };
        for (name, groups, role) in [("ada", json!(["support"]), "OPERATOR"), ("grace", json!(["support", "leads"]), "ADMINISTRATOR")] {
            let (cookie, _) = succeeded(&log_in(name, &email(name, tenant), groups).await);
            let shown = world.get(SESSION, &cookie).await.json();
            assert_eq!((&shown["account"]["role"], &shown["tenant"]["id"]), (&json!(role), &json!(tenant)));
        }
        // Rules are for new accounts: a role that an administrator gave stays.
        succeeded(&log_in("ada", &email("ada", tenant), json!(["leads"])).await);
        let accounts = world.app.identity().accounts();
        assert_eq!(accounts.find(&Command(tenant), &email("ada", tenant)).await.unwrap().role, Role::Operator);
        let strangers = [
            ("alan", email("alan", tenant), json!(["others"])),
            ("eve", format!("eve-{tenant}@example.org"), json!(["leads"])),
        ];
        for (name, address, groups) in strangers {
            assert_failed(&log_in(name, &address, groups).await, 403, "No account here has your e-mail address.");
        }
        accounts.remove(&Command(tenant), &email("ada", tenant)).await.unwrap();
        let removed = log_in("ada", &email("ada", tenant), json!(["support"])).await;
        assert_failed(&removed, 403, "No account here has your e-mail address.");
    }

    async fn a_session_of_a_provider_stays_in_its_tenant(test) {
        let world = AtProvider::new(test, "ES256", true).await;
        let address = email("ada", world.tenant());
        let other = world.test.new_tenant("unlimited").await;
        make(&world, other, &address, Role::Administrator, PASSWORD).await;
        let elsewhere = person(&log_in(&world, &address, PASSWORD).await);
        world.account(world.tenant(), &address, Role::Operator).await;
        let here = world.log_in_as("ada").await;
        let tenants = here.call(&world, "GET", TENANTS, &json!({})).await.ok();
        let tenants: Vec<_> = tenants["tenants"].as_array().unwrap().iter().map(|it| text(&it["id"])).collect();
        assert_eq!(tenants, [world.tenant().to_string()]);
        let switch = json!({"tenant": other});
        assert_refused(&here.call(&world, "PUT", SWITCH, &switch).await, 409, "conflict");
        assert_refused(&here.call(&world, "POST", TOTP, &json!({})).await, 409, "conflict");
        assert_eq!(here.call(&world, "POST", "/console/api/log-out-everywhere", &json!({})).await.status, 200);
        assert!(elsewhere.is_in(&world).await && !here.is_in(&world).await);
        // The account's password does not open the provider's tenant until the two are joined.
        assert_refused(&elsewhere.call(&world, "PUT", SWITCH, &json!({"tenant": world.tenant()})).await, 404, "not_found");
        let here = world.log_in_as("ada").await;
        assert_invalid(&here.call(&world, "POST", JOIN, &json!({"password": "wrong"})).await, "password");
        assert_eq!(here.call(&world, "POST", JOIN, &json!({"password": PASSWORD})).await.status, 200);
        assert_eq!(elsewhere.call(&world, "PUT", SWITCH, &json!({"tenant": world.tenant()})).await.status, 200);
        // Also then the provider speaks for its own tenant alone, and a factor of the account needs the password.
        let here = world.log_in_as("ada").await;
        assert_refused(&here.call(&world, "PUT", SWITCH, &switch).await, 409, "conflict");
        assert_invalid(&here.call(&world, "POST", TOTP, &json!({})).await, "password");
    }

    async fn a_tenant_that_requires_single_sign_on_refuses_passwords(test) {
        let world = AtProvider::new(test, "ES256", true).await;
        let (tenant, access) = (world.tenant(), world.app.identity().console_access());
        let address = email("boss", tenant);
        make(&world, tenant, &address, Role::Administrator, PASSWORD).await;
        let boss = person(&log_in(&world, &address, PASSWORD).await);
        let required = json!({"single_sign_on_required": true, "networks": []});
        assert_refused(&boss.call(&world, "PUT", CONSOLE_ACCESS, &required).await, 409, "conflict");
        let by_provider = world.log_in_as("boss").await;
        assert_eq!(by_provider.call(&world, "PUT", CONSOLE_ACCESS, &required).await.ok()["single_sign_on_required"], true);
        assert!(!boss.is_in(&world).await && by_provider.is_in(&world).await);
        let refused = log_in(&world, &address, PASSWORD).await;
        assert_refused(&refused, 403, "single_sign_on_required");
        assert!(refused.headers.get("set-cookie").is_none());
        assert_refused(&log_in(&world, &address, "wrong").await, 401, "log_in_failed");
        // In another tenant the password still works, and says how to enter this one.
        let other = world.test.new_tenant("unlimited").await;
        let add = app::identity::accounts::Invitation { email: address.clone(), name: None, role: Role::Operator };
        world.app.identity().accounts().add(&Command(other), add).await.unwrap();
        let there = person(&log_in(&world, &address, PASSWORD).await);
        let tenants = there.call(&world, "GET", TENANTS, &json!({})).await.ok();
        let closed = tenants["tenants"].as_array().unwrap().iter().find(|it| it["id"] == tenant.to_string()).unwrap().clone();
        assert_eq!(closed["obstacle"], "single_sign_on");
        assert_eq!(closed["providers"][0]["id"], "acme");
        assert_refused(&there.call(&world, "PUT", SWITCH, &json!({"tenant": tenant})).await, 403, "single_sign_on_required");
        access.set(&Command(tenant), ConsoleAccess::default(), None).await.unwrap();
        assert_eq!(there.call(&world, "PUT", SWITCH, &json!({"tenant": tenant})).await.status, 200);
    }
}
