//! Backups made by the test, with a valid checksum and invalid contents.

use std::collections::BTreeMap;
use std::io::Write;

use serde_json::{Value, json};
use sha2::{Digest, Sha256};

pub fn header() -> Value {
    let schema = store::migrations::MIGRATIONS.last().unwrap().name;
    json!({"switchboard_backup": 1, "schema": schema, "created_at": "2026-04-24T10:00:00.000Z", "key_fingerprint": null})
}

/// A backup with these tables: name, columns and rows of each.
pub fn file(header: &Value, tables: &[(&str, Value, &[Value])]) -> Vec<u8> {
    let mut lines = vec![header.clone()];
    let mut counts = BTreeMap::new();
    for (name, columns, rows) in tables {
        counts.insert(name, rows.len());
        lines.push(json!({"table": name, "columns": columns}));
        lines.extend_from_slice(rows);
    }
    let text = lines.iter().map(|line| format!("{line}\n")).collect::<Vec<_>>().concat();
    let sha256 = Sha256::digest(&text).iter().map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().concat();
    packed(&format!("{text}{}\n", json!({"end": true, "rows": counts, "sha256": sha256})))
}

pub fn packed(text: &str) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(text.as_bytes()).unwrap();
    encoder.finish().unwrap()
}

pub fn tenant_columns() -> Value {
    json!(["tenant_id", "name", "plan", "created_at", "updated_at"])
}
