//! The rules for the URL and headers of an endpoint. Whether its address may be called is checked at each connection.

use url::{Host, Url};

pub const MAX_URL: usize = 2048;
pub const MAX_HEADERS: usize = 20;
const MAX_HEADER_NAME: usize = 128;
const MAX_HEADER_VALUE: usize = 1024;

/// Headers that a delivery sets itself, or that change the framing of a request.
pub const RESERVED_HEADERS: [&str; 8] =
    ["host", "connection", "transfer-encoding", "user-agent", "te", "trailer", "upgrade", "keep-alive"];
pub const RESERVED_HEADER_PREFIXES: [&str; 3] = ["content-", "webhook-", "proxy-"];

/// A custom header of each delivery.
#[derive(Clone, PartialEq, Eq)]
pub struct Header {
    pub name: String,
    pub value: String,
}

impl std::fmt::Debug for Header {
    /// Hides the value, which may be a credential.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: …", self.name)
    }
}

/// The URL as it is stored, or what is wrong with it.
pub fn check_url(text: &str) -> Result<String, &'static str> {
    if text.len() > MAX_URL {
        return Err("is longer than 2048 bytes");
    }
    let url = Url::parse(text.trim()).map_err(|_| "is not a URL")?;
    match url {
        _ if !matches!(url.scheme(), "https" | "http") => {
            Err("must begin with https://, or with http:// for an allowed network")
        }
        _ if !url.username().is_empty() || url.password().is_some() => {
            Err("must not contain a user name or password; use a custom header instead")
        }
        _ if url.fragment().is_some() => Err("must not have a fragment (#…)"),
        _ if url.port() == Some(0) => Err("has no usable port"),
        _ => match url.host() {
            Some(Host::Domain(name)) if name.trim_end_matches('.').is_empty() => Err("has no host"),
            None => Err("has no host"),
            _ => Ok(url.to_string()),
        },
    }
}

/// An error has the name of the wrong header.
pub fn check_headers(headers: &[Header]) -> Result<(), (String, &'static str)> {
    if headers.len() > MAX_HEADERS {
        return Err((String::new(), "at most 20 headers"));
    }
    for (i, header) in headers.iter().enumerate() {
        let again = headers.iter().take(i).any(|one| one.name.eq_ignore_ascii_case(&header.name));
        let wrong = if again { Some("appears twice") } else { wrong_header(header) };
        if let Some(wrong) = wrong {
            return Err((header.name.clone(), wrong));
        }
    }
    Ok(())
}

fn is_reserved(name: &str) -> bool {
    RESERVED_HEADERS.contains(&name) || RESERVED_HEADER_PREFIXES.iter().any(|prefix| name.starts_with(prefix))
}

fn wrong_header(header: &Header) -> Option<&'static str> {
    let name = header.name.to_ascii_lowercase();
    let is_token = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    let is_text = |byte: u8| byte == b'\t' || (0x20..0x7f).contains(&byte);
    match () {
        () if name.is_empty() || name.len() > MAX_HEADER_NAME || !name.bytes().all(is_token) => {
            Some("is not a valid header name")
        }
        () if is_reserved(&name) => Some("cannot be set: Switchboard sets this header itself"),
        () if header.value.len() > MAX_HEADER_VALUE => Some("has a value longer than 1024 characters"),
        () if !header.value.bytes().all(is_text) || header.value.trim() != header.value => {
            Some("has a value with characters that are not allowed in a header")
        }
        () => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_are_accepted_or_refused_with_the_reason() {
        assert_eq!(check_url("https://example.com/hook?a=1").as_deref(), Ok("https://example.com/hook?a=1"));
        assert_eq!(check_url(" http://127.0.0.1:8080 ").as_deref(), Ok("http://127.0.0.1:8080/"));
        for (bad, why) in [
            ("example.com/hook", "not a URL"),
            ("ftp://example.com/", "https://"),
            ("file:///etc/passwd", "https://"),
            ("javascript:alert(1)", "https://"),
            ("https://user@example.com/", "user name"),
            ("https://user:pass@example.com/", "user name"),
            ("https://example.com/#part", "fragment"),
            ("https://", "not a URL"),
            ("https:///", "not a URL"),
            ("https://exa mple.com/", "not a URL"),
            ("https://example.com:0/", "port"),
            ("https://./", "host"),
        ] {
            let error = check_url(bad).expect_err(bad);
            assert!(error.contains(why), "{bad}: {error}");
        }
        assert!(check_url(&format!("https://example.com/{}", "a".repeat(MAX_URL))).is_err());
    }

    #[test]
    fn headers_that_would_change_a_delivery_are_refused() {
        let header = |name: &str, value: &str| Header { name: name.to_owned(), value: value.to_owned() };
        assert_eq!(check_headers(&[header("Authorization", "Bearer x"), header("X-Team", "a b")]), Ok(()));
        for name in
            ["Host", "Content-Type", "content-length", "Webhook-Id", "Connection", "Transfer-Encoding", "User-Agent"]
        {
            assert!(check_headers(&[header(name, "x")]).is_err(), "{name}");
        }
        for (name, value) in [("", "x"), ("a b", "x"), ("x-a", "a\r\nb: c"), ("x-a", "ü"), ("x-a", " x"), ("x-ä", "x")]
        {
            assert!(check_headers(&[header(name, value)]).is_err(), "{name}: {value}");
        }
        assert!(check_headers(&[header("X-A", "1"), header("x-a", "2")]).is_err());
        assert!(check_headers(&vec![header("x", "1"); MAX_HEADERS + 1]).is_err());
        assert_eq!(format!("{:?}", header("Authorization", "Bearer x")), "Authorization: …");
    }

    fn header(name: &str, value: &str) -> Header {
        Header { name: name.to_owned(), value: value.to_owned() }
    }

    #[test]
    fn a_url_has_at_most_2048_bytes() {
        let of = |length: usize| check_url(&format!("https://example.com/{}", "a".repeat(length - 20)));
        assert_eq!(of(2048).map(|url| url.len()), Ok(2048));
        assert_eq!(of(2049), Err("is longer than 2048 bytes"));
        assert!(check_url("https://:pass@example.com/").is_err(), "a password without a name");
        assert!(check_url("https://example.com./").is_ok() && check_url("https://[::1]:8443/").is_ok());
    }

    #[test]
    fn the_limits_of_headers_are_allowed_and_one_more_is_not() {
        let many = |count: usize| {
            check_headers(&(0..count).map(|place| header(&format!("x-{place}"), "1")).collect::<Vec<_>>())
        };
        assert_eq!((many(0), many(20)), (Ok(()), Ok(())));
        assert_eq!(many(21), Err((String::new(), "at most 20 headers")));
        assert_eq!(wrong_header(&header(&"x".repeat(128), "1")), None);
        assert_eq!(wrong_header(&header(&"x".repeat(129), "1")), Some("is not a valid header name"));
        assert_eq!(wrong_header(&header("x", &"v".repeat(1024))), None);
        assert_eq!(wrong_header(&header("x", &"v".repeat(1025))), Some("has a value longer than 1024 characters"));
    }

    #[test]
    fn a_wrong_header_is_named_with_the_reason() {
        let not_a_name = "is not a valid header name";
        let ours = "cannot be set: Switchboard sets this header itself";
        let not_a_value = "has a value with characters that are not allowed in a header";
        for (name, value, wrong) in [
            ("x!#$%&'*+-.^_`|~9Z", "a", None),
            ("x:y", "a", Some(not_a_name)),
            ("x(y", "a", Some(not_a_name)),
            ("", "a", Some(not_a_name)),
            ("TE", "a", Some(ours)),
            ("Trailer", "a", Some(ours)),
            ("upgrade", "a", Some(ours)),
            ("Keep-Alive", "a", Some(ours)),
            ("Proxy-Authorization", "a", Some(ours)),
            ("Webhook-Anything", "a", Some(ours)),
            ("x-webhook-id", "a", None),
            ("x", "a\tb ~", None),
            ("x", "", None),
            ("x", "a\u{1f}", Some(not_a_value)),
            ("x", "a\u{7f}", Some(not_a_value)),
            ("x", "a ", Some(not_a_value)),
            ("x", "\ta", Some(not_a_value)),
        ] {
            assert_eq!(wrong_header(&header(name, value)), wrong, "{name}: {value:?}");
        }
        let twice = check_headers(&[header("X-A", "1"), header("b", "1"), header("x-a", "2")]);
        assert_eq!(twice, Err(("x-a".to_owned(), "appears twice")));
        assert_eq!(check_headers(&[header("b", "1"), header("host", "2")]), Err(("host".to_owned(), ours)));
    }
}
