//! Bounds for each tenant, and headers and hosts of every answer.

use std::net::SocketAddr;
use std::time::Duration;

use api::{Bounds, EdgeSettings};
use app::Config;
use axum::body::{Body, Bytes};
use domain::Id;
use domain::base::quotas::Quotas;
use domain::inbox::canned_replies::{CannedReply, MAX_CANNED_REPLIES};
use domain::people::labels::{Label, LabelColor, MAX_LABELS};
use futures_util::stream;
use serde_json::{Value, json};
use testkit::World;
use testkit::database::TestDb;
use testkit::world::{config, edge_settings, request};

const PUBLIC_URL: &str = "https://switchboard.example";
const PEER: SocketAddr = SocketAddr::new(std::net::IpAddr::V4(std::net::Ipv4Addr::LOCALHOST), 4711);

fn with_quotas(test: TestDb, quotas: Quotas) -> World {
    let config = Config { quotas, ..config() };
    World::with_config(test, config)
}

/// Removes the time, which differs from run to run, from an error body.
fn refused(mut answer: Value) -> Value {
    answer.as_object_mut().unwrap().remove("timestamp");
    answer
}

testkit::both_databases! {
    async fn a_tenant_has_at_most_its_share_of_each_kind(test) {
        let quotas = Quotas { segments: 2, conditions: 3, webhooks: 1, teams: 1, ..Quotas::default() };
        let app = with_quotas(test, quotas);
        let token = app.token(app.tenant(), &["api"]).await;
        let segments = format!("/{}/api/v1/createCustomSegment", app.tenant());
        let segment = |name: &str, conditions: usize| {
            let condition = json!({"attribute": "city", "operator": "==", "value": "Bern"});
            json!({"name": name, "refreshType": 2, "groups": [{"conditions": vec![condition; conditions]}]})
        };
        assert_eq!(app.by(&token).post(&segments, &segment("a", 2)).await.status, 200);
        let answer = app.by(&token).post(&segments, &segment("b", 2)).await;
        assert_eq!(answer.status, 429, "{}", answer.text);
        assert!(!answer.headers.contains_key("retry-after"));
        assert_eq!(refused(answer.json()), json!({
            "code": 42903, "reason": "limit_reached", "limit": "conditions", "used": 2, "max": 3,
            "message": "conditions: the tenant has reached its limit (at most 3)",
        }));
        assert_eq!(app.by(&token).post(&segments, &segment("b", 1)).await.status, 200);
        let answer = app.by(&token).post(&segments, &segment("c", 1)).await;
        assert_eq!((answer.status.as_u16(), &answer.json()["limit"]), (429, &json!("segments")), "{}", answer.text);
        for (number, status) in [(1, 200), (2, 429)] {
            let body = json!({"url": format!("https://shop.example/{number}"), "eventTypes": ["message"]});
            let answer = app.by(&token).post("/api/ext/v3/webhooks", &body).await;
            assert_eq!(answer.status, status, "{}", answer.text);
        }
        let contact = json!({"whatsapp_number": "14155552671", "name": "Ada"});
        assert_eq!(app.by(&token).post("/api/ext/v3/contacts", &contact).await.status, 200);
        for (team, status) in [("Sales", 200), ("Support", 429), ("sales", 200)] {
            let body = json!({"target": "14155552671", "teams": [team]}).to_string();
            let put = request("PUT", "/api/ext/v3/contacts/teams", Some(&token)).header("content-type", "application/json");
            let answer = app.send(put.body(Body::from(body)).unwrap()).await;
            assert_eq!(answer.status, status, "{}", answer.text);
        }
        // Another tenant has its own share.
        let other = app.test.new_tenant("unlimited").await;
        let token = app.token(other, &["api"]).await;
        app.by(&token).post(&format!("/{other}/api/v1/createCustomSegment"), &segment("a", 3)).await.ok();
    }

    async fn one_label_or_canned_reply_too_many_is_a_reached_limit(app = World::with_api_token) {
        let fill = app.test.db.write((app.tenant(), app.now().to_millis()), |tx, (tenant, now)| {
            Box::pin(async move {
                for number in 0..MAX_LABELS {
                    let name = format!("label {number}");
                    let label = Label { id: Id::new(*now), name, color: LabelColor::Gray, created_at: *now };
                    store::people::labels::insert(tx, *tenant, &label.name, &label).await?;
                }
                for number in 0..MAX_CANNED_REPLIES {
                    let (id, shortcut) = (Id::new(*now), format!("reply-{number}"));
                    let text = "Hello".to_owned();
                    let reply = CannedReply { id, shortcut, text, files: Vec::new(), created_at: *now, updated_at: *now };
                    store::inbox::canned_replies::insert(tx, *tenant, &reply.shortcut, &reply).await?;
                }
                Ok::<_, store::Error>(())
            })
        });
        fill.await.unwrap();
        for (path, body, limit, max) in [
            ("/api/ext/v3/labels", json!({"name": "vip"}), "labels", MAX_LABELS),
            ("/api/ext/v3/cannedReplies", json!({"shortcut": "hi", "text": "Hi"}), "canned_replies", MAX_CANNED_REPLIES),
        ] {
            let answer = app.post(path, &body).await;
            assert_eq!((answer.status.as_u16(), answer.reason().as_str()), (429, "limit_reached"), "{}", answer.text);
            let expected = (&json!(limit), &json!(max), &json!(max));
            let body = answer.json();
            assert_eq!((&body["limit"], &body["used"], &body["max"]), expected, "{}", answer.text);
        }
    }

    async fn a_tenant_streams_a_number_of_answers_at_a_time(test) {
        let bounds = Bounds { streams_per_tenant: 1, ..Bounds::default() };
        let app = World::with_edge(test, EdgeSettings { bounds, ..edge_settings(PUBLIC_URL) });
        let token = app.token(app.tenant(), &["api"]).await;
        let ask = || request("GET", "/api/ext/v3/events/stream", Some(&token)).body(Body::empty()).unwrap();
        let open = app.edge().handle(ask(), PEER).await;
        assert_eq!(open.status(), 200);
        let answer = app.send(ask()).await;
        assert_eq!(answer.status, 429, "{}", answer.text);
        assert_eq!((&answer.json()["limit"], &answer.json()["max"]), (&json!("streams"), &json!(1)));
        drop(open);
        assert_eq!(app.edge().handle(ask(), PEER).await.status(), 200);
    }

    async fn an_answer_beyond_the_memory_of_the_tenant_is_refused(test) {
        let bounds = Bounds { bodies_per_tenant: 100 << 10, ..Bounds::default() };
        let app = World::with_edge(test, EdgeSettings { bounds, ..edge_settings(PUBLIC_URL) });
        let token = app.token(app.tenant(), &["api"]).await;
        let export = || request("GET", "/api/ext/v3/contacts/export", Some(&token)).body(Body::empty()).unwrap();
        let answer = app.send(export()).await;
        assert_eq!((answer.status.as_u16(), answer.reason().as_str()), (503, "overloaded"), "{}", answer.text);
        assert_eq!(answer.headers["retry-after"], "1");
        let long = json!({"call_id": "x".repeat(200 << 10)});
        let answer = app.by(&token).post("/api/ext/v3/calls", &long).await;
        assert_eq!((answer.status.as_u16(), answer.reason().as_str()), (503, "overloaded"), "{}", answer.text);
        assert_eq!(app.by(&token).get("/api/ext/v3/calls").await.status, 200);
    }

    async fn a_post_to_a_hook_whose_body_does_not_arrive_is_ended_and_others_are_taken(test) {
        let bounds = Bounds { hooks_per_channel: 64 << 10, hook_body: Duration::from_millis(50), ..Bounds::default() };
        let app = World::with_edge(test, EdgeSettings { bounds, ..edge_settings(PUBLIC_URL) });
        let (channel, secrets) = app.add_channel(app.tenant(), "Support", "14155550100").await;
        let post = |signature: &str, body: Body| {
            let path = format!("/hooks/whatsapp/{}", channel.id);
            request("POST", &path, None).header("x-hub-signature-256", signature).body(body).unwrap()
        };
        let forged = format!("sha256={}", "0".repeat(64));
        let slow = Body::from_stream(stream::pending::<Result<Bytes, std::io::Error>>());
        let answer = app.send(post(&forged, slow)).await;
        assert_eq!((answer.status.as_u16(), answer.reason().as_str()), (408, "request_timeout"), "{}", answer.text);
        let answer = app.send(post(&forged, Body::from(vec![b'x'; 65 << 10]))).await;
        assert_eq!((answer.status.as_u16(), answer.reason().as_str()), (503, "overloaded"), "{}", answer.text);
        let body = b"{\"object\":\"whatsapp_business_account\",\"entry\":[]}";
        let signed = channels::signature::sign(secrets.app_secret.as_bytes(), body);
        assert_eq!(app.send(post(&signed, Body::from(body.to_vec()))).await.status, 200);
    }
}

#[tokio::test]
async fn every_answer_has_the_headers_that_keep_browsers_safe() {
    let app = World::with_edge(TestDb::sqlite().await, edge_settings(PUBLIC_URL));
    let token = app.token(app.tenant(), &["api"]).await;
    for (path, status) in [
        ("/healthz", 200),
        ("/api/ext/v3/calls", 200),
        ("/api/ext/v3/nothing", 404),
        ("/api/openapi.json", 200),
        ("/console/api/session", 401),
        ("/c/forged", 404),
    ] {
        let answer = app.by(&token).get(path).await;
        assert_eq!(answer.status, status, "{path}: {}", answer.text);
        assert_eq!(answer.headers["x-content-type-options"], "nosniff", "{path}");
        assert_eq!(answer.headers["x-frame-options"], "DENY", "{path}");
        assert_eq!(answer.headers["referrer-policy"], "no-referrer", "{path}");
        assert_eq!(answer.headers["strict-transport-security"], "max-age=31536000", "{path}");
        assert!(answer.headers.contains_key("content-security-policy"), "{path}");
    }
    let plain = World::with_edge(TestDb::sqlite().await, edge_settings("http://127.0.0.1:8080"));
    assert!(!plain.get("/healthz").await.headers.contains_key("strict-transport-security"));
}

#[tokio::test]
async fn the_console_answers_under_its_own_hosts_only() {
    let console_hosts = vec!["wa.example.com".to_owned(), "localhost".to_owned()];
    let app = World::with_edge(TestDb::sqlite().await, EdgeSettings { console_hosts, ..edge_settings(PUBLIC_URL) });
    let ask = async |path: &str, host: &str| {
        let asked = request("GET", path, None).header("host", host).body(Body::empty()).unwrap();
        app.send(asked).await.status.as_u16()
    };
    for host in ["wa.example.com", "WA.example.com:8443", "localhost:8080"] {
        assert_eq!(ask("/console/api/session", host).await, 401, "{host}");
    }
    for host in ["rebound.example", "127.0.0.1:8080"] {
        assert_eq!(ask("/console/api/session", host).await, 421, "{host}");
        assert_eq!(ask("/healthz", host).await, 200, "{host}");
    }
}
