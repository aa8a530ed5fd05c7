//! Certificate files: read at the start, and again whenever they change.
//!
//! A task compares the contents of both files every few seconds, and at once on SIGHUP. Contents that cannot be used
//! (a file is missing, only one of the two has been replaced yet) are logged once and leave the certificate in use.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use anyhow::anyhow;
use store::Wakeup;
use zeroize::Zeroizing;

use super::certificate::Certificate;
use super::resolver::CertificateResolver;

const LOOK_EVERY: Duration = Duration::from_secs(5);

#[derive(Debug, Clone)]
pub(super) struct CertificateFiles {
    pub certificate: PathBuf,
    pub key: PathBuf,
}

/// Certificate file and key file.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Contents {
    certificate: Zeroizing<Vec<u8>>,
    key: Zeroizing<Vec<u8>>,
}

impl std::fmt::Debug for Contents {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Contents(…)")
    }
}

impl CertificateFiles {
    pub fn read(&self) -> anyhow::Result<Contents> {
        Ok(Contents { certificate: read("certificate", &self.certificate)?, key: read("key", &self.key)? })
    }

    /// Parses the contents. Errors name the setting, the file and what to do.
    pub fn parse(&self, contents: &Contents) -> anyhow::Result<Certificate> {
        Certificate::from_pem(&contents.certificate, &contents.key).map_err(|error| {
            let (certificate, key) = (self.certificate.display(), self.key.display());
            if error.is_of_key() {
                anyhow!("https.key: {key}: {error}; give the private key that belongs to the certificate {certificate}")
            } else {
                anyhow!("https.certificate: {certificate}: {error}; give the certificate of this server and its chain")
            }
        })
    }

    /// Deploys changed files until it is dropped. `used` is what is deployed already.
    pub async fn watch(self, used: Contents, resolver: Arc<CertificateResolver>, reload: Arc<Wakeup>) {
        // None: the files could not be read.
        let mut seen = Some(used);
        loop {
            tokio::select! {
                () = tokio::time::sleep(LOOK_EVERY) => {}
                () = reload.woken() => tracing::info!("SIGHUP: the certificate files are read again"),
            }
            let files = self.clone();
            let Ok(found) = tokio::task::spawn_blocking(move || files.read()).await else { continue };
            let loaded = match &found {
                Ok(contents) if seen.as_ref() == Some(contents) => continue,
                Err(_) if seen.is_none() => continue,
                Ok(contents) => self.parse(contents),
                Err(error) => Err(anyhow!("{error}")),
            };
            seen = found.ok();
            match loaded {
                Ok(certificate) => {
                    tracing::info!(
                        expires_at = certificate.expires_at.to_rfc3339(),
                        "the certificate files changed and are in use"
                    );
                    resolver.deploy(certificate);
                }
                Err(error) => tracing::error!(%error, "the changed certificate files are not used; the old ones are"),
            }
        }
    }
}

fn read(setting: &str, path: &Path) -> anyhow::Result<Zeroizing<Vec<u8>>> {
    std::fs::read(path).map(Zeroizing::new).map_err(|error| {
        let variable = setting.to_ascii_uppercase();
        anyhow!(
            "https.{setting}: the file {} cannot be read: {error}; give a PEM file that the server may read \
             (SWITCHBOARD_HTTPS_{variable})",
            path.display()
        )
    })
}
