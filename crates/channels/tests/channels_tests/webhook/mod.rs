//! The parser of webhooks: samples of each type, malformed bodies, envelopes, and a comparison with the Python library
//! pywa.

mod account;
mod bodies;
mod calls;
mod envelopes;
mod faults;
mod messages;
mod pywa;
mod pywa_reading;
mod statuses;
mod users;

use std::path::PathBuf;

use channels::webhook::{Notification, Record, parse};
use domain::Timestamp;
use serde_json::Value;

fn samples_folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/samples")
}

/// Every sample by name, in order.
fn samples() -> Vec<(String, Vec<u8>)> {
    let mut samples: Vec<(String, Vec<u8>)> = std::fs::read_dir(samples_folder())
        .unwrap()
        .map(|file| file.unwrap().path())
        .map(|path| (path.file_stem().unwrap().to_str().unwrap().to_owned(), std::fs::read(&path).unwrap()))
        .collect();
    samples.sort();
    samples
}

fn sample(name: &str) -> Vec<u8> {
    std::fs::read(samples_folder().join(format!("{name}.json"))).unwrap()
}

/// The only record of a sample.
fn record(name: &str) -> Record {
    only(&sample(name))
}

fn only(body: &[u8]) -> Record {
    let [record] = <[Record; 1]>::try_from(parse(body).unwrap()).unwrap();
    record
}

fn only_of(body: &Value) -> Record {
    only(body.to_string().as_bytes())
}

fn reason(record: &Record) -> &str {
    match &record.notification {
        Notification::Poison { reason } => reason,
        other => panic!("expected poison, read {other:?}"),
    }
}

fn seconds(at: i64) -> Timestamp {
    Timestamp::from_seconds(at)
}
