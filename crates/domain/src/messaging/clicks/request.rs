//! The stored part of a request for a link: the method, and the headers that identify the client, each cut to a length.
//! No cookies and no credentials; of the referring page only its origin.

use std::collections::BTreeMap;

use url::Url;

pub(super) const AGENT: &str = "user-agent";
const REFERER: &str = "referer";

/// The stored headers, and the most characters of each.
const STORED: [(&str, usize); 18] = [
    (AGENT, 512),
    ("accept", 256),
    ("accept-language", 64),
    ("sec-purpose", 64),
    ("purpose", 64),
    ("x-purpose", 64),
    ("x-moz", 64),
    ("sec-fetch-dest", 32),
    ("sec-fetch-mode", 32),
    ("sec-fetch-site", 32),
    ("sec-fetch-user", 32),
    ("sec-ch-ua", 256),
    ("sec-ch-ua-mobile", 16),
    ("sec-ch-ua-platform", 64),
    ("x-requested-with", 128),
    ("from", 128),
    ("via", 128),
    (REFERER, 256),
];

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Request {
    pub is_head: bool,
    headers: Vec<(&'static str, String)>,
}

impl Request {
    /// `get` returns the bytes of a header by its lower-case name. They need not be UTF-8.
    pub fn new<'a>(method: &str, get: impl Fn(&str) -> Option<&'a [u8]>) -> Self {
        let kept = |(name, most): &(&'static str, usize)| {
            let value = cleaned(name, get(name)?, *most);
            (!value.is_empty()).then_some((*name, value))
        };
        Self { is_head: method.eq_ignore_ascii_case("HEAD"), headers: STORED.iter().filter_map(kept).collect() }
    }

    pub const fn method(&self) -> &'static str {
        if self.is_head { "HEAD" } else { "GET" }
    }

    /// The value of a header, by its lower-case name; empty if absent.
    pub fn header(&self, name: &str) -> &str {
        self.headers.iter().find(|(known, _)| *known == name).map_or("", |(_, value)| value)
    }

    pub fn agent(&self) -> &str {
        self.header(AGENT)
    }

    /// The stored form: an object with a member for each header.
    pub fn headers_json(&self) -> String {
        let headers: BTreeMap<&str, &str> = self.headers.iter().map(|(name, value)| (*name, value.as_str())).collect();
        crate::to_json(&headers)
    }

    /// Parses what `headers_json` wrote.
    pub fn parse(method: &str, headers: &str) -> Option<Self> {
        let headers: BTreeMap<String, String> = serde_json::from_str(headers).ok()?;
        Some(Self::new(method, |name| headers.get(name).map(String::as_bytes)))
    }
}

fn cleaned(name: &str, value: &[u8], most: usize) -> String {
    // Bounds the work on a header that is much longer than its stored part.
    let near = value.get(..most * 4).unwrap_or(value);
    let text = String::from_utf8_lossy(near);
    let text = if name == REFERER { origin(&text) } else { text.into_owned() };
    text.chars().filter(|c| !c.is_control()).take(most).collect::<String>().trim().to_owned()
}

/// The origin of a URL, without its path.
fn origin(referer: &str) -> String {
    match Url::parse(referer.trim()) {
        Ok(url) if url.has_host() => {
            format!("{}://{}", url.scheme(), url.host_str().unwrap_or_default())
        }
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(headers: &[(&str, &[u8])]) -> Request {
        Request::new("GET", |name| headers.iter().find(|(known, _)| *known == name).map(|(_, value)| *value))
    }

    #[test]
    fn only_headers_of_the_client_are_stored_and_cut() {
        let long = "x".repeat(100_000);
        let kept = request(&[
            ("user-agent", long.as_bytes()),
            ("cookie", b"session=1"),
            ("authorization", b"Bearer x"),
            ("accept", b"\x00text/html\xff\x01"),
            ("referer", b"https://mail.example/inbox/7?token=secret#x"),
            ("accept-language", b"  "),
        ]);
        assert_eq!(kept.agent().len(), 512);
        assert_eq!(kept.header("accept"), "text/html\u{fffd}");
        assert_eq!(kept.header("referer"), "https://mail.example");
        assert_eq!(kept.headers.len(), 3);
    }

    #[test]
    fn the_stored_form_is_parsed_back() {
        let kept = request(&[("user-agent", "Ünï \"x\"".as_bytes()), ("referer", b"android-app://com.whatsapp/")]);
        assert_eq!(kept.header("referer"), "android-app://com.whatsapp");
        assert_eq!(Request::parse(kept.method(), &kept.headers_json()), Some(kept));
        assert_eq!(Request::parse("GET", "not JSON"), None);
        assert!(
            Request::parse("HEAD", "{\"unknown\":\"x\"}").is_some_and(|head| head.is_head && head.headers.is_empty())
        );
    }

    #[test]
    fn every_header_is_cut_to_its_own_length() {
        let long = "ä".repeat(5000);
        for (name, most) in STORED {
            if name == REFERER {
                continue;
            }
            let kept = request(&[(name, long.as_bytes())]);
            assert_eq!(kept.header(name).chars().count(), most, "{name}");
        }
        assert_eq!(request(&[("accept-language", "a".repeat(64).as_bytes())]).header("accept-language").len(), 64);
    }

    #[test]
    fn characters_of_four_bytes_are_kept_whole() {
        let kept = request(&[("sec-ch-ua-mobile", "😀".repeat(20).as_bytes())]);
        assert_eq!(kept.header("sec-ch-ua-mobile"), "😀".repeat(16));
    }

    #[test]
    fn only_head_is_head_and_everything_else_counts_as_get() {
        for (method, is_head) in [("HEAD", true), ("head", true), ("GET", false), ("POST", false), ("", false)] {
            let one = Request::new(method, |_| None);
            assert_eq!((one.is_head, one.method()), (is_head, if is_head { "HEAD" } else { "GET" }), "{method}");
        }
    }

    #[test]
    fn only_the_origin_of_the_referring_page_is_stored() {
        for (referer, origin) in [
            ("https://mail.example:8443/inbox?x", "https://mail.example"),
            (" http://a.example ", "http://a.example"),
            ("mailto:ada@example.com", ""),
            ("/inbox", ""),
        ] {
            assert_eq!(request(&[("referer", referer.as_bytes())]).header("referer"), origin, "{referer}");
        }
        let kept = request(&[("via", b"1.1 x"), ("user-agent", b"a")]);
        assert_eq!(kept.headers_json(), r#"{"user-agent":"a","via":"1.1 x"}"#);
        assert_eq!((kept.agent(), kept.header("from")), ("a", ""));
    }
}
