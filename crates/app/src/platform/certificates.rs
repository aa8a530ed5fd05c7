//! What the server keeps of the certificate that it orders for HTTPS: the certificate with its key, and the key of its
//! account at the certificate authority.
//!
//! Both are stored sealed in the database, so that a restart orders nothing and all nodes have the same certificate.
//! One node at a time orders, under a lease; after a crash another node continues when the lease ends. The order
//! itself is in `server` (`https/acme.rs`).

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use domain::base::keys::Subkey;
use zeroize::Zeroizing;

use crate::platform::Platform;
use crate::{Error, Fault, Result};

const LEASE: &str = "certificates";
const LEASE_SECONDS: i64 = 90;

#[derive(Debug)]
pub struct Certificates<'a>(&'a Platform);

impl Platform {
    pub fn certificates(&self) -> Certificates<'_> {
        Certificates(self)
    }
}

#[boxed::futures]
impl Certificates<'_> {
    /// Takes or extends the lease of the node that orders. False while another node holds it.
    pub async fn hold_lease(&self) -> Result<bool> {
        let input = (self.0.node_name().to_owned(), self.0.now());
        let lease = self.0.db().write(input, |tx, (holder, now)| {
            Box::pin(store::base::leases::acquire(tx, LEASE, holder, *now, now.plus_seconds(LEASE_SECONDS)))
        });
        Ok(lease.await?.is_some())
    }

    /// Reads what was saved under this name. None if there is nothing, or if neither the present nor the previous
    /// secret key opens it: then it is ordered again. What the previous key opens is sealed with the present one.
    pub async fn load(&self, name: &str) -> Result<Option<Zeroizing<Vec<u8>>>> {
        let Some(stored) = store::base::installation::sealed(self.0.db(), name).await? else { return Ok(None) };
        let sealed = STANDARD.decode(stored).unwrap_or_default();
        let mut keys = self.0.keys().stored_secret.iter().enumerate();
        let opened = |(index, key): (usize, &Subkey)| Some((index, key.open(&bound_to(name), &sealed).ok()?));
        let Some((index, plain)) = keys.find_map(opened) else {
            tracing::warn!(name, "a stored secret of HTTPS is sealed with another key and is made anew");
            return Ok(None);
        };
        if index > 0 {
            self.save(name, &plain).await?;
        }
        Ok(Some(plain))
    }

    /// Seals and stores a secret under this name, in place of an earlier one.
    pub async fn save(&self, name: &str, plain: &[u8]) -> Result<()> {
        let key = self.0.keys().stored_secret.first().ok_or(Error::Fault(Fault::NoKey))?;
        let sealed = key.seal(&bound_to(name), plain).map_err(|_| Error::Fault(Fault::NoKey))?;
        let input = (name.to_owned(), STANDARD.encode(sealed));
        let write = self
            .0
            .db()
            .write(input, |tx, (name, sealed)| Box::pin(store::base::installation::set_sealed(tx, name, sealed)));
        Ok(write.await?)
    }
}

/// Binds a sealed secret to its name: it cannot be opened under another one.
fn bound_to(name: &str) -> Vec<u8> {
    [b"installation\0", name.as_bytes()].concat()
}
