//! How the client classifies answers and failures of the network, over real HTTP.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use channels::graph::{Breaker, Class, Content, Graph, GraphError, Outgoing, Recipient};
use channels::transport::{HttpTransport, Timeouts};
use domain::{BreakerSettings, Clock, Timestamp};
use http::Response;
use http_body_util::Full;

use crate::graph::contents::outgoing;
use crate::graph::server::{Reply, Server, TOKEN, credentials, graph, with_breaker};

const SENT: &str = r#"{"messaging_product":"whatsapp","contacts":[{"input":"491701234567","wa_id":"491701234567"}],
    "messages":[{"id":"wamid.1","message_status":"accepted","new":[]}],"more":{}}"#;

async fn failure(server: &Server) -> GraphError {
    server.graph().send(&outgoing(Content::text("Hello"))).await.unwrap_err()
}

#[tokio::test]
async fn a_message_is_accepted() {
    let server = Server::saying(200, SENT).await;
    let sent = server.graph().send(&outgoing(Content::text("Hello"))).await.unwrap();
    assert_eq!((sent.message_id.as_str(), sent.message_status.as_deref()), ("wamid.1", Some("accepted")));
    let contact = sent.contact.unwrap();
    assert_eq!((contact.wa_id.as_deref(), contact.user_id), (Some("491701234567"), None));
    let asked = &server.asked()[0];
    assert_eq!((asked.method.as_str(), asked.uri.path()), ("POST", "/v23.0/106540352242922/messages"));
    assert_eq!(asked.headers["authorization"], format!("Bearer {TOKEN}"));
    assert_eq!(asked.headers["content-type"], "application/json");
    assert_eq!(asked.headers["content-length"], asked.body.len().to_string());
    assert_eq!(asked.json()["text"]["body"], "Hello");
}

#[tokio::test]
async fn a_business_scoped_user_id() {
    let body = r#"{"contacts":[{"input":"US.1","user_id":"US.1"}],"messages":[{"id":"wamid.2"}]}"#;
    let server = Server::saying(200, body).await;
    let message = Outgoing { recipient: Recipient::Bsuid("US.1".to_owned()), ..outgoing(Content::text("Hi")) };
    let contact = server.graph().send(&message).await.unwrap().contact.unwrap();
    assert_eq!(
        (contact.input.as_deref(), contact.wa_id, contact.user_id.as_deref()),
        (Some("US.1"), None, Some("US.1"))
    );
    let asked = server.asked()[0].json();
    assert_eq!((&asked["recipient"], asked.get("to")), (&"US.1".into(), None));
}

#[tokio::test]
async fn many_messages_share_one_connection() {
    let server = Server::saying(200, SENT).await;
    let graph = server.graph();
    for _ in 0..20 {
        graph.send(&outgoing(Content::text("Hello"))).await.unwrap();
    }
    assert_eq!((server.asked().len(), server.connections()), (20, 1));
}

#[tokio::test]
async fn the_network_refuses() {
    let body = r#"{"error":{"message":"(#131047) Re-engagement message","type":"OAuthException","code":131047,
        "error_data":{"messaging_product":"whatsapp","details":"More than 24 hours have passed"},"fbtrace_id":"A1"}}"#;
    let server = Server::saying(400, body).await;
    let error = failure(&server).await;
    assert_eq!((error.class, error.status, error.code), (Class::Refuse, Some(400), Some(131_047)));
    assert_eq!(
        (error.trace_id.as_deref(), error.details.as_deref()),
        (Some("A1"), Some("More than 24 hours have passed"))
    );
}

#[tokio::test]
async fn a_rate_limit_has_a_retry_time() {
    let server = Server::start(|_| {
        let body = Full::new(Bytes::from(r#"{"error":{"code":130429,"message":"Rate limit hit"}}"#));
        Reply::Answer(Response::builder().status(429).header("retry-after", "17").body(body).unwrap())
    })
    .await;
    let error = failure(&server).await;
    assert_eq!((error.class, error.retry_after), (Class::RetryLater, Some(Duration::from_secs(17))));
}

#[tokio::test]
async fn answers_with_an_unknown_outcome() {
    let huge = Box::leak(format!(r#"{{"messages":[{{"id":"{}"}}]}}"#, "x".repeat(1 << 20)).into_boxed_str());
    let bodies =
        ["", "<html>", "{}", r#"{"messages":[]}"#, r#"{"messages":[{"id":""}]}"#, r#"{"messages":[{}]}"#, huge];
    for body in bodies {
        let server = Server::saying(200, body).await;
        let error = failure(&server).await;
        assert_eq!((error.class, error.status), (Class::Unknown, Some(200)), "{}", &body[..body.len().min(40)]);
    }
    for status in [500, 502, 503, 504] {
        let server = Server::saying(status, "").await;
        assert_eq!(failure(&server).await.class, Class::Unknown, "{status}");
    }
}

#[tokio::test]
async fn a_temporary_fault_may_be_retried() {
    let server = Server::saying(503, r#"{"error":{"code":131016,"message":"Service unavailable"}}"#).await;
    assert_eq!(failure(&server).await.class, Class::Retry);
}

#[tokio::test]
async fn a_connection_closed_after_the_request() {
    let server = Server::start(|_| Reply::Close).await;
    let error = failure(&server).await;
    assert_eq!((error.class, error.status), (Class::Unknown, None), "{error}");
    assert_eq!(server.asked().len(), 1, "read once, and never sent again by itself");
}

/// The server closes a connection that was used before, after it has read the request. HTTP clients tend to retry then.
#[tokio::test]
async fn a_used_connection_closed_after_the_request() {
    let server = Server::start(|asked| match asked.json()["text"]["body"].as_str() {
        Some("first") => Reply::json(200, SENT),
        _ => Reply::Close,
    })
    .await;
    let graph = server.graph();
    graph.send(&outgoing(Content::text("first"))).await.unwrap();
    let error = graph.send(&outgoing(Content::text("second"))).await.unwrap_err();
    assert_eq!((error.class, server.asked().len(), server.connections()), (Class::Unknown, 2, 1), "{error}");
}

#[tokio::test]
async fn a_refused_connection_may_be_retried() {
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let graph = graph(&format!("http://127.0.0.1:{port}/v23.0"), Timeouts::default());
    let error = graph.send(&outgoing(Content::text("Hello"))).await.unwrap_err();
    assert_eq!((error.class, error.status), (Class::Retry, None), "{error}");
}

#[tokio::test]
async fn a_request_without_an_answer() {
    let server = Server::start(|_| Reply::Silence).await;
    let timeouts = Timeouts { call: Duration::from_millis(100), ..Timeouts::default() };
    let error = graph(&server.base_url(), timeouts).send(&outgoing(Content::text("Hello"))).await.unwrap_err();
    assert_eq!((error.class, error.status), (Class::Unknown, None), "{error}");
}

#[tokio::test]
async fn a_redirect_is_not_followed() {
    let server = Server::start(|asked| {
        let location = format!("http://{}/elsewhere", asked.headers["host"].to_str().unwrap());
        let body = Full::new(Bytes::new());
        Reply::Answer(Response::builder().status(302).header("location", location).body(body).unwrap())
    })
    .await;
    assert_eq!(failure(&server).await.class, Class::Refuse);
    assert_eq!(server.asked().len(), 1);
}

#[tokio::test]
async fn the_token_is_never_shown() {
    let server = Server::start(|_| Reply::Close).await;
    let graph = server.graph();
    let error = graph.send(&outgoing(Content::text("Hello"))).await.unwrap_err();
    let refused = graph_with_token("a\nb").send(&outgoing(Content::text("Hello"))).await.unwrap_err();
    assert_eq!(refused.class, Class::Refuse);
    for shown in [format!("{graph:?}"), format!("{error:?} {error}"), format!("{refused:?} {refused}")] {
        assert!(!shown.contains(TOKEN) && !shown.contains("a\nb") && !shown.contains("a\\nb"), "{shown}");
    }
}

fn graph_with_token(token: &str) -> Graph {
    let breaker = Breaker::new(Clock::system());
    let transport = HttpTransport::new(Timeouts::default()).unwrap();
    Graph::new(Arc::new(transport), "http://127.0.0.1:9/v23.0", credentials(token), Arc::new(breaker))
}

#[tokio::test]
async fn the_breaker_opens_probes_and_closes() {
    let server = Server::start(|asked| match asked.json()["text"]["body"].as_str() {
        Some("good") => Reply::json(200, SENT),
        Some("refused") => Reply::json(400, r#"{"error":{"code":100}}"#),
        _ => Reply::json(502, ""),
    })
    .await;
    let clock = Clock::manual(Timestamp::from_seconds(1_000));
    let pause = Duration::from_secs(10);
    let breaker = Breaker::with_settings(clock.clone(), BreakerSettings::steady(2, pause));
    let graph = with_breaker(&server.base_url(), Timeouts::default(), breaker);
    for body in ["refused", "refused", "refused", "bad", "refused", "bad", "bad"] {
        let error = graph.send(&outgoing(Content::text(body))).await.unwrap_err();
        assert_eq!(error.retry_after, None, "{body} reached the network");
    }
    let error = graph.send(&outgoing(Content::text("good"))).await.unwrap_err();
    assert_eq!((error.class, error.retry_after), (Class::RetryLater, Some(pause)));
    assert_eq!(server.asked().len(), 7, "an open breaker sends no request");
    clock.advance(pause);
    graph.send(&outgoing(Content::text("good"))).await.unwrap();
}
