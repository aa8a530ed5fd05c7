//! The code in the link by which the owner of an address confirms that alerts may go there: the tenant (8 bytes) and
//! 160 random bits, in base64url. Only a keyed hash is stored.

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use zeroize::Zeroizing;

use crate::TenantId;
use crate::base::keys::Subkey;
use crate::identity::one_time_links::CodeHash;

/// The page of the console that takes a code. The code is a fragment, which no server and no proxy logs.
const PAGE: &str = "/console/confirm-alerts#";
/// Separates hashes of codes from other values that are hashed with the same key.
const HASH_PREFIX: &str = "confirm-alerts:";

const TENANT_BYTES: usize = 8;
const RANDOM_BYTES: usize = 20;

/// The value of a new code: mailed once, never stored.
pub struct FreshConfirmation(Zeroizing<String>);

impl FreshConfirmation {
    pub fn generate(tenant: TenantId) -> Self {
        let random: [u8; RANDOM_BYTES] = rand::random();
        let bytes = [&tenant.number().to_be_bytes()[..], &random].concat();
        Self(Zeroizing::new(URL_SAFE_NO_PAD.encode(Zeroizing::new(bytes))))
    }

    /// The link for the owner of the address, on the server with this public URL.
    pub fn url(&self, public_url: &str) -> String {
        format!("{public_url}{PAGE}{}", *self.0)
    }

    pub fn hash(&self, key: &Subkey) -> CodeHash {
        CodeHash(key.mac(hashed_text(&self.0).as_bytes()))
    }
}

impl fmt::Debug for FreshConfirmation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("FreshConfirmation(…)")
    }
}

/// A code from a request. Whether its address exists is not checked.
pub struct PresentedConfirmation<'a> {
    value: &'a str,
    pub tenant: TenantId,
}

impl<'a> PresentedConfirmation<'a> {
    /// None if the shape is wrong: such a value needs no look-up.
    pub fn parse(value: &'a str) -> Option<Self> {
        let bytes: [u8; TENANT_BYTES + RANDOM_BYTES] = URL_SAFE_NO_PAD.decode(value).ok()?.try_into().ok()?;
        let tenant = bytes.first_chunk::<TENANT_BYTES>()?;
        Some(Self { value, tenant: TenantId::from_number(i64::from_be_bytes(*tenant)) })
    }

    pub fn matches(&self, stored: &CodeHash, key: &Subkey) -> bool {
        key.verifies(hashed_text(self.value).as_bytes(), &stored.0)
    }
}

impl fmt::Debug for PresentedConfirmation<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PresentedConfirmation({})", self.tenant)
    }
}

fn hashed_text(value: &str) -> Zeroizing<String> {
    Zeroizing::new(format!("{HASH_PREFIX}{value}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::keys::{Purpose, SecretKey};

    #[test]
    fn only_the_whole_code_and_the_right_key_match() {
        let key = |text: &str| SecretKey::parse(&text.repeat(32)).unwrap().subkey(Purpose::Session);
        let fresh = FreshConfirmation::generate(TenantId::FIRST);
        let url = fresh.url("https://wa.example.com");
        let code = url.strip_prefix("https://wa.example.com/console/confirm-alerts#").unwrap();
        let presented = PresentedConfirmation::parse(code).unwrap();
        assert_eq!(presented.tenant, TenantId::FIRST);
        let stored = fresh.hash(&key("01"));
        assert!(presented.matches(&stored, &key("01")) && !presented.matches(&stored, &key("02")));
        let other = FreshConfirmation::generate(TenantId::FIRST).hash(&key("01"));
        assert!(!presented.matches(&other, &key("01")));
        assert!(!format!("{fresh:?} {presented:?}").contains(code));
        for text in ["", "x", "é", &code[1..], &format!("{code}A")] {
            assert!(PresentedConfirmation::parse(text).is_none(), "{text}");
        }
    }
}
