//! Snapshots of answers: values that differ from run to run are replaced by their names.

use serde_json::Value;

/// Compares an answer with the reviewed snapshot.
macro_rules! golden {
    ($name:literal, $value:expr) => {{
        let value = crate::orders::normalize::normalized($value);
        insta::allow_duplicates! { insta::assert_json_snapshot!($name, value); }
    }};
}
pub(crate) use golden;

pub fn normalized(value: Value) -> Value {
    crate::normalize::normalized(value, replace)
}

fn replace(name: &str, value: &mut Value) -> bool {
    let Value::String(text) = value else { return false };
    *text = text_of(name, text);
    true
}

fn text_of(name: &str, text: &str) -> String {
    let is_id = text.len() == 24 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    let is_time = text.len() == 24 && text.ends_with('Z') && text.contains('T');
    let shown = match name {
        "timestamp" => "[seconds]",
        "next_cursor" => "[cursor]",
        "id" if !is_id => "[transaction]",
        "" if text.starts_with("order_") => "[transaction]",
        _ if text.starts_with("owner-") => "[operator]",
        _ if is_id => "[id]",
        _ if is_time => "[time]",
        _ if text.contains("-8b0d-8b0d-") => "[uuid]",
        _ => return text.to_owned(),
    };
    shown.to_owned()
}
