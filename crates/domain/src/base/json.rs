//! Values as JSON text.

use serde::Serialize;

/// The JSON text of a value. Writing our types cannot fail: the keys of their maps are texts, and none of them refuses
/// to be serialized. For a type that did fail, the result is a NUL character instead of a text that looks like a value:
/// JSON never contains one, and the store refuses the text.
pub fn to_json<T: Serialize + ?Sized>(value: &T) -> String {
    serde_json::to_string(value).unwrap_or_else(|_| "\0".to_owned())
}

/// Appends a value as a line of JSON.
pub fn push_json_line<T: Serialize + ?Sized>(out: &mut Vec<u8>, value: &T) {
    out.extend_from_slice(to_json(value).as_bytes());
    out.push(b'\n');
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[test]
    fn a_value_that_cannot_be_written_is_no_empty_text() {
        assert_eq!(to_json("a\0b"), r#""a\u0000b""#);
        assert_eq!(to_json(&BTreeMap::from([(vec![1], 2)])), "\0");
    }
}
