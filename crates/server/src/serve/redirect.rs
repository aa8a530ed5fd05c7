//! Redirects plain HTTP requests of other machines to the public URL (`https.redirect`).
//!
//! Requests of this machine are answered: the sandbox posts its webhooks to the plain listener. So are health checks,
//! which often come by address.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use axum::body::Body;
use axum::http::{HeaderValue, Response, StatusCode, Uri, header};

use crate::settings::Settings;

const HEALTH: [&str; 2] = ["/healthz", "/readyz"];

#[derive(Debug, Clone)]
pub(super) struct Redirect {
    /// Without a trailing slash.
    public_url: Arc<str>,
    bound: IpAddr,
}

impl Redirect {
    /// `None` when the settings do not ask for it.
    pub fn new(settings: &Settings, bound: SocketAddr) -> Option<Self> {
        let public_url = settings.public_url_at(bound).into();
        settings.https.redirect.then(|| Self { public_url, bound: bound.ip() })
    }

    /// The redirect of a request, if it is to be redirected. Method and body stay the same.
    pub fn answer(&self, uri: &Uri, peer: SocketAddr) -> Option<Response<Body>> {
        let ip = peer.ip().to_canonical();
        if ip.is_loopback() || ip == self.bound || HEALTH.contains(&uri.path()) {
            return None;
        }
        let path = uri.path_and_query().map_or("/", |path| path.as_str());
        let mut response = Response::new(Body::empty());
        *response.status_mut() = StatusCode::PERMANENT_REDIRECT;
        let target = HeaderValue::try_from(format!("{}{path}", self.public_url)).ok()?;
        response.headers_mut().insert(header::LOCATION, target);
        Some(response)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_of_other_machines_are_redirected_and_health_checks_are_not() {
        let redirect = Redirect { public_url: "https://wa.example.com".into(), bound: IpAddr::from([10, 0, 0, 5]) };
        let target = |uri: &str, peer: &str| {
            let answer = redirect.answer(&uri.parse().unwrap(), peer.parse().unwrap())?;
            assert_eq!(answer.status(), StatusCode::PERMANENT_REDIRECT);
            Some(answer.headers()[header::LOCATION].to_str().unwrap().to_owned())
        };
        let expected = |path: &str| Some(format!("https://wa.example.com{path}"));
        assert_eq!(target("/r/1?a=b", "192.0.2.7:1000"), expected("/r/1?a=b"));
        assert_eq!(target("http://evil.example/console/", "[2001:db8::1]:1000"), expected("/console/"));
        assert_eq!(target("http://evil.example", "192.0.2.7:1000"), expected("/"));
        assert_eq!(target("//evil.example/", "192.0.2.7:1000"), expected("//evil.example/"));
        for peer in ["127.0.0.1:1", "[::1]:1", "[::ffff:127.0.0.1]:1", "10.0.0.5:1"] {
            assert_eq!(target("/r/1", peer), None, "{peer}");
        }
        assert_eq!(target("/healthz", "192.0.2.7:1000"), None);
    }
}
