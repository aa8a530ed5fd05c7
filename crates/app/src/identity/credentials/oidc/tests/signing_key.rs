//! Keys of tests: their published form, and the tokens that they sign.

use aws_lc_rs::encoding::{AsDer as _, Pkcs8V1Der};
use aws_lc_rs::rand::SystemRandom;
use aws_lc_rs::rsa::{KeyPair as RsaKeyPair, KeySize};
use aws_lc_rs::signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, Ed25519KeyPair};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use jsonwebtoken::jwk::Jwk;
use jsonwebtoken::{Algorithm, EncodingKey, Header};
use serde_json::Value;

/// Length of the PKCS #8 prefix of an RSA key of 2048 bits.
const PKCS8_PREFIX: usize = 26;

pub struct SigningKey {
    pub kid: String,
    pub alg: Algorithm,
    pub secret: EncodingKey,
}

impl SigningKey {
    pub fn new(kid: &str, alg: Algorithm) -> Self {
        let random = SystemRandom::new();
        let secret = match alg {
            Algorithm::RS256 => {
                let pair = RsaKeyPair::generate(KeySize::Rsa2048).unwrap();
                let der: Pkcs8V1Der<'_> = pair.as_der().unwrap();
                EncodingKey::from_rsa_der(&der.as_ref()[PKCS8_PREFIX..])
            }
            Algorithm::ES256 => {
                let pair = EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, &random).unwrap();
                EncodingKey::from_ec_der(pair.as_ref())
            }
            _ => EncodingKey::from_ed_der(Ed25519KeyPair::generate_pkcs8v1(&random).unwrap().as_ref()),
        };
        Self { kid: kid.to_owned(), alg, secret }
    }

    /// The public key as the issuer publishes it.
    pub fn jwk(&self) -> Value {
        let mut jwk = serde_json::to_value(Jwk::from_encoding_key(&self.secret, self.alg).unwrap()).unwrap();
        jwk["kid"] = self.kid.clone().into();
        jwk["use"] = "sig".into();
        jwk
    }

    /// The published key with one member changed, or left out if the value is null.
    pub fn jwk_with(&self, member: &str, value: Value) -> Value {
        let mut jwk = self.jwk();
        if value.is_null() {
            jwk.as_object_mut().unwrap().remove(member);
        } else {
            jwk[member] = value;
        }
        jwk
    }

    pub fn sign(&self, claims: &Value) -> String {
        let header = Header { kid: Some(self.kid.clone()), ..Header::new(self.alg) };
        self.sign_with(&header, claims)
    }

    pub fn sign_with(&self, header: &Header, claims: &Value) -> String {
        jsonwebtoken::encode(header, claims, &self.secret).unwrap()
    }

    /// Signs a payload as it is written, also one that no JSON serializer would write.
    pub fn sign_text(&self, payload: &str) -> String {
        let header = serde_json::json!({"alg": self.alg, "kid": self.kid, "typ": "JWT"});
        let message = format!("{}.{}", URL_SAFE_NO_PAD.encode(header.to_string()), URL_SAFE_NO_PAD.encode(payload));
        let signature = jsonwebtoken::crypto::sign(message.as_bytes(), &self.secret, self.alg).unwrap();
        format!("{message}.{signature}")
    }
}
