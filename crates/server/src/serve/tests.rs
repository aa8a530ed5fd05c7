//! A whole server in this process, on loopback, with a real client.

use std::os::unix::fs::PermissionsExt as _;

use domain::TenantId;
use domain::messaging::channels::SANDBOX;
use reqwest::{Client, StatusCode};

use super::*;
use crate::bootstrap::test_settings;
use crate::commands::sandbox::client::ControlClient;

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
    let tokens = again.app.identity().tokens().list(&app::Command(TenantId::FIRST)).await.unwrap();
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

#[tokio::test]
async fn the_sandbox_has_its_own_listeners_and_they_close_with_the_server() {
    let settings = settings();
    let running = start(&settings).await.unwrap();
    let address = running.sandbox_address.unwrap();
    assert!(address.ip().is_loopback());
    let url = format!("http://{address}/v23.0");
    assert_eq!(running.app.messaging().networks().base_url(SANDBOX), Some(url.clone()));
    assert_eq!(
        running.app.messaging().channels().list(&app::Command(TenantId::FIRST)).await.unwrap()[0].network,
        SANDBOX
    );
    assert!(status(Client::new().get(format!("{url}/1"))).await.is_client_error());

    let socket = settings.data.join(SOCKET_FILE);
    assert_eq!(socket.metadata().unwrap().permissions().mode() & 0o777, 0o600);
    let control = ControlClient::new(&settings, TenantId::FIRST);
    assert_eq!(control.get("graph").await.unwrap()["url"], url.as_str());
    assert!(control.get("elsewhere").await.is_err());

    running.stop().await;
    assert!(!socket.exists());
    let error = control.get("graph").await.unwrap_err().to_string();
    assert!(error.contains("no server responds") && error.contains("switchboard serve"), "{error}");
    assert!(Client::new().get(url).send().await.unwrap_err().is_connect());
}

#[tokio::test]
async fn a_disabled_sandbox_leaves_nothing() {
    let mut settings = settings();
    settings.sandbox.enabled = false;
    let running = start(&settings).await.unwrap();
    assert!(running.sandbox_address.is_none() && !settings.data.join(SOCKET_FILE).exists());
    assert!(running.app.messaging().channels().list(&app::Command(TenantId::FIRST)).await.unwrap().is_empty());
    running.stop().await;
}

#[tokio::test]
async fn a_taken_address_of_the_sandbox_is_named_by_its_setting() {
    let taken = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let mut settings = settings();
    settings.sandbox.listen = taken.local_addr().unwrap();
    let error = start(&settings).await.unwrap_err().to_string();
    assert!(error.starts_with("sandbox.listen: ") && error.contains("SWITCHBOARD_SANDBOX_LISTEN"), "{error}");
}

/// The first key becomes the previous one and is then removed.
#[tokio::test]
async fn a_start_with_a_new_key_seals_the_secrets_of_channels_anew() {
    let mut settings = settings();
    let running = start(&settings).await.unwrap();
    let channel = running.app.messaging().channels().list(&app::Command(TenantId::FIRST)).await.unwrap()[0].id;
    let before = running.app.messaging().channels().open(TenantId::FIRST, channel).await.unwrap();
    running.stop().await;

    let old = std::fs::read_to_string(settings.data.join("secret.key")).unwrap();
    settings.secret_key = Some(secret(&domain::base::keys::SecretKey::random().to_file_text()));
    settings.secret_key_previous = Some(secret(old.trim()));
    start(&settings).await.unwrap().stop().await;
    settings.secret_key_previous = None;
    let running = start(&settings).await.unwrap();
    let after = running.app.messaging().channels().open(TenantId::FIRST, channel).await.unwrap();
    assert!(before.secrets == after.secrets);
    running.stop().await;
}

#[test]
fn the_console_has_the_hosts_of_its_public_url_and_on_loopback_those_of_the_machine() {
    let mut settings = settings();
    let loopback: SocketAddr = "127.0.0.1:8080".parse().unwrap();
    assert_eq!(console_hosts(&settings, loopback), ["127.0.0.1", "localhost", "127.0.0.1", "[::1]"]);
    settings.public_url = Some("https://wa.example.com".to_owned());
    settings.server.hosts = vec!["wa.example.org".to_owned()];
    let reachable: SocketAddr = "192.0.2.1:443".parse().unwrap();
    assert_eq!(console_hosts(&settings, reachable), ["wa.example.com", "wa.example.org"]);
}

#[tokio::test]
async fn health_has_a_listener_of_its_own() {
    let mut settings = settings();
    settings.health.listen = Some("127.0.0.1:0".parse().unwrap());
    let running = start(&settings).await.unwrap();
    let own = format!("http://{}", running.health_address.unwrap());
    for (path, expected) in [("/healthz", 200), ("/readyz", 200), ("/api/ext/v3/calls", 404)] {
        assert_eq!(status(Client::new().get(format!("{own}{path}"))).await, expected, "{path}");
    }
    assert_eq!(status(Client::new().post(format!("{own}/healthz"))).await, 405);
    running.stop().await;
}
