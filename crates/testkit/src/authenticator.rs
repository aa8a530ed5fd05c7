//! An authenticator app, which shows codes.

use domain::Timestamp;
use domain::identity::second_factors::TotpSecret;

#[derive(Debug)]
pub struct AuthenticatorApp(TotpSecret);

impl AuthenticatorApp {
    /// With the secret that the console shows.
    pub fn new(secret: &str) -> Self {
        Self(TotpSecret::from_bytes(base32(secret).into()))
    }

    #[expect(clippy::expect_used, reason = "a test without its code must fail")]
    pub fn code(&self, at: Timestamp) -> String {
        self.0.code_at(at).expect("a secret of the console makes codes")
    }
}

/// RFC 4648, without padding.
fn base32(text: &str) -> Vec<u8> {
    let (mut bits, mut count, mut bytes) = (0_u32, 0, Vec::new());
    for digit in text.bytes() {
        let value = if digit.is_ascii_uppercase() { digit - b'A' } else { digit - b'2' + 26 };
        bits = (bits << 5) | u32::from(value);
        count += 5;
        if count >= 8 {
            count -= 8;
            bytes.push(u8::try_from((bits >> count) & 0xff).unwrap_or_default());
        }
    }
    bytes
}
