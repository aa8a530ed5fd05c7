//! Transport for links that people of the sandbox open. Links with the server's public URL go to the local listener
//! directly, also when a proxy is in front of it. All others pass the address guard, so that no link reaches the
//! machine's private networks.

use std::net::SocketAddr;
use std::sync::Arc;

use anyhow::Context as _;
use axum::http::uri::{Authority, PathAndQuery, Scheme};
use axum::http::{HeaderValue, Request, Response, Uri, header};
use channels::transport::{Body, HttpTransport, Timeouts, Transport, TransportError};
use futures_util::future::BoxFuture;

use crate::settings::Settings;

#[derive(Debug)]
pub(super) struct Browser {
    /// Scheme and host of the server's own links.
    public: (Scheme, Authority),
    /// Address of the local listener.
    local: Authority,
    local_transport: HttpTransport,
    guarded_transport: Arc<dyn Transport>,
}

impl Browser {
    /// For a server that listens on this address. `guarded` is for all links but the server's own.
    pub fn new(settings: &Settings, listens: SocketAddr, guarded: Arc<dyn Transport>) -> anyhow::Result<Self> {
        Ok(Self {
            public: origin(&settings.public_url_at(listens)).context("public_url")?,
            local: origin(&Settings::local_url_at(listens)).context("listen")?.1,
            local_transport: HttpTransport::new(Timeouts::default()).context("the HTTP client cannot be started")?,
            guarded_transport: guarded,
        })
    }

    fn is_ours(&self, link: &Uri) -> bool {
        link.scheme() == Some(&self.public.0) && link.authority() == Some(&self.public.1)
    }

    /// The same request to the local listener, with the public name in `Host`.
    fn to_local_socket(&self, mut request: Request<Body>) -> Option<Request<Body>> {
        let path = request.uri().path_and_query().cloned().unwrap_or(PathAndQuery::from_static("/"));
        let uri = Uri::builder().scheme(Scheme::HTTP).authority(self.local.clone()).path_and_query(path);
        let host = HeaderValue::from_str(self.public.1.as_str()).ok()?;
        *request.uri_mut() = uri.build().ok()?;
        request.headers_mut().insert(header::HOST, host);
        Some(request)
    }
}

fn origin(url: &str) -> anyhow::Result<(Scheme, Authority)> {
    let parts = url.parse::<Uri>()?.into_parts();
    parts.scheme.zip(parts.authority).context("no scheme or no host")
}

impl Transport for Browser {
    fn call(&self, request: Request<Body>) -> BoxFuture<'_, Result<Response<Body>, TransportError>> {
        if !self.is_ours(request.uri()) {
            return self.guarded_transport.call(request);
        }
        match self.to_local_socket(request) {
            Some(request) => self.local_transport.call(request),
            None => Box::pin(async { Err(TransportError::Forbidden("the address is not a URL".to_owned())) }),
        }
    }
}

#[cfg(test)]
mod tests {
    use channels::outgoing::OutgoingBudget;
    use hyper::body::Incoming;
    use tokio::net::TcpListener;

    use super::*;
    use crate::bootstrap::{guarded, test_settings};
    use crate::http::{self, Options};

    /// Answers with the requested host and path.
    async fn echo(request: Request<Incoming>, _: SocketAddr) -> Response<axum::body::Body> {
        let host = request.headers()[header::HOST].to_str().unwrap();
        Response::new(axum::body::Body::from(format!("{host} {}", request.uri())))
    }

    fn browser(settings: &Settings, listens: SocketAddr) -> Browser {
        let guarded = guarded(settings, &OutgoingBudget::default()).unwrap();
        Browser::new(settings, listens, Arc::new(guarded)).unwrap()
    }

    async fn open(browser: &Browser, link: &str) -> Result<String, TransportError> {
        let request = Request::get(link).body(channels::transport::empty()).unwrap();
        let body = browser.call(request).await?.into_body();
        let bytes = channels::transport::collect(body, 1000).await.unwrap();
        Ok(String::from_utf8(bytes.to_vec()).unwrap())
    }

    #[tokio::test]
    async fn own_links_are_opened_locally_and_private_networks_are_refused() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let serving = tokio::spawn(http::serve(listener, echo, Options::default(), std::future::pending()));
        let mut settings = test_settings(&testkit::database::fresh_folder());
        let plain = browser(&settings, address);
        assert_eq!(open(&plain, &format!("http://{address}/r/1?a=b")).await.unwrap(), format!("{address} /r/1?a=b"));

        settings.public_url = Some("https://wa.example.com".to_owned());
        let behind = browser(&settings, address);
        assert_eq!(open(&behind, "https://WA.example.com/r/1").await.unwrap(), "wa.example.com /r/1");
        let inside = format!("http://{address}/r/1");
        for link in [inside.as_str(), "http://wa.example.com/", "http://localhost/", "https://127.0.0.1/"] {
            let refused = open(&behind, link).await;
            assert!(matches!(refused, Err(TransportError::Forbidden(_))), "{link}: {refused:?}");
        }
        settings.webhooks.allow_private = vec!["127.0.0.0/8".parse().unwrap()];
        let allowed = browser(&settings, address);
        assert_eq!(open(&allowed, &inside).await.unwrap(), format!("{address} /r/1"));
        serving.abort();
    }
}
