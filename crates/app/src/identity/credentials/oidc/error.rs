//! Why a token of an OpenID Connect issuer was refused. The HTTP client gets the messages, so they hold no secret.

use domain::Timestamp;

use crate::identity::credentials::jwt::Malformed;
use crate::identity::gate::Unauthenticated;

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum OidcError {
    #[error("the token is not well formed: {0}")]
    Malformed(#[from] Malformed),
    #[error("this server does not trust the issuer {issuer:?}")]
    UnknownIssuer { issuer: String },
    #[error("tokens must be signed with RS256, ES256 or EdDSA; this one says {alg:?}")]
    Algorithm { alg: String },
    #[error("the key that signed the token is published for a different algorithm than {alg}")]
    KeyAlgorithm { alg: &'static str },
    #[error(
        "the issuer publishes no key that matches the token's `kid`; new keys are fetched at most every 30 seconds"
    )]
    KeyUnknown,
    #[error("the token's signature is invalid")]
    Signature,
    #[error("the token is not for this server: its `aud` must contain {expected:?}")]
    Audience { expected: String },
    #[error("the token expired at {}", at.to_rfc3339())]
    Expired { at: Timestamp },
    #[error("the token is not valid before {}", from.to_rfc3339())]
    NotYetValid { from: Timestamp },
    #[error("the token's claims are not accepted: {0}")]
    Claims(&'static str),
    #[error("the issuer's keys cannot be fetched at the moment")]
    Unavailable,
}

impl OidcError {
    pub const fn reason(&self) -> Unauthenticated {
        match self {
            Self::Malformed(_) => Unauthenticated::TokenMalformed,
            Self::UnknownIssuer { .. } => Unauthenticated::OidcUnknownIssuer,
            Self::Algorithm { .. } | Self::KeyAlgorithm { .. } => Unauthenticated::OidcAlgorithm,
            Self::KeyUnknown => Unauthenticated::OidcKeyUnknown,
            Self::Signature => Unauthenticated::OidcSignature,
            Self::Audience { .. } => Unauthenticated::OidcAudience,
            Self::Expired { .. } => Unauthenticated::OidcExpired,
            Self::NotYetValid { .. } => Unauthenticated::OidcNotYetValid,
            Self::Claims(_) => Unauthenticated::OidcClaims,
            Self::Unavailable => Unauthenticated::OidcUnavailable,
        }
    }

    pub(super) fn unknown_issuer(issuer: &str) -> Self {
        Self::UnknownIssuer { issuer: shortened(issuer) }
    }

    pub(super) fn algorithm(alg: &str) -> Self {
        Self::Algorithm { alg: shortened(alg) }
    }
}

/// Bounds the length of text from a token that an error quotes.
fn shortened(text: &str) -> String {
    const LONGEST: usize = 100;
    if text.chars().nth(LONGEST).is_none() {
        return text.to_owned();
    }
    text.chars().take(LONGEST).chain(['…']).collect()
}
