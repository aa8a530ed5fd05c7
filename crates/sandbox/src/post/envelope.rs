//! The body of a webhook as the network writes it.

use domain::Timestamp;
use serde_json::{Value, json};

use crate::Change;

/// How changes are filed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Filing {
    /// All in one entry.
    Together,
    /// An entry for each.
    Apart,
}

pub fn body(account_id: &str, changes: &[Change], filing: Filing, now: Timestamp) -> Vec<u8> {
    let entry = |changes: &[Change]| json!({ "id": account_id, "time": now.seconds(), "changes": changes });
    let entries: Vec<Value> = match filing {
        Filing::Together => vec![entry(changes)],
        Filing::Apart => changes.chunks(1).map(entry).collect(),
    };
    json!({ "object": "whatsapp_business_account", "entry": entries }).to_string().into_bytes()
}
