//! The legacy JWT: issued by Switchboard and signed with HS256; those of earlier versions have no expiry. This module
//! signs tokens, verifies their signature and parses their claims; the caller checks the expiry, the credential version
//! and whether the `jti` is revoked.

use std::borrow::Cow;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use domain::base::keys::{Keyring, Purpose, Subkey};
use domain::identity::roles::Role;
use domain::{AccountId, JwtId, TenantId, Timestamp};
use serde::{Deserialize, Serialize};

use super::jwt::{self, Compact, Malformed};
use crate::identity::gate::Unauthenticated;

const ISSUER: &str = "switchboard";
const ALGORITHM: &str = "HS256";
const SIGNATURE_BYTES: usize = 32;

/// The kind of a JWT by its issuer. Nothing of it is verified.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum JwtKind {
    Legacy,
    Issuer(String),
}

/// `None` if the text is no JWT or names no issuer. Verifies nothing.
pub fn kind_of(token: &str) -> Option<JwtKind> {
    let issuer = jwt::unverified_issuer(token).ok()?;
    Some(if issuer == ISSUER { JwtKind::Legacy } else { JwtKind::Issuer(issuer) })
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LegacyClaims {
    pub account: AccountId,
    pub tenant: TenantId,
    pub role: Role,
    pub jti: JwtId,
    /// In whole seconds, as JWTs have it.
    pub issued_at: Timestamp,
    /// In whole seconds; none for a token without an end.
    pub expires_at: Option<Timestamp>,
    /// The account's credential version when the token was issued.
    pub version: i64,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LegacyJwtError {
    #[error("the token is not well formed: {0}")]
    Malformed(&'static str),
    #[error("the token is not well formed: {0}")]
    Shape(#[from] Malformed),
    #[error("the token was not signed by this server")]
    NotOurs,
}

impl LegacyJwtError {
    pub const fn reason(&self) -> Unauthenticated {
        match self {
            Self::Malformed(_) | Self::Shape(_) => Unauthenticated::TokenMalformed,
            Self::NotOurs => Unauthenticated::TokenUnknown,
        }
    }
}

/// The keys for signatures: the present one signs, and the present and the previous one verify.
#[derive(Debug, Clone)]
pub struct LegacyJwtKeys {
    present: Subkey,
    previous: Option<Subkey>,
}

impl LegacyJwtKeys {
    pub fn new(keyring: &Keyring) -> Self {
        let subkey = |key: &domain::base::keys::SecretKey| key.subkey(Purpose::LegacyJwt);
        Self { present: subkey(keyring.present()), previous: keyring.previous().map(subkey) }
    }

    pub fn sign(&self, claims: &LegacyClaims) -> String {
        let payload = WireClaims::from(claims).to_json();
        let mut token = URL_SAFE_NO_PAD.encode(format!(r#"{{"alg":"{ALGORITHM}","typ":"JWT"}}"#));
        token.push('.');
        URL_SAFE_NO_PAD.encode_string(payload, &mut token);
        let signature = self.present.mac(token.as_bytes());
        token.push('.');
        URL_SAFE_NO_PAD.encode_string(signature, &mut token);
        token
    }

    pub fn verify(&self, token: &str) -> Result<LegacyClaims, LegacyJwtError> {
        let token = Compact::parse(token)?;
        if token.header.alg != ALGORITHM {
            return Err(LegacyJwtError::Malformed("tokens from this issuer must be signed with HS256"));
        }
        if !self.made(&token) {
            return Err(LegacyJwtError::NotOurs);
        }
        let claims: WireClaims<'_> =
            serde_json::from_slice(&token.payload).map_err(|_| LegacyJwtError::Malformed("a claim is missing"))?;
        claims.typed().ok_or(LegacyJwtError::Malformed("a claim has an invalid value"))
    }

    /// True if one of our keys made the signature. Requires its full length: `Subkey::verifies` alone would accept a
    /// truncated one.
    fn made(&self, token: &Compact<'_>) -> bool {
        let mut keys = std::iter::once(&self.present).chain(&self.previous);
        token.signature.len() == SIGNATURE_BYTES && keys.any(|key| key.verifies(token.message, &token.signature))
    }
}

#[derive(Serialize, Deserialize)]
struct WireClaims<'a> {
    #[serde(borrow)]
    iss: Cow<'a, str>,
    #[serde(borrow)]
    sub: Cow<'a, str>,
    #[serde(borrow)]
    tenant: Cow<'a, str>,
    #[serde(borrow)]
    role: Cow<'a, str>,
    #[serde(borrow)]
    jti: Cow<'a, str>,
    iat: i64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    exp: Option<i64>,
    ver: i64,
}

impl From<&LegacyClaims> for WireClaims<'static> {
    fn from(claims: &LegacyClaims) -> Self {
        Self {
            iss: ISSUER.into(),
            sub: claims.account.to_string().into(),
            tenant: claims.tenant.to_string().into(),
            role: claims.role.name().into(),
            jti: claims.jti.to_string().into(),
            iat: claims.issued_at.seconds(),
            exp: claims.expires_at.map(Timestamp::seconds),
            ver: claims.version,
        }
    }
}

impl WireClaims<'_> {
    fn to_json(&self) -> Vec<u8> {
        // Serializing a struct of strings and integers cannot fail.
        domain::to_json(self).into_bytes()
    }

    fn typed(&self) -> Option<LegacyClaims> {
        if self.iss != ISSUER {
            return None;
        }
        Some(LegacyClaims {
            account: self.sub.parse().ok()?,
            tenant: self.tenant.parse().ok()?,
            role: self.role.parse().ok()?,
            jti: self.jti.parse().ok()?,
            issued_at: Timestamp::from_micros(self.iat.checked_mul(1_000_000)?),
            expires_at: match self.exp {
                Some(seconds) => Some(Timestamp::from_micros(seconds.checked_mul(1_000_000)?)),
                None => None,
            },
            version: self.ver,
        })
    }
}

#[cfg(test)]
mod tests {
    use domain::base::keys::SecretKey;
    use jsonwebtoken::{Algorithm, DecodingKey, EncodingKey, Validation};
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::*;
    use domain::Id;

    fn claims() -> LegacyClaims {
        let at = Timestamp::from_seconds(1_776_000_000);
        LegacyClaims {
            account: Id::new(at),
            tenant: TenantId::FIRST,
            role: Role::Developer,
            jti: Id::new(at),
            issued_at: at,
            expires_at: None,
            version: 3,
        }
    }

    fn keys() -> (LegacyJwtKeys, Subkey) {
        let key = SecretKey::random();
        let subkey = key.subkey(Purpose::LegacyJwt);
        (LegacyJwtKeys::new(&Keyring::new(key, None)), subkey)
    }

    /// A token with any header and payload, signed with the right key.
    fn forge(key: &Subkey, header: &Value, payload: &Value) -> String {
        let message =
            format!("{}.{}", URL_SAFE_NO_PAD.encode(header.to_string()), URL_SAFE_NO_PAD.encode(payload.to_string()));
        let signature = URL_SAFE_NO_PAD.encode(key.mac(message.as_bytes()));
        format!("{message}.{signature}")
    }

    fn wire(claims: &LegacyClaims) -> Value {
        serde_json::to_value(WireClaims::from(claims)).unwrap()
    }

    #[test]
    fn what_is_signed_is_verified_and_is_of_our_kind() {
        let (keys, _) = keys();
        let token = keys.sign(&claims());
        assert_eq!(keys.verify(&token), Ok(claims_of(&token)));
        assert_eq!(kind_of(&token), Some(JwtKind::Legacy));
    }

    fn claims_of(token: &str) -> LegacyClaims {
        let payload = Compact::parse(token).unwrap().payload;
        serde_json::from_slice::<WireClaims<'_>>(&payload).unwrap().typed().unwrap()
    }

    #[test]
    fn another_implementation_reads_and_writes_the_same_tokens() {
        let (keys, subkey) = keys();
        let claims = claims();
        let mut validation = Validation::new(Algorithm::HS256);
        validation.required_spec_claims.clear();
        let theirs = DecodingKey::from_secret(subkey.bytes());
        let read = jsonwebtoken::decode::<Value>(keys.sign(&claims), &theirs, &validation).unwrap();
        assert_eq!(read.claims["tenant"], json!("100001"));
        assert_eq!(read.claims["role"], json!("DEVELOPER"));
        assert_eq!((&read.claims["ver"], &read.claims["iat"]), (&json!(3), &json!(1_776_000_000)));

        let key = EncodingKey::from_secret(subkey.bytes());
        let written = jsonwebtoken::encode(&jsonwebtoken::Header::default(), &wire(&claims), &key).unwrap();
        assert_eq!(keys.verify(&written), Ok(claims));
    }

    #[test]
    fn a_rotated_key_still_verifies_but_no_longer_signs() {
        let (old, new) = (SecretKey::random(), SecretKey::random());
        let before = LegacyJwtKeys::new(&Keyring::new(old.clone(), None));
        let during = LegacyJwtKeys::new(&Keyring::new(new.clone(), Some(old)));
        let after = LegacyJwtKeys::new(&Keyring::new(new, None));
        let token = before.sign(&claims());
        assert!(during.verify(&token).is_ok());
        assert_eq!(after.verify(&token), Err(LegacyJwtError::NotOurs));
        assert_eq!(before.verify(&during.sign(&claims())), Err(LegacyJwtError::NotOurs));
    }

    #[test]
    fn a_cut_or_changed_signature_is_not_ours() {
        let (keys, subkey) = keys();
        let token = keys.sign(&claims());
        let (message, _) = token.rsplit_once('.').unwrap();
        let mac = subkey.mac(message.as_bytes());
        for signature in [&mac[..31], &mac[..16], &[], &[0; 32]] {
            let changed = format!("{message}.{}", URL_SAFE_NO_PAD.encode(signature));
            assert_eq!(keys.verify(&changed).unwrap_err().reason(), Unauthenticated::TokenUnknown);
        }
    }

    #[test]
    fn other_algorithms_and_extensions_are_refused_even_with_our_signature() {
        let (keys, subkey) = keys();
        for header in [
            json!({"alg": "none"}),
            json!({"alg": "HS512"}),
            json!({"alg": "hs256"}),
            json!({"typ": "JWT"}),
            json!({"alg": "HS256", "crit": ["b64"], "b64": false}),
        ] {
            let token = forge(&subkey, &header, &wire(&claims()));
            assert_eq!(keys.verify(&token).unwrap_err().reason(), Unauthenticated::TokenMalformed, "{header}");
        }
    }

    #[test]
    fn claims_must_be_there_and_possible() {
        let (keys, subkey) = keys();
        let changes = [
            ("iss", json!("elsewhere")),
            ("sub", json!("")),
            ("tenant", json!("0")),
            ("tenant", json!(100_001)),
            ("role", json!("OWNER")),
            ("jti", json!("x")),
            ("iat", json!(i64::MAX)),
            ("exp", json!(i64::MAX)),
            ("exp", json!("tomorrow")),
            ("ver", json!("3")),
            ("ver", Value::Null),
        ];
        for (name, value) in changes {
            let mut payload = wire(&claims());
            payload[name] = value;
            let token = forge(&subkey, &json!({"alg": "HS256"}), &payload);
            assert_eq!(keys.verify(&token).unwrap_err().reason(), Unauthenticated::TokenMalformed, "{payload}");
        }
    }

    #[test]
    fn the_kind_is_chosen_by_the_issuer_alone() {
        let part = |value: Value| URL_SAFE_NO_PAD.encode(value.to_string());
        let foreign = format!("{}.{}.", part(json!({})), part(json!({"iss": "https://id.example.com"})));
        assert_eq!(kind_of(&foreign), Some(JwtKind::Issuer("https://id.example.com".into())));
        let twice = URL_SAFE_NO_PAD.encode(r#"{"iss":"switchboard","iss":"https://id.example.com"}"#);
        for none in [
            String::new(),
            "swb_abc".into(),
            "a.b".into(),
            "..".into(),
            format!("x.{}.y.z", part(json!({"iss": "switchboard"}))),
            format!("x.{}.y", part(json!({"sub": "1"}))),
            format!("x.{}.y", part(json!({"iss": 7}))),
            format!("x.{}.y", part(json!(["switchboard"]))),
            format!("x.{twice}.y"),
            format!("x.{}.{}", part(json!({"iss": "switchboard"})), "y".repeat(17_000)),
        ] {
            assert_eq!(kind_of(&none), None, "{none:.60}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in "\\PC{0,80}|[A-Za-z0-9_-]{0,40}\\.[A-Za-z0-9_-]{0,40}\\.[A-Za-z0-9_-]{0,40}") {
            let (keys, _) = keys();
            let _ = kind_of(&text);
            prop_assert!(keys.verify(&text).is_err());
        }

        #[test]
        fn any_payload_is_read_or_refused(header: Vec<u8>, payload: Vec<u8>, signature: Vec<u8>) {
            let (keys, _) = keys();
            let token = [header, payload, signature].map(|part| URL_SAFE_NO_PAD.encode(part)).join(".");
            let _ = kind_of(&token);
            prop_assert!(keys.verify(&token).is_err());
        }

        #[test]
        fn every_claim_survives(seconds in 0_i64..4_000_000_000, lasts in proptest::option::of(1_i64..400_000_000), tenant in 1_i64..1_000_000_000_000, version: i64, role in 0_usize..5) {
            let (keys, _) = keys();
            let at = Timestamp::from_seconds(seconds);
            let claims = LegacyClaims {
                account: Id::new(at), tenant: TenantId::from_number(tenant), role: Role::ALL[role],
                jti: Id::new(at), issued_at: at, version,
                expires_at: lasts.map(|seconds| at.plus_seconds(seconds)),
            };
            prop_assert_eq!(keys.verify(&keys.sign(&claims)), Ok(claims));
        }
    }
}
