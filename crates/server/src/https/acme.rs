//! Orders a certificate by ACME (RFC 8555) and renews it when a third of its life is left.
//!
//! The certificate with its key and the key of the account are kept sealed in the database
//! (`app::platform::certificates`). One node at a time orders, under a lease; the others look for its certificate every
//! `LOOK_EVERY`. The authority checks that the server has a name by a handshake with the protocol `acme-tls/1` (RFC
//! 8737), which must reach the node that orders.
//!
//! `rustls-acme` runs one order. After a failure this module drops it and begins a new one after a pause: its own pauses
//! begin with a second, and an authority counts failures. An order that gets no answer is dropped after
//! `ORDER_TIMEOUT`. After a crash the next holder of the lease continues: with the stored certificate, or with a new
//! order.

use std::net::IpAddr;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, anyhow, ensure};
use app::App;
use async_trait::async_trait;
use futures_util::StreamExt as _;
use rustls::ClientConfig;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject as _;
use rustls_acme::{AccountCache, AcmeConfig, AcmeState, CertCache, EventOk};
use rustls_platform_verifier::Verifier;
use tokio::time::Instant;

use super::certificate::Certificate;
use super::resolver::CertificateResolver;
use crate::settings;

/// How often a node extends its lease, or looks for the certificate of the node that holds it.
const LOOK_EVERY: Duration = Duration::from_secs(20);
/// Time limit of an order.
const ORDER_TIMEOUT: Duration = Duration::from_mins(10);
/// Pauses after failed orders; the last one repeats. Let's Encrypt allows 5 failures of a name in an hour.
const PAUSES: [Duration; 4] =
    [Duration::from_mins(1), Duration::from_mins(5), Duration::from_mins(20), Duration::from_hours(1)];

/// What to order, from whom.
#[derive(Debug, Clone)]
pub(super) struct AcmeOrder {
    domains: Vec<String>,
    contact: Option<String>,
    directory: String,
    client: Arc<ClientConfig>,
}

impl AcmeOrder {
    pub fn new(https: &settings::Https) -> anyhow::Result<Self> {
        for domain in &https.acme_domains {
            let is_address = domain.starts_with('[') || domain.parse::<IpAddr>().is_ok();
            ensure!(!is_address, "https.acme_domains: {domain} is an address; give host names");
        }
        ensure!(
            https.acme_directory.starts_with("https://"),
            "https.acme_directory: it does not start with https://; give the directory URL of the certificate authority"
        );
        let contact = https.acme_contact.as_ref().map(|address| {
            let address = address.strip_prefix("mailto:").unwrap_or(address);
            format!("mailto:{address}")
        });
        Ok(Self {
            domains: https.acme_domains.clone(),
            contact,
            directory: https.acme_directory.clone(),
            client: client_config(https.acme_root.as_deref())?,
        })
    }

    fn certificate_name(&self) -> String {
        format!("acme_certificate:{}:{}", self.directory, self.domains.join(","))
    }

    fn account_name(&self) -> String {
        format!("acme_account:{}", self.directory)
    }
}

#[derive(Debug, Clone)]
pub(super) struct Acme {
    app: App,
    resolver: Arc<CertificateResolver>,
    order: Arc<AcmeOrder>,
}

/// An order in progress, or the wait until the next one is due.
struct RunningOrder {
    state: AcmeState<app::Error>,
    /// Since when an order is due and has not ended.
    due_since: Option<Instant>,
}

impl Acme {
    pub fn new(app: App, resolver: Arc<CertificateResolver>, order: AcmeOrder) -> Self {
        Self { app, resolver, order: Arc::new(order) }
    }

    /// Deploys the stored certificate, if it is newer than the one in use.
    pub async fn deploy_stored(&self) {
        match self.app.platform().certificates().load(&self.order.certificate_name()).await {
            Ok(Some(pem)) => {
                self.deploy(&pem);
            }
            Ok(None) => {}
            Err(error) => tracing::warn!(%error, "the certificate of HTTPS cannot be read from the database"),
        }
    }

    /// Deploys a certificate that follows its key in one text. False if it cannot be used.
    fn deploy(&self, pem: &[u8]) -> bool {
        match Certificate::from_pem(pem, pem) {
            Ok(certificate) => {
                // A stored certificate may be older than the one in use, if that could not be stored.
                let current = self.resolver.current();
                if current.is_none_or(|current| current.expires_at < certificate.expires_at) {
                    tracing::info!(expires_at = certificate.expires_at.to_rfc3339(), "a certificate by ACME is in use");
                    self.resolver.deploy(certificate);
                }
                true
            }
            Err(error) => {
                tracing::warn!(%error, "the stored certificate of HTTPS cannot be used, and a new one is ordered");
                false
            }
        }
    }

    /// Orders and renews until it is dropped.
    pub async fn run(self) {
        let (mut running, mut failures) = (None, 0_usize);
        let mut paused_until = Instant::now();
        loop {
            let holds_lease = self.app.platform().certificates().hold_lease().await.unwrap_or_else(|error| {
                tracing::warn!(%error, "the lease of the node that orders certificates cannot be read");
                false
            });
            if !holds_lease || Instant::now() < paused_until {
                running = None;
                self.resolver.set_challenges(None);
                self.deploy_stored().await;
                tokio::time::sleep(LOOK_EVERY).await;
                continue;
            }
            let order = running.get_or_insert_with(|| self.begin());
            match self.advance(order).await {
                Ok(None) => {}
                Ok(Some(event)) => {
                    tracing::debug!(?event, "ACME");
                    failures = if matches!(event, EventOk::DeployedNewCert) { 0 } else { failures };
                }
                Err(error) => {
                    let pause = PAUSES[failures.min(PAUSES.len() - 1)];
                    let (domains, directory) = (self.order.domains.join(", "), &self.order.directory);
                    tracing::error!(
                        %error, domains, directory, next_attempt_seconds = pause.as_secs(),
                        "no certificate could be ordered; check that the authority reaches this server as port 443 of \
                         these names"
                    );
                    failures += 1;
                    paused_until = Instant::now() + pause;
                    running = None;
                }
            }
        }
    }

    fn begin(&self) -> RunningOrder {
        let config = AcmeConfig::new_with_client_config(&self.order.domains, self.order.client.clone())
            .directory(&self.order.directory)
            .contact(&self.order.contact)
            .cache(self.clone());
        let state = config.state();
        self.resolver.set_challenges(Some(state.resolver()));
        RunningOrder { state, due_since: None }
    }

    /// Runs the order until something happened, or until the lease is to be extended.
    async fn advance(&self, order: &mut RunningOrder) -> anyhow::Result<Option<EventOk>> {
        if let Ok(Some(event)) = tokio::time::timeout(LOOK_EVERY, order.state.next()).await {
            order.due_since = None;
            return event.map(Some).map_err(|error| anyhow!("{error}"));
        }
        let is_due = self.resolver.current().is_none_or(|current| current.renews_at() <= self.app.now());
        if !is_due {
            order.due_since = None;
        } else if order.due_since.get_or_insert_with(Instant::now).elapsed() >= ORDER_TIMEOUT {
            return Err(anyhow!("the order did not end within {} minutes", ORDER_TIMEOUT.as_secs() / 60));
        }
        Ok(None)
    }
}

#[async_trait]
impl CertCache for Acme {
    type EC = app::Error;

    async fn load_cert(&self, _: &[String], _: &str) -> app::Result<Option<Vec<u8>>> {
        let stored = self.app.platform().certificates().load(&self.order.certificate_name()).await?;
        Ok(stored.filter(|pem| self.deploy(pem)).map(|pem| pem.to_vec()))
    }

    async fn store_cert(&self, _: &[String], _: &str, pem: &[u8]) -> app::Result<()> {
        self.deploy(pem);
        self.app.platform().certificates().save(&self.order.certificate_name(), pem).await
    }
}

#[async_trait]
impl AccountCache for Acme {
    type EA = app::Error;

    async fn load_account(&self, _: &[String], _: &str) -> app::Result<Option<Vec<u8>>> {
        Ok(self.app.platform().certificates().load(&self.order.account_name()).await?.map(|key| key.to_vec()))
    }

    async fn store_account(&self, _: &[String], _: &str, key: &[u8]) -> app::Result<()> {
        self.app.platform().certificates().save(&self.order.account_name(), key).await
    }
}

/// TLS to the certificate authority: trusts what the system trusts and the certificates of `https.acme_root`.
fn client_config(root: Option<&Path>) -> anyhow::Result<Arc<ClientConfig>> {
    let roots: Vec<CertificateDer<'static>> = root.map(read_roots).transpose()?.unwrap_or_default();
    let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
    let verifier = Verifier::new_with_extra_roots(roots, provider.clone());
    let verifier = verifier.context("https.acme_directory: there are no certificates of authorities to trust")?;
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .context("TLS cannot be set up")?
        .dangerous()
        .with_custom_certificate_verifier(Arc::new(verifier))
        .with_no_client_auth();
    Ok(Arc::new(config))
}

fn read_roots(path: &Path) -> anyhow::Result<Vec<CertificateDer<'static>>> {
    let shown = path.display();
    let pem = std::fs::read(path).with_context(|| format!("https.acme_root: the file {shown} cannot be read"))?;
    let roots: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(&pem).collect();
    let roots = roots.with_context(|| format!("https.acme_root: the file {shown} cannot be parsed"))?;
    ensure!(!roots.is_empty(), "https.acme_root: the file {shown} holds no certificate in PEM form");
    Ok(roots)
}
