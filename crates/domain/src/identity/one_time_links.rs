//! One-time links: a code that lets an account's owner set its password without the current one.
//!
//! A code is tenant (8 bytes), account (12), purpose (1) and 160 random bits, in base64url. Value and hash are
//! different types: only the hash can be stored, and only a fresh code can reveal its value.

use std::fmt;
use std::str::FromStr;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use zeroize::Zeroizing;

use crate::base::keys::Subkey;
use crate::{AccountId, Id, TenantId, Timestamp};

/// One day: long enough for a colleague who reads mail once a day.
pub const LIFETIME_SECONDS: i64 = 24 * 3600;

/// The page of the console that takes a code. The code is a fragment, which no server and no proxy logs.
const PAGE: &str = "/console/set-up#";
/// Separates hashes of codes from other values that are hashed with the same key.
const HASH_PREFIX: &str = "one-time-link:";

const TENANT_BYTES: usize = 8;
const ACCOUNT_BYTES: usize = 12;
const RANDOM_BYTES: usize = 20;
const CODE_BYTES: usize = TENANT_BYTES + ACCOUNT_BYTES + 1 + RANDOM_BYTES;

/// What a link is for. An account has at most one link to be let in for the first time, and one for a new password.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize, crate::base::schema::ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum LinkPurpose {
    /// The first password of an account that has none.
    Setup,
    /// The first password of an invited colleague.
    Invitation,
    /// A new password in place of a lost one.
    Reset,
}

impl LinkPurpose {
    pub const ALL: [Self; 3] = [Self::Setup, Self::Invitation, Self::Reset];

    pub const fn name(self) -> &'static str {
        match self {
            Self::Setup => "setup",
            Self::Invitation => "invitation",
            Self::Reset => "reset",
        }
    }

    /// The purpose that a link of this purpose replaces as well: both let the person in for the first time.
    pub const fn alike(self) -> Option<Self> {
        match self {
            Self::Setup => Some(Self::Invitation),
            Self::Invitation => Some(Self::Setup),
            Self::Reset => None,
        }
    }

    const fn byte(self) -> u8 {
        match self {
            Self::Setup => 1,
            Self::Invitation => 2,
            Self::Reset => 3,
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown purpose for a one-time link")]
pub struct NotAPurpose;

impl FromStr for LinkPurpose {
    type Err = NotAPurpose;

    fn from_str(name: &str) -> Result<Self, NotAPurpose> {
        Self::ALL.into_iter().find(|purpose| purpose.name() == name).ok_or(NotAPurpose)
    }
}

/// A stored link, without its code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OneTimeLink {
    pub account_id: AccountId,
    pub purpose: LinkPurpose,
    pub hash: CodeHash,
    pub created_at: Timestamp,
    pub expires_at: Timestamp,
}

/// The stored form of a code: a keyed hash of the whole value.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct CodeHash(pub [u8; 32]);

impl fmt::Debug for CodeHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("CodeHash(…)")
    }
}

/// The value of a new code: returned once, never stored.
pub struct FreshCode(Zeroizing<String>);

impl FreshCode {
    pub fn generate(tenant: TenantId, account: AccountId, purpose: LinkPurpose) -> Self {
        let random: [u8; RANDOM_BYTES] = rand::random();
        let bytes = [&tenant.number().to_be_bytes()[..], account.bytes(), &[purpose.byte()], &random].concat();
        Self(Zeroizing::new(URL_SAFE_NO_PAD.encode(Zeroizing::new(bytes))))
    }

    pub fn reveal(&self) -> &str {
        &self.0
    }

    /// The link for the owner of the account, on the server with this public URL.
    pub fn url(&self, public_url: &str) -> String {
        format!("{public_url}{PAGE}{}", self.reveal())
    }

    pub fn hash(&self, key: &Subkey) -> CodeHash {
        hash(self.reveal(), key)
    }
}

impl fmt::Debug for FreshCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("FreshCode(…)")
    }
}

/// A code from a request. Whether its link exists is not checked.
pub struct PresentedCode<'a> {
    value: &'a str,
    pub tenant: TenantId,
    pub account: AccountId,
    pub purpose: LinkPurpose,
}

impl<'a> PresentedCode<'a> {
    /// None if the shape is wrong: such a value needs no look-up.
    pub fn parse(value: &'a str) -> Option<Self> {
        let bytes: [u8; CODE_BYTES] = URL_SAFE_NO_PAD.decode(value).ok()?.try_into().ok()?;
        let (tenant, rest) = bytes.split_at(TENANT_BYTES);
        let (account, rest) = rest.split_at(ACCOUNT_BYTES);
        let byte = rest.first()?;
        Some(Self {
            value,
            tenant: TenantId::from_number(i64::from_be_bytes(tenant.try_into().ok()?)),
            account: Id::from_bytes(account.try_into().ok()?),
            purpose: LinkPurpose::ALL.into_iter().find(|purpose| purpose.byte() == *byte)?,
        })
    }

    pub fn matches(&self, stored: &CodeHash, key: &Subkey) -> bool {
        key.verifies(hashed_text(self.value).as_bytes(), &stored.0)
    }
}

impl fmt::Debug for PresentedCode<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PresentedCode({}, {}, {})", self.tenant, self.account, self.purpose.name())
    }
}

fn hash(value: &str, key: &Subkey) -> CodeHash {
    CodeHash(key.mac(hashed_text(value).as_bytes()))
}

fn hashed_text(value: &str) -> Zeroizing<String> {
    Zeroizing::new(format!("{HASH_PREFIX}{value}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::keys::{Purpose, SecretKey};

    fn account() -> AccountId {
        Id::from_bytes([7; 12])
    }

    #[test]
    fn a_code_names_its_link_and_is_never_printed() {
        for purpose in LinkPurpose::ALL {
            let fresh = FreshCode::generate(TenantId::FIRST, account(), purpose);
            let parsed = PresentedCode::parse(fresh.reveal()).unwrap();
            assert_eq!((parsed.tenant, parsed.account, parsed.purpose), (TenantId::FIRST, account(), purpose));
            assert!(!format!("{fresh:?} {parsed:?}").contains(fresh.reveal()));
            assert_eq!(purpose.name().parse(), Ok(purpose));
        }
        assert_eq!("other".parse::<LinkPurpose>(), Err(NotAPurpose));
    }

    #[test]
    fn only_the_whole_code_and_the_right_key_match() {
        let key = |text: &str| SecretKey::parse(&text.repeat(32)).unwrap().subkey(Purpose::Session);
        let fresh = FreshCode::generate(TenantId::FIRST, account(), LinkPurpose::Reset);
        let stored = fresh.hash(&key("01"));
        let parsed = PresentedCode::parse(fresh.reveal()).unwrap();
        assert!(parsed.matches(&stored, &key("01")) && !parsed.matches(&stored, &key("02")));
        let other = FreshCode::generate(TenantId::FIRST, account(), LinkPurpose::Reset);
        assert!(!PresentedCode::parse(other.reveal()).unwrap().matches(&stored, &key("01")));
        assert!(!format!("{stored:?}").contains(&crate::base::hex::encode(stored.0)));
    }

    #[test]
    fn other_texts_are_no_codes() {
        let fresh = FreshCode::generate(TenantId::FIRST, account(), LinkPurpose::Setup);
        let unknown_purpose = URL_SAFE_NO_PAD.encode([0; CODE_BYTES]);
        let texts = ["", "x", "é", &fresh.reveal()[1..], &format!("{}A", fresh.reveal()), &unknown_purpose];
        for text in texts {
            assert!(PresentedCode::parse(text).is_none(), "{text}");
        }
    }

    #[test]
    fn the_code_is_in_the_fragment_of_the_link() {
        let fresh = FreshCode::generate(TenantId::FIRST, account(), LinkPurpose::Setup);
        let url = fresh.url("https://wa.example.com");
        assert_eq!(url, format!("https://wa.example.com/console/set-up#{}", fresh.reveal()));
    }
}
