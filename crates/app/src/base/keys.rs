//! The subkeys in use, derived once, and the check that the database belongs to the secret key.

use domain::base::keys::{Keyring, Purpose, SecretKey, Subkey};
use store::Db;

#[derive(Debug)]
pub struct Keys {
    /// In this list and those below, the present key comes first.
    pub token_hash: Vec<Subkey>,
    pub cursor: Vec<Subkey>,
    pub session: Vec<Subkey>,
    pub stored_secret: Vec<Subkey>,
    pub click_code: Vec<Subkey>,
}

impl Keys {
    pub(crate) fn new(keyring: &Keyring) -> Self {
        Self {
            token_hash: keyring.subkeys(Purpose::TokenHash),
            cursor: keyring.subkeys(Purpose::Cursor),
            session: keyring.subkeys(Purpose::Session),
            stored_secret: keyring.subkeys(Purpose::StoredSecret),
            click_code: keyring.subkeys(Purpose::ClickCode),
        }
    }
}

#[derive(Debug, thiserror::Error)]
pub enum KeyError {
    #[error(
        "secret_key: this database belongs to the key {expected}, but the configured key is {given}. Configure the right key. To change keys, set secret_key to the new key and secret_key_previous to the old one"
    )]
    Mismatch { expected: String, given: String },
    #[error(transparent)]
    Store(#[from] store::Error),
}

impl store::Failure for KeyError {
    fn store_error(&self) -> Option<&store::Error> {
        match self {
            Self::Store(error) => Some(error),
            Self::Mismatch { .. } => None,
        }
    }
}

/// Binds the database to the secret key. An empty database stores the key's fingerprint. A key with another fingerprint
/// is refused, unless the stored one is that of the previous key: then the new fingerprint is stored.
#[boxed::futures]
pub async fn claim(db: &Db, keyring: &Keyring) -> Result<(), KeyError> {
    let fingerprints = (keyring.present().fingerprint(), keyring.previous().map(SecretKey::fingerprint));
    if store::base::installation::key_fingerprint(db).await?.as_ref() == Some(&fingerprints.0) {
        return Ok(());
    }
    db.write(fingerprints, |tx, (present, previous)| {
        Box::pin(async move {
            match store::base::installation::key_fingerprint_in(tx).await? {
                Some(known) if known == *present => Ok(()),
                Some(known) if Some(&known) != previous.as_ref() => {
                    Err(KeyError::Mismatch { expected: known, given: present.clone() })
                }
                _ => Ok(store::base::installation::set_key_fingerprint(tx, present).await?),
            }
        })
    })
    .await
}
