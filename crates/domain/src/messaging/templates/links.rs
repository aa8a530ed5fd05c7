//! URLs in templates: of buttons, with at most one variable at the end, and of files.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use url::Url;

use super::problem::{CheckResult, MemberProblem, at_most};
use super::text;
use crate::Place;

pub(super) const MAX_URL: usize = 2000;

/// Encodes all characters of a value but the unreserved ones of RFC 3986.
const VALUE: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.').remove(b'~');
/// Like `VALUE`, without `/`: at the end of a path a value may have several segments.
const PATH: &AsciiSet = &VALUE.remove(b'/');

/// Checks the URL of a button: http(s), a fixed host, the variable at the end. Returns the variable.
pub(super) fn check_button(path: &Place, url: &str) -> CheckResult<Option<String>> {
    at_most(path, url, MAX_URL)?;
    let variables = text::variables(url).map_err(|message| MemberProblem::new(path, message))?;
    let (fixed, rest) = url.split_once("{{").map_or((url, ""), |(fixed, rest)| (fixed, rest));
    check_link(path, fixed)?;
    let Some(variable) = variables.first() else { return Ok(None) };
    if variables.len() > 1 {
        return Err(MemberProblem::new(path, "may have at most one variable"));
    }
    if !rest.ends_with("}}") {
        return Err(MemberProblem::new(path, "the variable must be at the end"));
    }
    // Directly after the host, a value could change the host.
    let behind_scheme = fixed.split_once("://").map_or("", |(_, behind)| behind);
    if !behind_scheme.contains(['/', '?', '#']) {
        return Err(MemberProblem::new(path, "the host must be fixed: put the variable after a /"));
    }
    Ok(Some((*variable).to_owned()))
}

/// Checks a URL that a browser or the network opens.
pub fn check_link(path: &Place, url: &str) -> CheckResult {
    at_most(path, url, MAX_URL)?;
    let problem = |message: &str| MemberProblem::new(path, message);
    if !url.bytes().all(|byte| byte.is_ascii_graphic() && !b"\"<>\\^`{|}".contains(&byte)) {
        return Err(problem("contains a character that is not allowed in a URL; write it as %XX"));
    }
    let parsed = Url::parse(url).map_err(|_| problem("expected a URL that begins with https:// or http://"))?;
    if !matches!(parsed.scheme(), "http" | "https") {
        return Err(problem("expected a URL that begins with https:// or http://"));
    }
    let host = parsed.host_str().unwrap_or_default();
    if host.is_empty() || host.contains(['{', '}']) {
        return Err(problem("the URL has no host"));
    }
    if !parsed.username().is_empty() || parsed.password().is_some() {
        return Err(problem("the URL must not contain a user name or password"));
    }
    Ok(())
}

/// Whether the value would lead out of its part of the path: a segment that it completes is `.` or `..`, which browsers
/// resolve.
pub(super) fn climbs(url: &str, value: &str) -> bool {
    let Some(fixed) = fixed_path(url) else { return false };
    let begun = fixed.rsplit('/').next().unwrap_or_default().to_ascii_lowercase().replace("%2e", ".");
    format!("{begun}{value}").split('/').any(|segment| matches!(segment, "." | ".."))
}

/// The URL before its variable, if the variable stands in the path.
fn fixed_path(url: &str) -> Option<&str> {
    let fixed = url.split_once("{{").map_or(url, |(fixed, _)| fixed);
    (!fixed.contains(['?', '#'])).then_some(fixed)
}

/// A value encoded for its position in the URL. A value that climbs, which no new message can have, also gets its
/// slashes encoded and `_` in front, so that no segment of it is resolved.
pub(super) fn encoded(url: &str, value: &str) -> String {
    if climbs(url, value) {
        return format!("_{}", utf8_percent_encode(value, VALUE));
    }
    utf8_percent_encode(value, if fixed_path(url).is_some() { PATH } else { VALUE }).to_string()
}

/// A URL with its variable filled in.
pub fn fill_url(url: &str, value: &str) -> String {
    let value = encoded(url, value);
    text::filled(url, |_| Some(&value))
}

/// The file name at the end of a URL.
pub(super) fn file_name(url: &str) -> Option<String> {
    let parsed = Url::parse(url).ok()?;
    let last = parsed.path_segments()?.next_back().filter(|name| !name.is_empty())?;
    percent_encoding::percent_decode_str(last).decode_utf8().ok().map(std::borrow::Cow::into_owned)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Field;

    fn check(url: &str) -> CheckResult {
        check_link(&Field::Link.into(), url)
    }

    #[test]
    fn a_value_cannot_leave_its_part_of_the_url() {
        assert_eq!(encoded("https://a.example/{{1}}", "x/ä b?c=d#e&f"), "x/%C3%A4%20b%3Fc%3Dd%23e%26f");
        assert_eq!(encoded("https://a.example/?q={{1}}", "x/y&z=1"), "x%2Fy%26z%3D1");
        assert_eq!(file_name("https://a.example/f/Price%20list.pdf?x=1").as_deref(), Some("Price list.pdf"));
        assert_eq!(file_name("https://a.example/"), None);
    }

    #[test]
    fn a_value_cannot_climb() {
        for (url, value) in [
            ("https://a.example/x/{{1}}", ".."),
            ("https://a.example/x/{{1}}", "../../admin"),
            ("https://a.example/x/{{1}}", "y/../../../z"),
            ("https://a.example/x/{{1}}", "./y"),
            ("https://a.example/x/.{{1}}", "."),
            ("https://a.example/x/%2E{{1}}", "./y"),
        ] {
            assert!(climbs(url, value), "{url} {value}");
            let filled = Url::parse(&fill_url(url, value)).unwrap();
            assert!(filled.path().starts_with("/x/"), "{filled}");
        }
        for (url, value) in [
            ("https://a.example/x/{{1}}", "a..b/c.d/...e"),
            ("https://a.example/x/a{{1}}", "../y"),
            ("https://a.example/x?y={{1}}", "../z"),
        ] {
            assert!(!climbs(url, value), "{url} {value}");
        }
    }

    #[test]
    fn a_url_has_a_host_and_no_credentials() {
        for good in
            ["https://a.example", "http://a.example/x?y=z#w", "HTTPS://A.EXAMPLE/", "https://a.example/~x_-.%20"]
        {
            assert_eq!(check(good), Ok(()), "{good}");
        }
        let message = |url: &str| check(url).unwrap_err().message;
        for bad in ["https://ada@a.example/", "https://:secret@a.example/", "https://ada:secret@a.example/"] {
            assert_eq!(message(bad), "the URL must not contain a user name or password", "{bad}");
        }
        for bad in [
            "https://a.example/\"",
            "https://a.example/<",
            "https://a.example/ä",
            "https://a.example/a b",
            "https://a.example/\\",
        ] {
            assert_eq!(message(bad), "contains a character that is not allowed in a URL; write it as %XX", "{bad}");
        }
        assert_eq!(message("mailto:ada@a.example"), "expected a URL that begins with https:// or http://");
        let of = |length: usize| check(&format!("https://a.example/{}", "x".repeat(length - 18)));
        assert!(of(2000).is_ok());
        assert_eq!(of(2001).unwrap_err().to_string(), "link: 2001 characters, at most 2000");
    }

    #[test]
    fn a_value_is_encoded_for_the_place_where_it_stands() {
        assert_eq!(encoded("https://a.example/#{{1}}", "x/y"), "x%2Fy");
        assert_eq!(encoded("https://a.example/{{1}}", "-_.~/"), "-_.~/");
        assert_eq!(fill_url("https://a.example/{{1}}", "a b"), "https://a.example/a%20b");
        assert_eq!(fill_url("https://a.example/", "a b"), "https://a.example/");
        assert_eq!((file_name("nonsense"), file_name("https://a.example/a/")), (None, None));
        assert_eq!(file_name("https://a.example/%ff"), None, "no text");
    }
}
