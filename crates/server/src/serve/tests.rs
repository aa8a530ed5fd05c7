//! A whole server in this process, on loopback, with a real client.

use domain::TenantId;
use reqwest::{Client, StatusCode};

use super::*;
use crate::start::test_settings;

fn settings() -> Settings {
    let mut settings = test_settings(&testkit::database::fresh_folder());
    settings.server.shutdown_seconds = 2;
    settings
}

fn secret(text: &str) -> crate::settings::Secret {
    serde_json::from_value(text.into()).unwrap()
}

async fn status(request: reqwest::RequestBuilder) -> StatusCode {
    request.send().await.unwrap().status()
}

#[tokio::test]
async fn the_first_start_gives_a_token_that_works_and_a_stop_leaves_its_use_behind() {
    let settings = settings();
    let running = start(&settings).await.unwrap();
    assert_eq!(running.url, format!("http://{}", running.address));
    let token = running.first.as_ref().unwrap().token.reveal().to_owned();
    let calls = format!("{}/api/ext/v3/calls", running.url);
    assert_eq!(status(Client::new().get(&calls).bearer_auth(&token)).await, StatusCode::OK);
    assert_eq!(status(Client::new().get(&calls)).await, StatusCode::UNAUTHORIZED);
    running.stop().await;

    let again = start(&settings).await.unwrap();
    assert!(again.first.is_none());
    let tokens = again.app.tokens().list(TenantId::FIRST).await.unwrap();
    assert!(tokens[0].last_used_at.is_some());
    assert_eq!(tokens[0].last_used_address.as_deref(), Some("127.0.0.1"));
    again.stop().await;
}

#[tokio::test]
async fn a_taken_address_is_named_with_its_flag_and_uses_up_no_secret() {
    let taken = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let mut settings = settings();
    settings.listen = taken.local_addr().unwrap();
    let error = start(&settings).await.unwrap_err().to_string();
    assert!(error.starts_with("listen: ") && error.contains("--listen") && error.contains("in use"), "{error}");
    settings.listen.set_port(0);
    let running = start(&settings).await.unwrap();
    assert!(running.first.is_some());
    running.stop().await;
}

#[tokio::test]
async fn a_request_that_is_no_http_gets_a_body_of_the_catalogue() {
    let running = start(&settings()).await.unwrap();
    let giant = Client::new().get(&running.url).header("x-giant", "a".repeat(200_000)).send().await.unwrap();
    assert_eq!(giant.status(), StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE);
    let body: serde_json::Value = giant.json().await.unwrap();
    assert_eq!(body["reason"], "headers_too_large");
    running.stop().await;
}

#[tokio::test]
async fn metrics_are_guarded_on_the_main_listener() {
    let mut settings = settings();
    settings.metrics.token = Some(secret("scrape-me"));
    let running = start(&settings).await.unwrap();
    let metrics = format!("{}/metrics", running.url);
    assert_eq!(status(Client::new().get(&metrics)).await, StatusCode::UNAUTHORIZED);
    let text = Client::new().get(&metrics).bearer_auth("scrape-me").send().await.unwrap().text().await.unwrap();
    for name in ["switchboard_build_info{", "process_resident_memory_bytes ", "switchboard_open_connections{"] {
        assert!(text.contains(name), "{name} in {text}");
    }
    assert!(text.contains("database=\"sqlite\""), "{text}");
    running.stop().await;
}

#[tokio::test]
async fn metrics_on_their_own_listener_are_not_on_the_main_one() {
    let mut settings = settings();
    settings.metrics.listen = Some("127.0.0.1:0".parse().unwrap());
    settings.metrics.token = Some(secret("scrape-me"));
    let running = start(&settings).await.unwrap();
    let own = format!("http://{}", running.metrics_address.unwrap());
    assert_eq!(status(Client::new().get(format!("{own}/metrics"))).await, StatusCode::UNAUTHORIZED);
    assert_eq!(status(Client::new().get(format!("{own}/metrics")).bearer_auth("scrape-me")).await, StatusCode::OK);
    assert_eq!(status(Client::new().post(format!("{own}/metrics"))).await, StatusCode::METHOD_NOT_ALLOWED);
    assert_eq!(status(Client::new().get(format!("{own}/healthz"))).await, StatusCode::NOT_FOUND);
    let main = format!("{}/metrics", running.url);
    assert_eq!(status(Client::new().get(main).bearer_auth("scrape-me")).await, StatusCode::NOT_FOUND);
    running.stop().await;
}

#[tokio::test]
async fn without_a_setting_there_are_no_metrics() {
    let running = start(&settings()).await.unwrap();
    assert_eq!(status(Client::new().get(format!("{}/metrics", running.url))).await, StatusCode::NOT_FOUND);
    assert_eq!(status(Client::new().get(format!("{}/readyz", running.url))).await, StatusCode::OK);
    running.stop().await;
}
