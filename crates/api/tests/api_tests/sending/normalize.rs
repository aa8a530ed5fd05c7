//! Snapshots of answers: values that differ from run to run are replaced by their names.

use serde_json::Value;

/// Compares an answer with the reviewed snapshot.
macro_rules! golden {
    ($name:literal, $value:expr) => {{
        let value = crate::sending::normalize::normalized($value);
        insta::allow_duplicates! { insta::assert_json_snapshot!($name, value); }
    }};
}
pub(crate) use golden;

pub fn normalized(value: Value) -> Value {
    crate::normalize::normalized(value, replace)
}

fn replace(name: &str, value: &mut Value) -> bool {
    match value {
        Value::String(text) if !name.is_empty() => *text = text_of(name, text),
        Value::String(text) if is_id(text) => "[id]".clone_into(text),
        _ => return false,
    }
    true
}

fn text_of(name: &str, text: &str) -> String {
    let shown = match name {
        "bsuid" | "parentBsuid" => "[bsuid]",
        "timestamp" => "[seconds]",
        "operator_name" | "operatorName" | "operatorEmail" if text.starts_with("owner-") => "[operator]",
        "created" | "lastUpdated" | "estimated_at" | "estimatedAt" | "scheduled_at" => "[time]",
        _ if is_id(text) => "[id]",
        _ if text.starts_with("wamid.") => "[network id]",
        _ if text.contains("-8b0d-8b0d-") => "[uuid]",
        _ => return file_of(text).unwrap_or_else(|| text.to_owned()),
    };
    shown.to_owned()
}

/// Replaces the id in a generated file name, or in the address of a file, which has the tenant in it.
fn file_of(text: &str) -> Option<String> {
    if let Some((_, name)) = text.split_once("/api/file/showFile?fileName=") {
        return Some(format!("[file address]{}", file_of(name).unwrap_or_else(|| name.to_owned())));
    }
    let (stem, extension) = text.split_once('.')?;
    is_id(stem).then(|| format!("[id].{extension}"))
}

fn is_id(text: &str) -> bool {
    text.len() == 24 && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}
