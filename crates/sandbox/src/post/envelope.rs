//! Builds the body of a webhook.

use serde_json::{Value, json};

use crate::Change;
use crate::core::change::Scheduled;

/// How the changes of a webhook are distributed over the entries of its body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EntryLayout {
    /// One entry with all changes.
    OneForAll,
    /// One entry for each change.
    OnePerChange,
}

/// The body of a webhook. The same changes give the same bytes at any time: an entry's `time` is that of its latest
/// change.
pub fn body(account_id: &str, changes: &[Scheduled], layout: EntryLayout) -> Vec<u8> {
    let entry = |some: &[Scheduled]| {
        let time = some.iter().map(|one| one.time).max();
        let changes: Vec<&Change> = some.iter().map(|one| &one.change).collect();
        json!({ "id": account_id, "time": time, "changes": changes })
    };
    let entries: Vec<Value> = match layout {
        EntryLayout::OneForAll => vec![entry(changes)],
        EntryLayout::OnePerChange => changes.chunks(1).map(entry).collect(),
    };
    json!({ "object": "whatsapp_business_account", "entry": entries }).to_string().into_bytes()
}
