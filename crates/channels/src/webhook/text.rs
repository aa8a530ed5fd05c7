//! Prepares the raw text of a body: replaces characters that PostgreSQL or a JSON parser refuses, and bounds nesting.

use std::borrow::Cow;

/// Maximum nesting. Real messages stay far below; JSON parsers stop at 128.
const MAX_DEPTH: usize = 64;

const REPLACEMENT: &str = "\\ufffd";

/// Replaces escaped NUL characters, which PostgreSQL refuses, and lone surrogates, which JSON parsers refuse, by
/// U+FFFD. Works on the escapes in the JSON text, without parsing it.
pub fn clean(text: &str) -> Cow<'_, str> {
    let bytes = text.as_bytes();
    let mut out = String::new();
    let (mut kept, mut at) = (0, 0);
    while let Some(found) = bytes.get(at..).and_then(|rest| rest.iter().position(|byte| *byte == b'\\')) {
        at += found;
        match escape(bytes, at) {
            Escape::Fine(length) => at += length,
            Escape::Bad => {
                out.push_str(text.get(kept..at).unwrap_or_default());
                out.push_str(REPLACEMENT);
                at += REPLACEMENT.len();
                kept = at;
            }
        }
    }
    if kept == 0 {
        return Cow::Borrowed(text);
    }
    out.push_str(text.get(kept..).unwrap_or_default());
    Cow::Owned(out)
}

enum Escape {
    /// Number of bytes to keep.
    Fine(usize),
    /// Six bytes, `\uXXXX`, to replace.
    Bad,
}

/// What to do with the escape at `at`, which is a backslash.
fn escape(bytes: &[u8], at: usize) -> Escape {
    match unit(bytes, at) {
        // Another escape, or a broken one, which the JSON parser refuses.
        None => Escape::Fine(2),
        Some(0 | 0xDC00..=0xDFFF) => Escape::Bad,
        Some(0xD800..=0xDBFF) => match unit(bytes, at + 6) {
            Some(0xDC00..=0xDFFF) => Escape::Fine(12),
            _ => Escape::Bad,
        },
        Some(_) => Escape::Fine(6),
    }
}

/// The UTF-16 unit of the escape `\uXXXX` at `at`.
fn unit(bytes: &[u8], at: usize) -> Option<u16> {
    let digits = bytes.get(at..at + 6)?.strip_prefix(b"\\u")?;
    let digits = std::str::from_utf8(digits).ok()?;
    if !digits.bytes().all(|digit| digit.is_ascii_hexdigit()) {
        return None;
    }
    u16::from_str_radix(digits, 16).ok()
}

/// Whether JSON text nests deeper than `MAX_DEPTH`. Counts brackets outside of strings.
pub fn too_deep(json: &str) -> bool {
    let (mut depth, mut quoted, mut escaped) = (0_usize, false, false);
    for byte in json.bytes() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if quoted => escaped = true,
            b'"' => quoted = !quoted,
            b'{' | b'[' if !quoted => depth += 1,
            b'}' | b']' if !quoted => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth > MAX_DEPTH {
            return true;
        }
    }
    false
}

/// The first `characters` characters of a text.
pub fn cut(text: &str, characters: usize) -> &str {
    text.char_indices().nth(characters).map_or(text, |(end, _)| text.get(..end).unwrap_or(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nul_and_lone_surrogates_are_replaced_and_nothing_else() {
        let cases = [
            (r#"{"a":"plain"}"#, r#"{"a":"plain"}"#),
            (r#""x\u0000y""#, r#""x\ufffdy""#),
            (r#""\\u0000""#, r#""\\u0000""#),
            (r#""\\\u0000""#, r#""\\\ufffd""#),
            (r#""\ud83d\udc4d""#, r#""\ud83d\udc4d""#),
            (r#""\uD83D\uDC4D""#, r#""\uD83D\uDC4D""#),
            (r#""\ud83d""#, r#""\ufffd""#),
            (r#""\udc4d\ud83d""#, r#""\ufffd\ufffd""#),
            (r#""\ud83d\u0041""#, r#""\ufffd\u0041""#),
            (r#""\ud83d\ud83d\udc4d""#, r#""\ufffd\ud83d\udc4d""#),
            (r#""\u00e9\n""#, r#""\u00e9\n""#),
            (r#""\u00"#, r#""\u00"#),
            (r#""\u+000""#, r#""\u+000""#),
            ("\"é\\", "\"é\\"),
            ("\"\\é\\u0000\"", "\"\\é\\ufffd\""),
        ];
        for (dirty, cleaned) in cases {
            assert_eq!(clean(dirty), cleaned, "{dirty}");
            assert_eq!(clean(cleaned), cleaned, "{dirty}");
        }
    }

    #[test]
    fn only_brackets_outside_of_strings_count_as_depth() {
        assert!(!too_deep(&"[".repeat(64)));
        assert!(too_deep(&"[".repeat(65)));
        assert!(!too_deep(&format!("\"{}\"", "[".repeat(65))));
        assert!(!too_deep(&format!("\"\\\"{}\"", "{".repeat(65))));
        assert!(!too_deep(&"[]".repeat(1000)));
    }

    #[test]
    fn a_cut_falls_between_characters() {
        assert_eq!(cut("añb", 2), "añ");
        assert_eq!(cut("añb", 9), "añb");
    }
}
