//! The secret that signs deliveries, and the signature, as Standard Webhooks describes them.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use zeroize::Zeroizing;

use crate::{DeliveryId, Timestamp};

const PREFIX: &str = "whsec_";
const BYTES: usize = 24;

#[derive(Clone)]
pub struct Secret(Zeroizing<[u8; BYTES]>);

impl std::fmt::Debug for Secret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Secret(…)")
    }
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("a webhook secret must be whsec_ followed by 24 bytes in base64")]
pub struct NotASecret;

impl Secret {
    pub fn random() -> Self {
        Self(Zeroizing::new(rand::random()))
    }

    /// The text that the client sees once and that is stored sealed.
    pub fn to_text(&self) -> Zeroizing<String> {
        Zeroizing::new(format!("{PREFIX}{}", STANDARD.encode(self.0.as_slice())))
    }

    pub fn parse(text: &str) -> Result<Self, NotASecret> {
        let bytes = text.strip_prefix(PREFIX).and_then(|text| STANDARD.decode(text).ok()).ok_or(NotASecret)?;
        let bytes = Zeroizing::new(bytes);
        Ok(Self(Zeroizing::new(bytes.as_slice().try_into().map_err(|_| NotASecret)?)))
    }

    /// `v1,` and the HMAC of `id.timestamp.payload`.
    fn sign(&self, id: &str, seconds: &str, payload: &str) -> String {
        let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(self.0.as_slice()) else { return String::new() };
        for part in [id, ".", seconds, ".", payload] {
            mac.update(part.as_bytes());
        }
        format!("v1,{}", STANDARD.encode(mac.finalize().into_bytes()))
    }
}

/// The value of `webhook-signature`: one signature for each valid secret.
pub fn signature<'a>(
    secrets: impl IntoIterator<Item = &'a Secret>,
    id: DeliveryId,
    at: Timestamp,
    payload: &str,
) -> String {
    let (id, seconds) = (id.to_string(), at.seconds().to_string());
    let each: Vec<String> = secrets.into_iter().map(|secret| secret.sign(&id, &seconds, payload)).collect();
    each.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Id;

    #[test]
    fn a_secret_parses_back_and_debug_hides_it() {
        let secret = Secret::random();
        let text = secret.to_text();
        assert!(text.starts_with("whsec_") && text.len() == 38, "{}", text.len());
        assert_eq!(*Secret::parse(&text).unwrap().to_text(), *text);
        assert_eq!(format!("{secret:?}"), "Secret(…)");
        for bad in ["", "whsec_", "whsec_AAAA", "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", "whsec_!!!!"] {
            assert_eq!(Secret::parse(bad).map(drop), Err(NotASecret), "{bad}");
        }
    }

    #[test]
    fn each_secret_signs_id_time_and_payload() {
        let (old, new) = (Secret::random(), Secret::random());
        let (id, at) = (Id::seeded(Timestamp::from_seconds(1), 2), Timestamp::from_seconds(1_776_000_000));
        let both = signature([&new, &old], id, at, "{}");
        assert_eq!(both, format!("{} {}", signature([&new], id, at, "{}"), signature([&old], id, at, "{}")));
        assert_ne!(signature([&new], id, at, "{}"), signature([&new], id, at, "{ }"));
        assert_ne!(signature([&new], id, at, "{}"), signature([&new], id.nth(1), at, "{}"));
        assert_ne!(signature([&new], id, at, "{}"), signature([&new], id, at.plus_seconds(1), "{}"));
    }

    /// The key and payload of Standard Webhooks' own example; signed by another implementation, Python's hmac.
    #[test]
    fn a_signature_is_the_hmac_of_id_time_and_payload() {
        let secret = Secret::parse("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw").unwrap();
        let at = Timestamp::from_micros(1_614_265_330_999_999);
        let made = signature([&secret], Id::from_bytes([0x11; 12]), at, r#"{"test": 2432232314}"#);
        assert_eq!(made, "v1,ya6httCCkOlsbwjpxsNsQ+ff6c4ZOxAgMDO/PUM+za4=");
        assert_eq!(signature([], Id::from_bytes([0x11; 12]), at, "{}"), "");
    }

    #[test]
    fn random_secrets_differ() {
        assert_ne!(*Secret::random().to_text(), *Secret::random().to_text());
    }
}
