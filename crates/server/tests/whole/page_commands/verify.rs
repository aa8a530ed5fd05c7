use base64::prelude::{BASE64_STANDARD, Engine as _};
use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;

/// Whether a delivery is genuine and at most five minutes old; `now` is in seconds since 1970.
pub fn is_genuine(secret: &str, id: &str, timestamp: &str, signatures: &str, body: &[u8], now: i64) -> bool {
    let Ok(key) = BASE64_STANDARD.decode(secret.trim_start_matches("whsec_")) else { return false };
    let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(&key) else { return false };
    mac.update(format!("{id}.{timestamp}.").as_bytes());
    mac.update(body);
    let is_right =
        |signature: &str| BASE64_STANDARD.decode(signature).is_ok_and(|bytes| mac.clone().verify_slice(&bytes).is_ok());
    let is_fresh = timestamp.parse::<i64>().is_ok_and(|sent| (now - sent).abs() <= 300);
    is_fresh && signatures.split(' ').filter_map(|one| one.strip_prefix("v1,")).any(is_right)
}
