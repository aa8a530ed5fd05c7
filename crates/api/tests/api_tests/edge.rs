//! The layers around every operation: limits, allowed networks and last use of tokens, request ids, unknown paths.

use std::io::Read as _;
use std::time::Duration;

use app::identity::tokens::NewToken;
use axum::body::Body;
use domain::delivery::events::EventType;
use domain::identity::networks::Networks;
use domain::identity::roles::Role;
use domain::identity::scopes::{Scope, ScopeSet};
use testkit::World;
use testkit::world::request;

const CALLS: &str = "/api/ext/v3/calls";

fn new_token(networks: &[&str], rate_limit: Option<i64>) -> NewToken {
    NewToken {
        name: "t".to_owned(),
        scopes: ScopeSet::from_scopes(&[Scope::Api]),
        networks: Networks::parse(networks.iter().copied()).unwrap(),
        expires_at: None,
        rate_limit,
    }
}

testkit::both_databases! {
    async fn the_eleventh_call_in_a_window_is_refused_with_all_headers(app = World::new) {
        let tenant = app.test.new_tenant("growth").await;
        let token = app.token(tenant, &["api"]).await;
        let path = format!("/{tenant}/api/v1/getContacts");
        // Advances to the start of a rate window, so that all calls fall into one window.
        let into = u64::try_from(app.now().micros().rem_euclid(10_000_000)).unwrap();
        app.test.clock.advance(Duration::from_micros(10_000_000 - into));
        for n in 0..10 {
            let answer = app.by(&token).get(&path).await;
            assert_eq!(answer.status, 200, "{n}: {}", answer.text);
            assert!(answer.headers["ratelimit-policy"].to_str().unwrap().contains("\"contacts\";q=10;w=10"));
        }
        let refused = app.by(&token).get(&path).await;
        assert_eq!((refused.status.as_u16(), refused.reason().as_str()), (429, "rate_limited"));
        assert_eq!(refused.json()["code"], 42901);
        assert!(refused.headers["ratelimit"].to_str().unwrap().contains("\"contacts\";r=0;t=10"));
        assert_eq!(refused.headers["retry-after"], "10");
        assert_eq!(app.by(&token).get(CALLS).await.status, 200, "another family has its own limit");
        app.advance(10);
        assert_eq!(app.by(&token).get(&path).await.status, 200);
    }

    async fn large_json_is_compressed_for_clients_that_accept_it(app = World::new) {
        let token = app.token(app.tenant(), &["api"]).await;
        for n in 0..20 {
            app.contact(&format!("141555526{n:02}"), "Ada Lovelace").await;
        }
        let send = async |method: &str, path: &str, accepts: &str, body: &str| {
            let request = request(method, path, Some(&token)).header("accept-encoding", accepts);
            let request = request.header("content-type", "application/json").body(Body::from(body.to_owned())).unwrap();
            let answer = app.edge.handle(request, std::net::SocketAddr::from(([127, 0, 0, 1], 4711))).await;
            let headers = answer.headers().clone();
            (headers, axum::body::to_bytes(answer.into_body(), usize::MAX).await.unwrap())
        };
        let path = "/api/ext/v3/contacts?page_size=20";
        let (headers, plain) = send("GET", path, "br", "").await;
        assert!(!headers.contains_key("content-encoding") && headers["vary"] == "accept-encoding");
        let (headers, packed) = send("GET", path, "gzip, br", "").await;
        assert_eq!((&headers["content-encoding"], &headers["content-type"]), (&"gzip".parse().unwrap(), &"application/json".parse().unwrap()));
        assert!(plain.len() > 5000 && packed.len() * 3 < plain.len(), "{} of {}", packed.len(), plain.len());
        let mut unpacked = Vec::new();
        flate2::read::GzDecoder::new(&packed[..]).read_to_end(&mut unpacked).unwrap();
        assert_eq!(unpacked, plain);
        // One contact is small.
        let (headers, _) = send("GET", "/api/ext/v3/contacts/14155552601", "gzip", "").await;
        assert!(!headers.contains_key("content-encoding"));
        // The answer has the webhook's secret, in any spelling of the path.
        let types: Vec<&str> = EventType::for_webhooks().map(EventType::name).collect();
        let webhook = serde_json::json!({"url": format!("https://example.com/{}", "x".repeat(900)), "eventTypes": types});
        let (headers, body) = send("POST", "/API/ext/v3/Webhooks", "gzip", &webhook.to_string()).await;
        assert!(body.len() > 1024 && !headers.contains_key("content-encoding"), "{body:?}");
    }

    async fn a_token_works_only_from_its_networks_and_within_its_own_limit(app = World::new) {
        let tenant = app.tenant();
        app.account(tenant, "owner@example.com", Role::Developer).await;
        let make = async |networks: &[&str], limit| {
            let (_, value) = app.app.identity().tokens().create(&app::Command(tenant), "owner@example.com", new_token(networks, limit)).await.unwrap();
            value.reveal().to_owned()
        };
        let elsewhere = make(&["203.0.113.0/24"], None).await;
        let refused = app.by(&elsewhere).get(CALLS).await;
        assert_eq!((refused.status.as_u16(), refused.reason().as_str()), (403, "ip_denied"));
        let here = make(&["203.0.113.0/24", "127.0.0.0/8"], None).await;
        assert_eq!(app.by(&here).get(CALLS).await.status, 200);
        let narrow = make(&[], Some(1)).await;
        assert_eq!(app.by(&narrow).get(CALLS).await.status, 200);
        assert_eq!(app.by(&narrow).get(CALLS).await.reason(), "rate_limited");
    }

    async fn credentials_of_a_suspended_tenant_are_refused_until_it_is_resumed(app = World::new) {
        let tenant = app.tenant();
        app.account(tenant, "owner@example.com", Role::Developer).await;
        let made = app.app.identity().tokens().create(&app::Command(tenant), "owner@example.com", new_token(&[], None)).await.unwrap();
        let token = made.1.reveal().to_owned();
        assert_eq!(app.by(&token).get(CALLS).await.status, 200);
        let suspended = app.app.platform().tenants().suspend(&app::Command(tenant)).await.unwrap();
        assert!(suspended.suspended_at.is_some());
        assert_eq!(app.app.platform().tenants().suspend(&app::Command(tenant)).await.unwrap(), suspended, "once is enough");
        let refused = app.by(&token).get(CALLS).await;
        assert_eq!((refused.status.as_u16(), refused.reason().as_str()), (403, "tenant_suspended"));
        assert_eq!(app.app.platform().tenants().resume(&app::Command(tenant)).await.unwrap().suspended_at, None);
        assert_eq!(app.by(&token).get(CALLS).await.status, 200);
    }

    async fn uses_are_written_behind_and_a_renewed_token_overlaps(app = World::new) {
        let tenant = app.tenant();
        app.account(tenant, "owner@example.com", Role::Developer).await;
        let (id, old) = app.token_of(tenant, "owner@example.com", &["api"]).await;
        assert_eq!(app.by(&old).get(CALLS).await.status, 200);
        assert_eq!(app.app.identity().tokens().find(&app::Command(tenant), id).await.unwrap().last_used_at, None);
        app.app.identity().save_uses().await.unwrap();
        let used = app.app.identity().tokens().find(&app::Command(tenant), id).await.unwrap();
        assert_eq!((used.last_used_at, used.last_used_address.as_deref()), (Some(app.now().to_millis()), Some("127.0.0.1")));
        let (_, new) = app.app.identity().tokens().renew(&app::Command(tenant), id, 60, None).await.unwrap();
        assert_eq!((app.by(&old).get(CALLS).await.status.as_u16(), app.by(new.reveal()).get(CALLS).await.status.as_u16()), (200, 200));
        app.test.clock.advance(Duration::from_mins(1));
        assert_eq!(app.by(&old).get(CALLS).await.reason(), "token_expired");
        assert_eq!(app.by(new.reveal()).get(CALLS).await.status, 200);
    }
}

#[tokio::test]
async fn paths_that_do_not_exist_say_what_they_should_have_been() {
    let app = World::on(testkit::database::TestDb::sqlite().await);
    let token = app.token(app.tenant(), &["api"]).await;
    let tenant = app.tenant();
    for (method, path, status, reason) in [
        ("GET", "/api/v1/getContacts".to_owned(), 404, "tenant_segment_missing"),
        ("GET", format!("/{tenant}/api/ext/v3/calls"), 404, "tenant_segment_unexpected"),
        ("GET", "/nothing".to_owned(), 404, "route_not_found"),
        ("DELETE", CALLS.to_owned(), 405, "method_not_allowed"),
        ("GET", "/metrics".to_owned(), 404, "route_not_found"),
    ] {
        let answer = app.send(request(method, &path, Some(&token)).body(Body::empty()).unwrap()).await;
        assert_eq!((answer.status.as_u16(), answer.reason().as_str()), (status, reason), "{method} {path}");
        assert!(answer.headers.contains_key("x-request-id"));
    }
    let text =
        request("POST", CALLS, Some(&token)).header("content-type", "text/plain").body(Body::from("{}")).unwrap();
    assert_eq!(app.send(text).await.reason(), "unsupported_media_type");
    let large = request("POST", CALLS, Some(&token)).header("content-type", "application/json");
    let large = app.send(large.body(Body::from(" ".repeat((1 << 20) + 1))).unwrap()).await;
    assert_eq!((large.status.as_u16(), large.reason().as_str()), (413, "body_too_large"));
}

#[tokio::test]
async fn a_sane_request_id_comes_back_and_another_is_replaced() {
    let app = World::on(testkit::database::TestDb::sqlite().await);
    let ask = async |id: &str| {
        let request = request("GET", "/healthz", None).header("x-request-id", id).body(Body::empty()).unwrap();
        app.send(request).await.headers["x-request-id"].to_str().unwrap().to_owned()
    };
    assert_eq!(ask("order-42:retry.1").await, "order-42:retry.1");
    for odd in ["has space", "<script>", &"x".repeat(129)] {
        assert_ne!(ask(odd).await, odd);
    }
}
