//! A certificate with its chain and private key, parsed from PEM and checked.

use std::sync::Arc;

use domain::Timestamp;
use rustls::client::verify_server_name;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName};
use rustls::server::ParsedCertificate;
use rustls::sign::CertifiedKey;
use x509_parser::error::X509Error;
use x509_parser::parse_x509_certificate;

#[derive(Debug, Clone)]
pub(super) struct Certificate {
    pub certified: Arc<CertifiedKey>,
    pub valid_from: Timestamp,
    pub expires_at: Timestamp,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum CertificateError {
    #[error("it holds no certificate in PEM form (-----BEGIN CERTIFICATE-----)")]
    NoCertificate,
    #[error("its certificate cannot be parsed: {0}")]
    BrokenCertificate(String),
    #[error("it holds no private key in PEM form (-----BEGIN PRIVATE KEY-----), or one with a password")]
    NoKey,
    #[error("its private key cannot be used: {0}")]
    BrokenKey(String),
    #[error("its private key does not belong to the certificate")]
    Mismatch,
}

impl CertificateError {
    /// Whether the problem is in the private key, and not in the certificate.
    pub const fn is_of_key(&self) -> bool {
        matches!(self, Self::NoKey | Self::BrokenKey(_) | Self::Mismatch)
    }
}

impl Certificate {
    /// `chain` begins with the certificate of this server. The two texts may be the same one.
    pub fn from_pem(chain: &[u8], key: &[u8]) -> Result<Self, CertificateError> {
        let broken = |error: &dyn std::fmt::Display| CertificateError::BrokenCertificate(error.to_string());
        let chain: Vec<_> =
            CertificateDer::pem_slice_iter(chain).collect::<Result<_, _>>().map_err(|error| broken(&error))?;
        let first = chain.first().ok_or(CertificateError::NoCertificate)?;
        let [valid_from, expires_at] = validity(first).map_err(|error| broken(&error))?;
        let key = PrivateKeyDer::from_pem_slice(key).map_err(|error| match error {
            rustls::pki_types::pem::Error::NoItemsFound => CertificateError::NoKey,
            error => CertificateError::BrokenKey(error.to_string()),
        })?;
        let provider = rustls::crypto::aws_lc_rs::default_provider();
        let key = provider.key_provider.load_private_key(key);
        let key = key.map_err(|error| CertificateError::BrokenKey(error.to_string()))?;
        let certified = CertifiedKey::new(chain, key);
        match certified.keys_match() {
            Ok(()) | Err(rustls::Error::InconsistentKeys(rustls::InconsistentKeys::Unknown)) => {}
            Err(rustls::Error::InconsistentKeys(_)) => return Err(CertificateError::Mismatch),
            Err(error) => return Err(broken(&error)),
        }
        Ok(Self { certified: Arc::new(certified), valid_from, expires_at })
    }

    /// When a third of its life is left, which is when ACME renews it.
    pub fn renews_at(&self) -> Timestamp {
        self.expires_at.plus_seconds(-(self.expires_at.seconds_since(self.valid_from) / 3))
    }

    /// Whether clients accept the certificate for this host.
    pub fn is_for(&self, host: &str) -> bool {
        let first = self.certified.cert.first().map(ParsedCertificate::try_from);
        let host = ServerName::try_from(host.trim_start_matches('[').trim_end_matches(']'));
        matches!((first, host), (Some(Ok(certificate)), Ok(host)) if verify_server_name(&certificate, &host).is_ok())
    }
}

/// When a certificate in DER form begins and ends to be valid.
fn validity(der: &[u8]) -> Result<[Timestamp; 2], x509_parser::nom::Err<X509Error>> {
    let (_, certificate) = parse_x509_certificate(der)?;
    let validity = certificate.validity();
    Ok([validity.not_before, validity.not_after].map(|time| Timestamp::from_seconds(time.timestamp())))
}
