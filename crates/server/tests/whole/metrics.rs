//! `/metrics`: absent by default, and protected by a token.

use std::time::{Duration, Instant};

use reqwest::StatusCode;

use crate::home::Home;
use crate::http;
use crate::server::Server;

async fn get(server: &Server, token: Option<&str>) -> (StatusCode, String) {
    let request = http().get(server.url("/metrics"));
    let request = token.into_iter().fold(request, reqwest::RequestBuilder::bearer_auth);
    let answer = request.send().await.unwrap();
    (answer.status(), answer.text().await.unwrap())
}

#[tokio::test]
async fn metrics_are_off_by_default() {
    let home = Home::sqlite();
    let server = Server::start(&home);
    assert_eq!(get(&server, None).await.0, StatusCode::NOT_FOUND);
    assert_eq!(get(&server, Some(&server.token())).await.0, StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn metrics_need_their_token_and_count_requests() {
    let home = Home::sqlite();
    let server = Server::start_with(&home, &[("SWITCHBOARD_METRICS_TOKEN", "scrape-me-scrape-me")]);
    assert_eq!(get(&server, None).await.0, StatusCode::UNAUTHORIZED);
    assert_eq!(get(&server, Some(&server.token())).await.0, StatusCode::UNAUTHORIZED);
    assert_eq!(get(&server, Some("")).await.0, StatusCode::UNAUTHORIZED);
    for _ in 0..3 {
        let calls = http().get(server.url("/api/ext/v3/calls")).bearer_auth(server.token());
        assert_eq!(calls.send().await.unwrap().status(), StatusCode::OK);
    }
    let (status, text) = get(&server, Some("scrape-me-scrape-me")).await;
    assert_eq!(status, StatusCode::OK);
    let counted = "switchboard_requests_total{operation=\"list_calls\",status=\"2xx\"} 3";
    assert!(text.lines().any(|line| line == counted), "{text}");
    assert!(!text.contains(&server.token()), "a token is in the metrics");
}

/// Maximum number of statements that an idle node may execute per second.
const IDLE_STATEMENTS: f64 = 5.0;
/// Long enough to include background rounds that run every few seconds.
const OBSERVED: Duration = Duration::from_secs(20);

async fn statements(server: &Server) -> f64 {
    let (_, text) = get(server, Some("scrape-me-scrape-me")).await;
    let counted = text.lines().find_map(|line| line.strip_prefix("switchboard_database_statements_total "));
    counted.unwrap().parse().unwrap()
}

/// Counts the statements that a node sends to PostgreSQL while nothing happens. A slow machine makes the count smaller,
/// not larger.
#[tokio::test]
async fn an_idle_node_hardly_asks_its_database() {
    let home = Home::postgres().await;
    let server = Server::start_with(&home, &[("SWITCHBOARD_METRICS_TOKEN", "scrape-me-scrape-me")]);
    // In its first seconds a node finds out that there are no other nodes.
    tokio::time::sleep(Duration::from_secs(4)).await;
    let (first, began) = (statements(&server).await, Instant::now());
    tokio::time::sleep(OBSERVED).await;
    let asked = (statements(&server).await - first) / began.elapsed().as_secs_f64();
    assert!(asked < IDLE_STATEMENTS, "{asked} statements a second");
    assert!(asked > 0.5, "the statements of the workers are not counted: {asked} a second");
    server.terminate();
    home.remove().await;
}
