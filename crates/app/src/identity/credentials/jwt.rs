//! Parses the compact form of a JWT. Checks the form only: what it returns is not verified.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::Deserialize;
use serde::de::DeserializeOwned;

/// Longer tokens are refused without parsing, which bounds the memory that an unauthenticated request can use.
const MAX_BYTES: usize = 16 * 1024;

/// A token's three parts, decoded.
#[derive(Debug)]
pub struct Compact<'a> {
    pub header: Header,
    /// The claims, still JSON.
    pub payload: Vec<u8>,
    /// The bytes that the signature covers: header and payload as they were written.
    pub message: &'a [u8],
    pub signature: Vec<u8>,
    /// The signature as it was written, in Base64.
    pub signature_text: &'a str,
}

#[derive(Debug, Deserialize)]
pub struct Header {
    pub alg: String,
    pub kid: Option<String>,
    pub typ: Option<String>,
    crit: Option<serde::de::IgnoredAny>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Malformed {
    #[error("it is longer than 16 KiB")]
    TooLong,
    #[error("it does not consist of three parts separated by dots")]
    Parts,
    #[error("a part is not base64url without padding")]
    Base64,
    #[error("its header is not a JSON object with an `alg`")]
    Header,
    #[error("its header requires an unsupported extension (`crit`)")]
    Critical,
    #[error("its payload is not a JSON object")]
    Payload,
    #[error("its payload has no `iss`")]
    Issuer,
}

impl<'a> Compact<'a> {
    pub fn parse(token: &'a str) -> Result<Self, Malformed> {
        if token.len() > MAX_BYTES {
            return Err(Malformed::TooLong);
        }
        let (message, signature_text) = token.rsplit_once('.').ok_or(Malformed::Parts)?;
        let (header, payload) = split_message(message)?;
        let header: Header = object(&decode(header)?).ok_or(Malformed::Header)?;
        // An extension that must be understood and is not makes the token invalid (RFC 7515, 4.1.11).
        if header.crit.is_some() {
            return Err(Malformed::Critical);
        }
        let (payload, signature) = (decode(payload)?, decode(signature_text)?);
        Ok(Self { header, payload, message: message.as_bytes(), signature, signature_text })
    }

    pub fn issuer(&self) -> Result<String, Malformed> {
        read_issuer(&self.payload)
    }
}

/// The issuer that a token names, without looking at its header or signature.
pub fn unverified_issuer(token: &str) -> Result<String, Malformed> {
    if token.len() > MAX_BYTES {
        return Err(Malformed::TooLong);
    }
    let (message, _) = token.rsplit_once('.').ok_or(Malformed::Parts)?;
    let (_, payload) = split_message(message)?;
    read_issuer(&decode(payload)?)
}

fn split_message(message: &str) -> Result<(&str, &str), Malformed> {
    message.split_once('.').filter(|(_, payload)| !payload.contains('.')).ok_or(Malformed::Parts)
}

fn decode(part: &str) -> Result<Vec<u8>, Malformed> {
    URL_SAFE_NO_PAD.decode(part).map_err(|_| Malformed::Base64)
}

/// Reads the claim `iss`. A payload with two of them is refused, so that no two parsers can disagree about the issuer.
fn read_issuer(payload: &[u8]) -> Result<String, Malformed> {
    #[derive(Deserialize)]
    struct Named {
        iss: Option<String>,
    }
    object::<Named>(payload).ok_or(Malformed::Payload)?.iss.ok_or(Malformed::Issuer)
}

/// Parses a JSON object. Refuses an array, from which serde would fill a struct as well.
fn object<T: DeserializeOwned>(json: &[u8]) -> Option<T> {
    if json.trim_ascii_start().starts_with(b"{") { serde_json::from_slice(json).ok() } else { None }
}
