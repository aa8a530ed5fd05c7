//! The secret key of the installation, and the subkeys derived from it, one for each purpose. Key bytes leave this
//! module in printable form only for the key file, when the key is generated.

use aws_lc_rs::aead::{AES_256_GCM, Aad, NONCE_LEN, Nonce, RandomizedNonceKey};
use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use hkdf::Hkdf;
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use subtle::ConstantTimeEq;
use zeroize::Zeroizing;

/// The key that all subkeys are derived from.
#[derive(Clone)]
pub struct SecretKey(Zeroizing<[u8; 32]>);

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("a secret key is 32 random bytes, written as 64 hex digits or as base64")]
pub struct NotAKey;

/// The purpose of a subkey. Its label is part of the derivation and must never change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    TokenHash,
    LegacyJwt,
    ClickCode,
    Cursor,
    StoredSecret,
    Session,
    Fingerprint,
    Backup,
}

impl Purpose {
    const fn label(self) -> &'static [u8] {
        match self {
            Self::TokenHash => b"switchboard/token-hash/1",
            Self::LegacyJwt => b"switchboard/legacy-jwt/1",
            Self::ClickCode => b"switchboard/click-code/1",
            Self::Cursor => b"switchboard/cursor/1",
            Self::StoredSecret => b"switchboard/stored-secret/1",
            Self::Session => b"switchboard/session/1",
            Self::Fingerprint => b"switchboard/fingerprint/1",
            Self::Backup => b"switchboard/backup/1",
        }
    }
}

impl SecretKey {
    pub fn random() -> Self {
        Self(Zeroizing::new(rand::random()))
    }

    pub fn parse(text: &str) -> Result<Self, NotAKey> {
        let text = text.trim();
        let bytes = if text.len() == 64 { const_hex::decode(text).ok() } else { from_base64(text) };
        let bytes = Zeroizing::new(bytes.ok_or(NotAKey)?);
        Ok(Self(Zeroizing::new(bytes.as_slice().try_into().map_err(|_| NotAKey)?)))
    }

    /// For the key file only.
    pub fn to_file_text(&self) -> Zeroizing<String> {
        Zeroizing::new(STANDARD.encode(self.0.as_slice()))
    }

    pub fn subkey(&self, purpose: Purpose) -> Subkey {
        let mut bytes = Zeroizing::new([0_u8; 32]);
        // 32 bytes are far below HKDF's limit of 255 blocks, so this cannot fail.
        let _ = Hkdf::<Sha256>::new(None, self.0.as_slice()).expand(purpose.label(), bytes.as_mut_slice());
        Subkey(bytes)
    }

    /// Identifies the key without revealing anything about it.
    pub fn fingerprint(&self) -> String {
        let key = self.subkey(Purpose::Fingerprint);
        const_hex::encode(&key.0[..8])
    }
}

impl std::fmt::Debug for SecretKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "SecretKey({})", self.fingerprint())
    }
}

/// A key for one purpose.
#[derive(Clone)]
pub struct Subkey(Zeroizing<[u8; 32]>);

impl std::fmt::Debug for Subkey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Subkey(…)")
    }
}

impl Subkey {
    pub fn bytes(&self) -> &[u8; 32] {
        &self.0
    }

    pub fn mac(&self, message: &[u8]) -> [u8; 32] {
        // HMAC takes a key of any length, so this cannot fail.
        let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(self.0.as_slice()) else { return [0; 32] };
        mac.update(message);
        mac.finalize().into_bytes().into()
    }

    /// True if `tag` authenticates the message. The tag may be truncated to its first bytes, at least ten.
    pub fn verifies(&self, message: &[u8], tag: &[u8]) -> bool {
        let full = self.mac(message);
        full.get(..tag.len()).is_some_and(|head| tag.len() >= 10 && bool::from(head.ct_eq(tag)))
    }
}

impl Subkey {
    /// Encrypts and authenticates. `bound_to` is needed again to open it: it names what the secret belongs to, so that
    /// a sealed text cannot be used in another row or column.
    pub fn seal(&self, bound_to: &[u8], plain: &[u8]) -> Result<Vec<u8>, NotSealed> {
        let key = RandomizedNonceKey::new(&AES_256_GCM, self.0.as_slice()).map_err(|_| NotSealed)?;
        let mut text = plain.to_vec();
        let nonce = key.seal_in_place_append_tag(Aad::from(bound_to), &mut text).map_err(|_| NotSealed)?;
        Ok([nonce.as_ref().as_slice(), &text].concat())
    }

    pub fn open(&self, bound_to: &[u8], sealed: &[u8]) -> Result<Zeroizing<Vec<u8>>, NotSealed> {
        let (nonce, text) = sealed.split_at_checked(NONCE_LEN).ok_or(NotSealed)?;
        let nonce = Nonce::try_assume_unique_for_key(nonce).map_err(|_| NotSealed)?;
        let key = RandomizedNonceKey::new(&AES_256_GCM, self.0.as_slice()).map_err(|_| NotSealed)?;
        let mut text = Zeroizing::new(text.to_vec());
        let length = key.open_in_place(nonce, Aad::from(bound_to), &mut text).map_err(|_| NotSealed)?.len();
        text.truncate(length);
        Ok(text)
    }
}

/// The error of a secret that was sealed with another key, bound to something else, or changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a stored secret cannot be opened with the secret key in use")]
pub struct NotSealed;

/// The secret keys of an installation: the present one signs, and the previous one is still accepted during a rotation.
#[derive(Debug, Clone)]
pub struct Keyring {
    present: SecretKey,
    previous: Option<SecretKey>,
}

impl Keyring {
    pub const fn new(present: SecretKey, previous: Option<SecretKey>) -> Self {
        Self { present, previous }
    }

    pub const fn present(&self) -> &SecretKey {
        &self.present
    }

    pub const fn previous(&self) -> Option<&SecretKey> {
        self.previous.as_ref()
    }

    /// The subkeys for a purpose, that of the present key first.
    pub fn subkeys(&self, purpose: Purpose) -> Vec<Subkey> {
        std::iter::once(&self.present).chain(&self.previous).map(|key| key.subkey(purpose)).collect()
    }
}

fn from_base64(text: &str) -> Option<Vec<u8>> {
    STANDARD.decode(text).or_else(|_| URL_SAFE_NO_PAD.decode(text)).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_reads_back_and_subkeys_differ() {
        let key = SecretKey::random();
        let again = SecretKey::parse(&key.to_file_text()).unwrap();
        assert_eq!(key.fingerprint(), again.fingerprint());
        assert_ne!(key.subkey(Purpose::TokenHash).bytes(), key.subkey(Purpose::Cursor).bytes());
        assert_eq!(SecretKey::parse(&"ab".repeat(32)).unwrap().fingerprint().len(), 16);
        for bad in ["", "short", "zz".repeat(32).as_str(), "YWJj"] {
            assert!(SecretKey::parse(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn derivation_never_changes() {
        // A change here would invalidate every token and signature of every installation.
        let key = SecretKey::parse(&"01".repeat(32)).unwrap();
        assert_eq!(key.fingerprint(), RECORDED_FINGERPRINT);
    }

    const RECORDED_FINGERPRINT: &str = "0822b448a6338e7f";

    #[test]
    fn tags_verify_whole_or_cut_but_not_too_short() {
        let key = SecretKey::random().subkey(Purpose::Cursor);
        let tag = key.mac(b"message");
        assert!(key.verifies(b"message", &tag));
        assert!(key.verifies(b"message", &tag[..10]));
        assert!(!key.verifies(b"message", &tag[..9]));
        assert!(!key.verifies(b"massage", &tag));
    }

    #[test]
    fn what_is_sealed_opens_only_with_its_key_and_in_its_place() {
        let key = SecretKey::random().subkey(Purpose::StoredSecret);
        let sealed = key.seal(b"place", b"secret").unwrap();
        assert_eq!(key.open(b"place", &sealed).unwrap().as_slice(), b"secret");
        assert_ne!(sealed, key.seal(b"place", b"secret").unwrap());
        let other = SecretKey::random().subkey(Purpose::StoredSecret);
        assert_eq!(other.open(b"place", &sealed).unwrap_err(), NotSealed);
        assert_eq!(key.open(b"elsewhere", &sealed).unwrap_err(), NotSealed);
        for at in 0..sealed.len() {
            let mut changed = sealed.clone();
            changed[at] ^= 1;
            assert!(key.open(b"place", &changed).is_err(), "{at}");
            assert!(key.open(b"place", &sealed[..at]).is_err(), "{at}");
        }
    }

    const PURPOSES: [Purpose; 7] = [
        Purpose::TokenHash,
        Purpose::LegacyJwt,
        Purpose::ClickCode,
        Purpose::Cursor,
        Purpose::StoredSecret,
        Purpose::Session,
        Purpose::Fingerprint,
    ];

    #[test]
    fn a_key_is_read_from_hex_and_from_both_kinds_of_base64() {
        let bytes = [0xfb; 32];
        let texts = ["fb".repeat(32), "FB".repeat(32), STANDARD.encode(bytes), URL_SAFE_NO_PAD.encode(bytes)];
        for text in &texts {
            let key = SecretKey::parse(&format!(" {text}\n")).unwrap();
            assert_eq!(key.to_file_text().as_str(), STANDARD.encode(bytes));
        }
        assert_ne!(texts[2], texts[3]);
        for bad in
            [STANDARD.encode([7; 31]), STANDARD.encode([7; 33]), "ab".repeat(31), "ab".repeat(33), "é".repeat(32)]
        {
            assert_eq!(SecretKey::parse(&bad).map(drop), Err(NotAKey), "{bad}");
        }
    }

    #[test]
    fn random_keys_differ() {
        assert_ne!(*SecretKey::random().to_file_text(), *SecretKey::random().to_file_text());
    }

    /// Values from Python's hmac (RFC 5869): a change invalidates every stored secret and signature.
    #[test]
    fn the_subkey_of_each_purpose_never_changes() {
        let key = SecretKey::parse(&"01".repeat(32)).unwrap();
        let first = PURPOSES.map(|purpose| crate::base::hex::encode(&key.subkey(purpose).bytes()[..8]));
        let recorded = [
            "f2fa614aa906ef6e",
            "eaedb0440936a0c2",
            "5aeee87869663f43",
            "131239bf89751dc7",
            "b71398333d9d4098",
            "f1f33eb5e2641ed9",
            RECORDED_FINGERPRINT,
        ];
        assert_eq!(first, recorded);
    }

    #[test]
    fn the_mac_is_hmac_sha256() {
        // Value from Python's hmac, with a key of 32 ones.
        let key = Subkey(Zeroizing::new([1; 32]));
        let expected = "74927dc608f1a5706dd0cb41ba56416718c7aa2f6cf4940c9e08745e05a56e08";
        assert_eq!(crate::base::hex::encode(key.mac(b"message")), expected);
        assert!(!key.verifies(b"message", &[key.mac(b"message").as_slice(), &[0]].concat()), "longer than a tag");
        assert!(!key.verifies(b"message", &[]));
    }

    #[test]
    fn keys_do_not_show_themselves() {
        let key = SecretKey::parse(&"01".repeat(32)).unwrap();
        assert_eq!(format!("{key:?}"), format!("SecretKey({RECORDED_FINGERPRINT})"));
        assert_eq!(format!("{:?}", key.subkey(Purpose::Cursor)), "Subkey(…)");
    }

    #[test]
    fn a_keyring_signs_with_the_present_key_and_still_accepts_the_previous_one() {
        let (present, previous) = (SecretKey::random(), SecretKey::random());
        let bytes = |keys: &[Subkey]| keys.iter().map(|key| *key.bytes()).collect::<Vec<_>>();
        let own = |key: &SecretKey| *key.subkey(Purpose::Session).bytes();
        let alone = Keyring::new(present.clone(), None);
        assert_eq!(bytes(&alone.subkeys(Purpose::Session)), [own(&present)]);
        assert!(alone.previous().is_none());
        let both = Keyring::new(present.clone(), Some(previous.clone()));
        assert_eq!(bytes(&both.subkeys(Purpose::Session)), [own(&present), own(&previous)]);
        assert_eq!(both.present().fingerprint(), present.fingerprint());
        assert_eq!(both.previous().map(SecretKey::fingerprint), Some(previous.fingerprint()));
    }
}
