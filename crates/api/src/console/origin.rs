//! Whether a request comes from a page of the console. Browsers send `Origin`, and pages cannot forge it.

use axum::http::header;
use axum::http::request::Parts;
use axum::http::uri::Authority;

/// The origin must be that of the public URL, or have the host of this request. A missing, repeated or `null` origin is
/// not the console's.
pub(super) fn is_own(request: &Parts, public_url: &str) -> bool {
    let mut given = request.headers.get_all(header::ORIGIN).iter();
    let (Some(first), None) = (given.next(), given.next()) else { return false };
    let Some(origin) = first.to_str().ok().and_then(Origin::parse) else { return false };
    if Origin::parse(public_url).is_some_and(|public| public == origin) {
        return true;
    }
    // Only the host is compared: a proxy may have terminated TLS, so the scheme of the page is unknown here.
    let header = request.headers.get(header::HOST).and_then(|host| host.to_str().ok());
    let host = request.uri.authority().map(Authority::as_str).or(header);
    host.is_some_and(|host| origin.host == without_default_port(&origin.scheme, host))
}

#[derive(Debug, PartialEq, Eq)]
struct Origin {
    scheme: String,
    /// With the port, unless it is the scheme's default.
    host: String,
}

impl Origin {
    fn parse(url: &str) -> Option<Self> {
        let (scheme, rest) = url.split_once("://")?;
        let scheme = scheme.to_ascii_lowercase();
        let host = without_default_port(&scheme, rest.split('/').next().unwrap_or_default());
        (matches!(scheme.as_str(), "http" | "https") && !host.is_empty()).then_some(Self { scheme, host })
    }
}

fn without_default_port(scheme: &str, host: &str) -> String {
    let port = if scheme == "https" { ":443" } else { ":80" };
    host.strip_suffix(port).unwrap_or(host).to_ascii_lowercase()
}

#[cfg(test)]
mod tests {
    use axum::http::Request;

    use super::*;

    fn own(origins: &[&str], host: &str) -> bool {
        let mut request = Request::builder().uri("/console/api/session").header("host", host);
        for origin in origins {
            request = request.header("origin", *origin);
        }
        is_own(&request.body(()).unwrap().into_parts().0, "https://wa.example.com")
    }

    #[test]
    fn only_the_public_origin_and_the_request_s_own_are_ours() {
        for (origin, host) in [
            ("https://wa.example.com", "127.0.0.1:8080"),
            ("https://WA.example.com:443", "127.0.0.1:8080"),
            ("http://127.0.0.1:8080", "127.0.0.1:8080"),
            ("https://inner.example", "inner.example:443"),
            ("http://[::1]:8080", "[::1]:8080"),
        ] {
            assert!(own(&[origin], host), "{origin} at {host}");
        }
        for (origins, host) in [
            (&[][..], "wa.example.com"),
            (&["null"], "wa.example.com"),
            (&["http://wa.example.com"], "127.0.0.1:8080"),
            (&["https://wa.example.com:8443"], "127.0.0.1:8080"),
            (&["https://evil.example"], "wa.example.com"),
            (&["https://wa.example.com.evil.example"], "wa.example.com"),
            (&["http://127.0.0.1:8081"], "127.0.0.1:8080"),
            (&["wa.example.com"], "wa.example.com"),
            (&["file://"], ""),
            (&["https://wa.example.com", "https://evil.example"], "wa.example.com"),
        ] {
            assert!(!own(origins, host), "{origins:?} at {host}");
        }
    }
}
