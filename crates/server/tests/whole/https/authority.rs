//! A certificate authority for tests, and a client that trusts it alone.

use std::path::PathBuf;

use rcgen::{BasicConstraints, CertificateParams, CertifiedKey, DnType, IsCa, KeyPair, KeyUsagePurpose};

use crate::home::Home;

/// Names of the server: this machine, and the one of the documentation.
const NAMES: [&str; 3] = ["localhost", "127.0.0.1", "wa.example.com"];

pub struct Authority {
    issuer: CertifiedKey,
}

/// A certificate with its key, as PEM.
pub struct Issued {
    pub certificate: String,
    pub key: String,
}

impl Authority {
    pub fn new() -> Self {
        let mut params = CertificateParams::default();
        params.distinguished_name.push(DnType::CommonName, "Authority of a test");
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
        let key_pair = KeyPair::generate().unwrap();
        Self { issuer: CertifiedKey { cert: params.self_signed(&key_pair).unwrap(), key_pair } }
    }

    pub fn pem(&self) -> String {
        self.issuer.cert.pem()
    }

    /// A certificate for `NAMES`: its chain is the authority itself.
    pub fn issue(&self) -> Issued {
        let key = KeyPair::generate().unwrap();
        let params = CertificateParams::new(NAMES.map(str::to_owned)).unwrap();
        let certificate = params.signed_by(&key, &self.issuer.cert, &self.issuer.key_pair).unwrap();
        Issued { certificate: certificate.pem() + &self.pem(), key: key.serialize_pem() }
    }

    pub fn client(&self) -> reqwest::ClientBuilder {
        trusting(&self.pem())
    }
}

/// A client without a proxy that trusts this authority alone and reports the server's certificate.
pub fn trusting(authority: &str) -> reqwest::ClientBuilder {
    let root = reqwest::Certificate::from_pem(authority.as_bytes()).unwrap();
    reqwest::Client::builder().no_proxy().tls_info(true).tls_certs_only([root])
}

impl Issued {
    /// Writes both files; each is replaced as a whole, as programs that renew certificates do.
    pub fn write(&self, home: &Home) -> [PathBuf; 2] {
        let files = [home.file("certificate.pem"), home.file("key.pem")];
        for (file, text) in files.iter().zip([&self.certificate, &self.key]) {
            let new = file.with_extension("new");
            std::fs::write(&new, text).unwrap();
            std::fs::rename(&new, file).unwrap();
        }
        files
    }
}

/// The server's certificate of the connection that carried this answer, in DER form.
pub fn certificate_of(answer: &reqwest::Response) -> Vec<u8> {
    answer.extensions().get::<reqwest::tls::TlsInfo>().unwrap().peer_certificate().unwrap().to_vec()
}
