//! `X-Hub-Signature-256`: the network's HMAC over the raw bytes of a posted body.

use domain::base::hex;
use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;
use subtle::ConstantTimeEq as _;

pub const HEADER: &str = "x-hub-signature-256";

const SCHEME: &str = "sha256=";

/// The signature of a body: `sha256=` and the HMAC in lower-case hex.
pub fn sign(app_secret: &[u8], body: &[u8]) -> String {
    format!("{SCHEME}{}", hex::encode(mac(app_secret, body)))
}

/// Whether the header has the form of a signature; checked before the body is read.
pub fn is_well_formed(header: &str) -> bool {
    claimed(header).is_some()
}

/// Whether `header` is the signature of exactly these bytes. Compares in constant time.
pub fn verifies(app_secret: &[u8], body: &[u8], header: &str) -> bool {
    // An empty secret is no secret: every signature made with it is refused.
    let right = |claimed: [u8; 32]| mac(app_secret, body).ct_eq(&claimed).into();
    !app_secret.is_empty() && claimed(header).is_some_and(right)
}

fn claimed(header: &str) -> Option<[u8; 32]> {
    hex::decode(header.strip_prefix(SCHEME)?)
}

fn mac(secret: &[u8], body: &[u8]) -> [u8; 32] {
    // HMAC takes keys of any length, so this cannot fail.
    let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(secret) else { return [0; 32] };
    mac.update(body);
    mac.finalize().into_bytes().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// RFC 4231, test case 2.
    #[test]
    fn a_known_signature() {
        let expected = "sha256=5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843";
        assert_eq!(sign(b"Jefe", b"what do ya want for nothing?"), expected);
        assert!(verifies(b"Jefe", b"what do ya want for nothing?", expected));
    }

    #[test]
    fn nothing_else_verifies() {
        let body = br#"{"object":"whatsapp_business_account"}"#;
        let good = sign(b"secret", body);
        let others =
            ["", "sha256=", &good[7..], &good[..70], &format!("{good}0"), &good.to_uppercase(), &sign(b"other", body)];
        for other in others {
            assert!(!verifies(b"secret", body, other), "{other}");
        }
        assert!(!verifies(b"secret", br#"{"object": "whatsapp_business_account"}"#, &good));
        assert!(!verifies(b"", body, &sign(b"", body)), "an empty secret signs nothing");
    }
}
