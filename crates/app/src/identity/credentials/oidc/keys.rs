//! An issuer's published keys, and the check of a signature against them. Each key is bound to one algorithm by its
//! type and curve, so a token's header cannot select another.

use domain::Timestamp;
use jsonwebtoken::{Algorithm, DecodingKey};
use serde::Deserialize;
use serde_json::Value;

use super::error::OidcError;
use crate::identity::credentials::jwt::Compact;

/// The accepted signature algorithms.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Signing {
    Rs256,
    Es256,
    EdDsa,
}

impl Signing {
    pub(super) fn named(alg: &str) -> Result<Self, OidcError> {
        let known = [Self::Rs256, Self::Es256, Self::EdDsa].into_iter().find(|known| known.name() == alg);
        known.ok_or_else(|| OidcError::algorithm(alg))
    }

    const fn name(self) -> &'static str {
        match self {
            Self::Rs256 => "RS256",
            Self::Es256 => "ES256",
            Self::EdDsa => "EdDSA",
        }
    }

    const fn implementation(self) -> Algorithm {
        match self {
            Self::Rs256 => Algorithm::RS256,
            Self::Es256 => Algorithm::ES256,
            Self::EdDsa => Algorithm::EdDSA,
        }
    }
}

/// All usable keys of one fetch.
#[derive(Debug)]
pub(super) struct KeySet {
    keys: Vec<Key>,
    pub(super) fetched_at: Timestamp,
}

#[derive(Debug)]
struct Key {
    id: Option<String>,
    signing: Signing,
    public: DecodingKey,
}

impl KeySet {
    /// Skips published keys that cannot verify tokens (for encryption, on other curves, damaged).
    pub(super) fn from_jwks(published: &[Value], fetched_at: Timestamp) -> Self {
        let read = |value: &Value| Jwk::deserialize(value).ok()?.usable();
        Self { keys: published.iter().filter_map(read).collect(), fetched_at }
    }

    pub(super) fn len(&self) -> usize {
        self.keys.len()
    }

    /// Checks the signature of a token. A token without a `kid` may be signed by any key of its algorithm; if none of
    /// them signed it, the error is `KeyUnknown`, since the key may be new.
    pub(super) fn check(&self, token: &Compact<'_>, signing: Signing) -> Result<(), OidcError> {
        let wanted = token.header.kid.as_deref();
        let named = || self.keys.iter().filter(|key| wanted.is_none() || key.id.as_deref() == wanted);
        let mut fitting = named().filter(|key| key.signing == signing).peekable();
        if fitting.peek().is_none() {
            let elsewhere = wanted.is_some() && named().next().is_some();
            let wrong_algorithm = OidcError::KeyAlgorithm { alg: signing.name() };
            return Err(if elsewhere { wrong_algorithm } else { OidcError::KeyUnknown });
        }
        if fitting.any(|key| key.signed(token)) {
            return Ok(());
        }
        Err(if wanted.is_some() { OidcError::Signature } else { OidcError::KeyUnknown })
    }
}

impl Key {
    fn signed(&self, token: &Compact<'_>) -> bool {
        let algorithm = self.signing.implementation();
        jsonwebtoken::crypto::verify(token.signature_text, token.message, &self.public, algorithm).unwrap_or(false)
    }
}

/// The members of a published key (RFC 7517) that are used.
#[derive(Deserialize)]
struct Jwk {
    kty: String,
    crv: Option<String>,
    alg: Option<String>,
    #[serde(rename = "use")]
    used_for: Option<String>,
    key_ops: Option<Vec<String>>,
    kid: Option<String>,
    n: Option<String>,
    e: Option<String>,
    x: Option<String>,
    y: Option<String>,
}

impl Jwk {
    fn usable(self) -> Option<Key> {
        let signing = self.signing().filter(|signing| self.verifies_signatures() && self.declares(*signing))?;
        let public = self.decoding_key(signing)?;
        Some(Key { id: self.kid, signing, public })
    }

    fn signing(&self) -> Option<Signing> {
        match (self.kty.as_str(), self.crv.as_deref()) {
            ("RSA", None) => Some(Signing::Rs256),
            ("EC", Some("P-256")) => Some(Signing::Es256),
            ("OKP", Some("Ed25519")) => Some(Signing::EdDsa),
            _ => None,
        }
    }

    fn verifies_signatures(&self) -> bool {
        self.used_for.as_deref().is_none_or(|used_for| used_for == "sig")
            && self.key_ops.as_ref().is_none_or(|operations| operations.iter().any(|operation| operation == "verify"))
    }

    /// True if the key names no other algorithm. `Ed25519` is the newer name of `EdDSA` on that curve (RFC 9864).
    fn declares(&self, signing: Signing) -> bool {
        self.alg.as_deref().is_none_or(|alg| alg == signing.name() || (signing == Signing::EdDsa && alg == "Ed25519"))
    }

    fn decoding_key(&self, signing: Signing) -> Option<DecodingKey> {
        let key = match signing {
            Signing::Rs256 => DecodingKey::from_rsa_components(self.n.as_deref()?, self.e.as_deref()?),
            Signing::Es256 => DecodingKey::from_ec_components(self.x.as_deref()?, self.y.as_deref()?),
            Signing::EdDsa => DecodingKey::from_ed_components(self.x.as_deref()?),
        };
        key.ok()
    }
}
