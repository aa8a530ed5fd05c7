//! Chooses the certificate of a handshake: the one in use, or that of a challenge of the certificate authority.

use std::sync::Arc;

use arc_swap::ArcSwapOption;
use rustls::server::{ClientHello, ResolvesServerCert};
use rustls::sign::CertifiedKey;
use rustls_acme::{ResolvesServerCertAcme, is_tls_alpn_challenge};

use super::certificate::Certificate;

#[derive(Debug, Default)]
pub(super) struct CertificateResolver {
    current: ArcSwapOption<Certificate>,
    /// Set while this node orders a certificate.
    challenges: ArcSwapOption<ResolvesServerCertAcme>,
}

impl CertificateResolver {
    /// Uses a certificate for handshakes from now on. Open connections keep theirs.
    pub fn deploy(&self, certificate: Certificate) {
        #[expect(clippy::cast_precision_loss, reason = "seconds since 1970 are far below 2^53")]
        let expires_at = certificate.expires_at.seconds() as f64;
        metrics::gauge!("switchboard_certificate_expires_timestamp_seconds").set(expires_at);
        self.current.store(Some(Arc::new(certificate)));
    }

    pub fn current(&self) -> Option<Arc<Certificate>> {
        self.current.load_full()
    }

    pub fn set_challenges(&self, challenges: Option<Arc<ResolvesServerCertAcme>>) {
        self.challenges.store(challenges);
    }
}

impl ResolvesServerCert for CertificateResolver {
    fn resolve(&self, hello: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        if is_tls_alpn_challenge(&hello) {
            return self.challenges.load_full()?.resolve(hello);
        }
        self.current.load().as_ref().map(|certificate| certificate.certified.clone())
    }
}
