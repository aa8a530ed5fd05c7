//! The page that a browser is sent to after a log-in.

/// The start of the console.
pub const DEFAULT_PAGE: &str = "/console/";

const MAX_BYTES: usize = 2000;

/// Whether a text is a path of this server. A browser takes `//host`, `/\\host` and `/<tab>/host` for another server,
/// and drops control characters before it looks.
pub fn is_local_path(text: &str) -> bool {
    let mut characters = text.chars();
    characters.next() == Some('/')
        && characters.next() != Some('/')
        && text.len() <= MAX_BYTES
        && text.chars().all(|c| c != '\\' && !c.is_control() && !c.is_whitespace())
        && text.is_ascii()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_path_of_this_server_is_followed() {
        for path in ["/", "/console", "/console/", "/console/calls?direction=inbound&next=https://x/#top", "/a//b"] {
            assert!(is_local_path(path), "{path}");
        }
        let long = format!("/{}", "a".repeat(MAX_BYTES));
        for text in [
            "",
            "console",
            "//evil.example",
            "///evil.example",
            "/\\evil.example",
            "\\/evil.example",
            "/\t/evil.example",
            "/\n/evil.example",
            "/console\r\nLocation: https://evil.example",
            "https://evil.example",
            "javascript:alert(1)",
            " /console",
            "/con sole",
            "/\u{2028}",
            "/ä",
            &long,
        ] {
            assert!(!is_local_path(text), "{text:?}");
        }
    }
}
