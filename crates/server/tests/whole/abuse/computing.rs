//! Attacks with work: computations over all contacts, and a large import.

use std::fmt::Write as _;
use std::io::Write as _;
use std::ops::Range;
use std::time::{Duration, Instant};

use reqwest::StatusCode;
use serde_json::{Value, json};

use super::probes::{assert_calm, beside, duration};
use super::world::Siege;
use crate::{http, is_long};

/// Two clients that compute a static segment with as many conditions as it may have, over all contacts. Its name is
/// taken, so each is refused after the computation.
pub async fn static_segments(world: &Siege) {
    import(world, 0..if is_long() { 60_000 } else { 4_000 }).await;
    let client = http();
    let mut conditions: Vec<Value> =
        (0..19).map(|n| json!({"attribute": "city", "operator": "notContain", "value": format!("{n}")})).collect();
    conditions.push(json!({"attribute": "city", "operator": "notExist"}));
    let groups = vec![json!({"conditions": conditions}); 10];
    let body = json!({"name": "segment 0", "refresh_type": "static", "groups": groups});
    let until = Instant::now() + duration();
    let one = async || {
        let mut statuses = Vec::new();
        while Instant::now() < until {
            let request = client.post(world.server.url("/api/ext/v3/segments")).json(&body);
            statuses.push(world.attack(request).await.0);
        }
        statuses
    };
    let both = async { tokio::join!(one(), one()) };
    let ((mut statuses, others), seen) = beside(world, "static segments with 200 conditions", both).await;
    statuses.extend(others);
    let expected = [StatusCode::CONFLICT, StatusCode::REQUEST_TIMEOUT, StatusCode::SERVICE_UNAVAILABLE];
    assert!(!statuses.is_empty() && statuses.iter().all(|status| expected.contains(status)), "{statuses:?}");
    assert_calm(world, "static segments", &seen);
}

/// The least speed of the import beside the neighbour, as a part of its speed alone. Only the long form is long enough
/// to compare.
const IMPORT_SPEED: f64 = 0.7;

/// An import beside which the neighbour writes. The long form imports as many rows without the neighbour, half of them
/// before and half of them after: rows take longer the more contacts there are.
pub async fn large_import(world: &Siege) {
    let rows = if is_long() { 300_000 } else { 6_000 };
    let alone = async |numbers| if is_long() { import(world, numbers).await } else { Duration::ZERO };
    let before = alone(2_000_000..2_000_000 + rows / 2).await;
    let (took, seen) = beside(world, "an import", import(world, 1_000_000..1_000_000 + rows)).await;
    let after = alone(2_000_000 + rows / 2..2_000_000 + rows).await;
    let speed = (before + after).as_secs_f64() / took.as_secs_f64();
    let line = format!(
        "an import of {rows} rows took {took:?} beside the neighbour, and alone {before:?} for half as many before and \
         {after:?} after: {speed:.2}"
    );
    if is_long() {
        let _ = writeln!(std::io::stderr(), "{line}");
    }
    assert_calm(world, "an import", &seen);
    assert!(!is_long() || speed >= IMPORT_SPEED, "{line}");
}

/// Imports these people into the attacker's tenant; returns how long it took until all rows were applied.
async fn import(world: &Siege, numbers: Range<usize>) -> Duration {
    let (client, rows) = (http(), numbers.len());
    let mut file = String::from("phone,name,city,tier\n");
    for n in numbers {
        let (exchange, line) = (200 + n / 10_000 % 800, n % 10_000);
        writeln!(file, "1415{exchange:03}{line:04},Person {n},City {},{}", n % 50, n % 4).unwrap();
    }
    let url = world.server.url("/api/ext/v3/contacts/import");
    let began = Instant::now();
    let (status, answer) = world.attack(client.post(url).header("content-type", "text/csv").body(file)).await;
    assert_eq!(status, StatusCode::OK, "{answer}");
    let url = world.server.url(&format!("/api/ext/v3/contacts/imports/{}", answer["id"].as_str().unwrap()));
    loop {
        let import = world.attack(client.get(&url)).await.1;
        if matches!(import["status"].as_str(), Some("queued" | "running")) {
            tokio::time::sleep(Duration::from_millis(50)).await;
            continue;
        }
        assert_eq!((&import["status"], &import["rows_done"]), (&json!("done"), &json!(rows)), "{import}");
        return began.elapsed();
    }
}
