//! HTTPS: the listener with its certificate, from files or ordered by ACME.
//!
//! The listener uses the accept loop of plain HTTP (`http/tls.rs`), with the same limits. A certificate from files
//! follows them (`files.rs`); one that the server orders is kept in the database and renewed (`acme.rs`). Handshakes ask
//! the resolver, so that a new certificate counts for the next connection and disturbs no open one.

mod acme;
mod certificate;
mod files;
mod resolver;
#[cfg(test)]
mod tests;

use std::net::SocketAddr;
use std::sync::Arc;

use anyhow::{Context as _, anyhow, bail, ensure};
use app::App;
use rustls::ServerConfig;
use store::Wakeup;
use tokio::net::TcpListener;
use tokio_util::task::AbortOnDropHandle;

use crate::http::{ACME_TLS, TlsListener};
use crate::settings::{self, Settings};
use acme::{Acme, AcmeOrder};
use certificate::Certificate;
use files::{CertificateFiles, Contents};
use resolver::CertificateResolver;

/// A bound listener that does not serve yet.
#[derive(Debug)]
pub(crate) struct HttpsListener {
    listener: TcpListener,
    pub address: SocketAddr,
    config: ServerConfig,
    resolver: Arc<CertificateResolver>,
    source: CertificateSource,
}

#[derive(Debug)]
enum CertificateSource {
    /// With what the files held at the start.
    Files(CertificateFiles, Contents, Certificate),
    Acme(AcmeOrder),
}

/// Keeps the certificate of a running listener current, until it is dropped.
#[derive(Debug)]
pub(crate) struct CertificateKeeper {
    reload: Option<Arc<Wakeup>>,
    _task: AbortOnDropHandle<()>,
}

impl CertificateKeeper {
    /// Reads certificate files again at once.
    pub fn reload(&self) {
        if let Some(reload) = &self.reload {
            reload.wake();
        }
    }
}

impl HttpsListener {
    /// `None` when `https.listen` is not set. Everything that can fail happens here, before the start creates
    /// credentials, which it prints only once.
    pub async fn bind(settings: &Settings) -> anyhow::Result<Option<Self>> {
        let Some((wanted, source)) = source(&settings.https)? else { return Ok(None) };
        let resolver: Arc<CertificateResolver> = Arc::default();
        let config = server_config(resolver.clone(), matches!(source, CertificateSource::Acme(_)))?;
        let bound = TcpListener::bind(wanted).await;
        let listener = bound.map_err(|error| {
            anyhow!(
                "https.listen: cannot listen on {wanted}: {error}; choose another address (SWITCHBOARD_HTTPS_LISTEN), or \
                 give the process the right to it (docs/https.md)"
            )
        })?;
        let address = listener.local_addr().context("https.listen")?;
        if let CertificateSource::Files(_, _, certificate) = &source {
            warn_of_other_host(certificate, &settings.public_url_at(address));
        }
        Ok(Some(Self { listener, address, config, resolver, source }))
    }

    /// Deploys the certificate and starts to keep it current.
    pub async fn open(self, app: &App) -> (TlsListener, CertificateKeeper) {
        let Self { listener, config, resolver, source, .. } = self;
        let (reload, task) = match source {
            CertificateSource::Files(files, contents, certificate) => {
                let expires_at = certificate.expires_at.to_rfc3339();
                tracing::info!(expires_at, "the certificate files are in use");
                resolver.deploy(certificate);
                let reload: Arc<Wakeup> = Arc::default();
                (Some(reload.clone()), tokio::spawn(files.watch(contents, resolver, reload)))
            }
            CertificateSource::Acme(order) => {
                let acme = Acme::new(app.clone(), resolver, order);
                acme.deploy_stored().await;
                (None, tokio::spawn(acme.run()))
            }
        };
        let keeper = CertificateKeeper { reload, _task: AbortOnDropHandle::new(task) };
        (TlsListener::new(listener, Arc::new(config)), keeper)
    }
}

fn warn_of_other_host(certificate: &Certificate, public_url: &str) {
    let uri = public_url.parse::<axum::http::Uri>().ok();
    let host = uri.as_ref().and_then(axum::http::Uri::host).unwrap_or_default();
    if !certificate.is_for(host) {
        tracing::warn!(host, "the certificate is not for the host of public_url: clients will refuse it");
    }
}

/// TLS 1.2 and 1.3, HTTP/2 before HTTP/1.1.
fn server_config(resolver: Arc<CertificateResolver>, is_acme: bool) -> anyhow::Result<ServerConfig> {
    let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
    let mut config = ServerConfig::builder_with_provider(provider)
        .with_protocol_versions(&[&rustls::version::TLS13, &rustls::version::TLS12])
        .context("TLS cannot be set up")?
        .with_no_client_auth()
        .with_cert_resolver(resolver);
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    if is_acme {
        config.alpn_protocols.push(ACME_TLS.to_vec());
    }
    config.ticketer = rustls::crypto::aws_lc_rs::Ticketer::new().context("TLS cannot be set up")?;
    Ok(config)
}

/// The address to listen on and where the certificate comes from. Files that cannot be used are an error.
fn source(https: &settings::Https) -> anyhow::Result<Option<(SocketAddr, CertificateSource)>> {
    let is_acme = !https.acme_domains.is_empty();
    let Some(listen) = https.listen else {
        ensure!(
            !is_acme && https.certificate.is_none() && https.key.is_none(),
            "https.listen: a certificate is configured, and no address to use it on; set one (SWITCHBOARD_HTTPS_LISTEN), \
             for example 0.0.0.0:443"
        );
        ensure!(!https.redirect, "https.redirect: HTTPS is not served; set https.listen and a certificate");
        return Ok(None);
    };
    let source = match (&https.certificate, &https.key) {
        (None, None) if is_acme => CertificateSource::Acme(AcmeOrder::new(https)?),
        (None, None) => {
            bail!("https.listen: HTTPS needs a certificate: set https.certificate and https.key, or https.acme_domains")
        }
        _ if is_acme => {
            bail!("https.acme_domains: https.certificate or https.key is set too; choose one of the two ways")
        }
        (Some(_), None) => bail!("https.key: https.certificate is set, and needs its private key"),
        (None, Some(_)) => bail!("https.certificate: https.key is set, and needs its certificate"),
        (Some(certificate), Some(key)) => {
            let files = CertificateFiles { certificate: certificate.clone(), key: key.clone() };
            let contents = files.read()?;
            let certificate = files.parse(&contents)?;
            CertificateSource::Files(files, contents, certificate)
        }
    };
    Ok(Some((listen, source)))
}
