//! Requests without a credential: each route that needs none, over and over, in the form that costs the server most.

use reqwest::{Client, RequestBuilder, StatusCode};
use serde_json::json;

use super::attacks::repeat;
use super::probes::{assert_calm, beside};
use super::world::{ADMIN, Siege};
use crate::is_long;

/// What a stranger can read. The script is the largest file; it is stored compressed.
const READS: [&str; 9] = [
    "/api/docs/swagger-ui-bundle.js",
    "/api/openapi.json",
    "/docs/settings",
    "/docs/nothing",
    "/console/",
    "/readyz",
    "/metrics",
    "/c/forged",
    "/console/api/log-in-options",
];

/// Reads without compression, wrong tokens, log-ins, requests for lost passwords, and large posts to a hook with a
/// wrong signature.
pub async fn requests_without_a_credential(world: &Siege) {
    let clients = if is_long() { 32 } else { 8 };
    let attack = repeat(world, clients, |world, client| {
        let request = any_request(world, client).header("accept-encoding", "identity");
        async move {
            // A post that is refused before all of it has arrived ends its connection.
            let Ok(answer) = request.send().await else { return StatusCode::SERVICE_UNAVAILABLE };
            let status = answer.status();
            let _ = answer.bytes().await;
            status
        }
    });
    let (statuses, seen) = beside(world, "requests without a credential", attack).await;
    let is_expected = |status: &StatusCode| matches!(status.as_u16(), 200 | 401 | 403 | 404 | 408 | 409 | 429 | 503);
    assert!(statuses.iter().all(is_expected), "{statuses:?}");
    assert!(statuses.contains(&StatusCode::OK), "{statuses:?}");
    assert_calm(world, "requests without a credential", &seen);
}

/// Guesses of the password of the neighbour's administrator, all from one network. Few are compared with it, and all
/// of them together cost little.
pub async fn guesses(world: &Siege) {
    let guessers = if is_long() { 64 } else { 24 };
    let attack = repeat(world, guessers, |world, client| {
        let guess = format!("guess-{:x}", rand::random::<u64>());
        let body = json!({"email": ADMIN, "password": guess});
        let log_in = client.post(world.server.url("/console/api/session")).header("origin", world.server.url(""));
        let log_in = log_in.json(&body);
        async move { log_in.send().await.unwrap().status() }
    });
    let (statuses, seen) = beside(world, "guesses of a password", attack).await;
    let count = |status: StatusCode| statuses.iter().filter(|one| **one == status).count();
    let (compared, paused) = (count(StatusCode::UNAUTHORIZED), count(StatusCode::TOO_MANY_REQUESTS));
    assert_eq!(compared + paused, statuses.len(), "{statuses:?}");
    assert!(compared <= 10 && paused >= 3 * compared && paused >= guessers / 2, "{compared} of {}", statuses.len());
    assert_calm(world, "guesses of a password", &seen);
}

fn any_request(world: &Siege, client: &Client) -> RequestBuilder {
    let url = |path: &str| world.server.url(path);
    let from_console = |path: &str| client.post(url(path)).header("origin", url(""));
    let email = format!("{:x}@elsewhere.example", rand::random::<u64>());
    let number = rand::random_range(0..2 * READS.len());
    match number.checked_sub(READS.len()) {
        None => client.get(url(READS[number])),
        Some(0) => client.get(url("/api/ext/v3/calls")).bearer_auth("swb_nonsense"),
        Some(1) => from_console("/console/api/session").json(&json!({"email": email, "password": "a long guess"})),
        Some(2) => from_console("/console/api/password-reset").json(&json!({"email": email})),
        Some(3) => {
            let forged = format!("sha256={}", "0".repeat(64));
            client.post(url(&world.hook)).header("x-hub-signature-256", forged).body(vec![b'x'; 3 << 20])
        }
        // The script, in a third of the requests.
        Some(_) => client.get(url(READS[0])),
    }
}
