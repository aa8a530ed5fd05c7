//! API access tokens: generating, parsing and checking a value before any look-up.
//!
//! `swb_` + tenant (11) + token id (17) + 160 random bits (28) + checksum (6), all base62. Value and hash are different
//! types: only the hash can be stored, and only a fresh token can reveal its value.

use std::fmt;

use zeroize::Zeroizing;

use crate::base::keys::Subkey;
use crate::identity::accounts::Account;
use crate::identity::networks::Networks;
use crate::identity::scopes::ScopeSet;
use crate::{AccountId, Field, FieldError, Id, Place, TenantId, Timestamp, TokenId};

pub const PREFIX: &str = "swb_";
const TENANT_DIGITS: usize = 11;
const ID_DIGITS: usize = 17;
const RANDOM_HALF_DIGITS: usize = 14;
const CHECKSUM_DIGITS: usize = 6;
const LENGTH: usize = PREFIX.len() + TENANT_DIGITS + ID_DIGITS + 2 * RANDOM_HALF_DIGITS + CHECKSUM_DIGITS;
const DIGITS: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/// A token value from a request with a valid checksum. Whether the token exists is not checked.
#[derive(Clone, Copy)]
pub struct PresentedToken<'a> {
    value: &'a str,
    pub tenant: TenantId,
    pub id: TokenId,
}

/// The value of a new token: returned once, never stored.
pub struct FreshToken {
    value: Zeroizing<String>,
}

/// The stored form: a keyed hash of the whole value.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct TokenHash(pub [u8; 32]);

impl FreshToken {
    pub fn generate(tenant: TenantId, id: TokenId) -> Self {
        let mut value = Zeroizing::new(String::with_capacity(LENGTH));
        value.push_str(PREFIX);
        push_digits(&mut value, u128::from(tenant.number().unsigned_abs()), TENANT_DIGITS);
        push_digits(&mut value, id_number(id), ID_DIGITS);
        for _ in 0..2 {
            push_digits(&mut value, rand::random::<u128>() >> 48, RANDOM_HALF_DIGITS);
        }
        let checksum = crc32fast::hash(value.as_bytes());
        push_digits(&mut value, u128::from(checksum), CHECKSUM_DIGITS);
        Self { value }
    }

    /// The value, for the answer that returns it.
    pub fn reveal(&self) -> &str {
        &self.value
    }

    pub fn hash(&self, key: &Subkey) -> TokenHash {
        TokenHash(key.mac(self.value.as_bytes()))
    }
}

impl<'a> PresentedToken<'a> {
    /// None if the shape or the checksum is wrong: such a value needs no look-up.
    pub fn parse(value: &'a str) -> Option<Self> {
        if value.len() != LENGTH || !value.starts_with(PREFIX) || !value.is_ascii() {
            return None;
        }
        let (signed, checksum) = value.split_at(LENGTH - CHECKSUM_DIGITS);
        if read_digits(checksum)? != u128::from(crc32fast::hash(signed.as_bytes())) {
            return None;
        }
        let (tenant, rest) = signed[PREFIX.len()..].split_at(TENANT_DIGITS);
        let tenant = i64::try_from(read_digits(tenant)?).ok()?;
        let id = id_from_number(read_digits(&rest[..ID_DIGITS])?)?;
        Some(Self { value, tenant: TenantId::from_number(tenant), id })
    }

    pub fn matches(&self, stored: &TokenHash, key: &Subkey) -> bool {
        key.verifies(self.value.as_bytes(), &stored.0)
    }

    pub fn hash(&self, key: &Subkey) -> TokenHash {
        TokenHash(key.mac(self.value.as_bytes()))
    }
}

impl fmt::Debug for PresentedToken<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PresentedToken({}, {})", self.tenant, self.id)
    }
}

impl fmt::Debug for FreshToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("FreshToken(…)")
    }
}

impl fmt::Debug for TokenHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("TokenHash(…)")
    }
}

/// A token without its hash.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Token {
    pub id: TokenId,
    pub account_id: AccountId,
    pub name: String,
    pub scopes: ScopeSet,
    pub networks: Networks,
    /// Calls in a rate window, if the token has a lower limit than its tenant.
    pub rate_limit: Option<i64>,
    pub created_at: Timestamp,
    pub expires_at: Option<Timestamp>,
    pub revoked_at: Option<Timestamp>,
    /// The account's password version when the token was created: a later version ends the token.
    pub password_version: i64,
    pub last_used_at: Option<Timestamp>,
    pub last_used_address: Option<String>,
}

impl Token {
    pub fn rotation_due(&self, now: Timestamp) -> bool {
        rotation_due(self.created_at, now)
    }

    /// `active`, or the reason why the token is not valid, in the order of the gate's checks. No owner means a removed
    /// one.
    pub fn state(&self, owner: Option<&Account>, now: Timestamp) -> &'static str {
        if self.revoked_at.is_some() {
            return "revoked";
        }
        if self.expires_at.is_some_and(|at| at <= now) {
            return "expired";
        }
        match owner {
            None => "account_removed",
            Some(owner) if owner.disabled => "account_disabled",
            Some(owner) if !owner.role.may_own_tokens() => "role_denied",
            Some(owner) if owner.password_version != self.password_version => "password_changed",
            Some(_) => "active",
        }
    }

    /// The expiry of a successor: it gets the same lifetime as this token.
    pub fn successor_expiry(&self, now: Timestamp) -> Option<Timestamp> {
        self.expires_at.map(|end| now.plus_seconds(end.seconds_since(self.created_at)))
    }
}

pub const MAX_NAME_CHARACTERS: usize = 100;

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadToken {
    #[error("expected 1 to {MAX_NAME_CHARACTERS} characters")]
    Name,
    #[error("a token needs at least one scope")]
    NoScope,
    #[error("is in the past")]
    AlreadyExpired,
    #[error("must be at least 1")]
    RateLimit,
}

impl FieldError for BadToken {
    fn place(&self) -> Place {
        match self {
            Self::Name => Field::Name.into(),
            Self::NoScope => Field::Scopes.into(),
            Self::AlreadyExpired => Field::ExpiresAt.into(),
            Self::RateLimit => Field::RateLimit.into(),
        }
    }
}

/// Checks the request for a new token.
pub fn check(
    name: &str,
    scopes: ScopeSet,
    expires_at: Option<Timestamp>,
    rate_limit: Option<i64>,
    now: Timestamp,
) -> Result<(), BadToken> {
    if !(1..=MAX_NAME_CHARACTERS).contains(&name.trim().chars().count()) {
        return Err(BadToken::Name);
    }
    if scopes.is_empty() {
        return Err(BadToken::NoScope);
    }
    if expires_at.is_some_and(|at| at <= now) {
        return Err(BadToken::AlreadyExpired);
    }
    if rate_limit.is_some_and(|limit| limit < 1) { Err(BadToken::RateLimit) } else { Ok(()) }
}

/// Months after which a token should be replaced.
pub const ROTATION_MONTHS: i64 = 6;

pub fn rotation_due(created: Timestamp, now: Timestamp) -> bool {
    created.plus_months(ROTATION_MONTHS) <= now
}

fn id_number(id: TokenId) -> u128 {
    id.bytes().iter().fold(0, |number, byte| (number << 8) | u128::from(*byte))
}

fn id_from_number(number: u128) -> Option<TokenId> {
    let bytes = number.to_be_bytes();
    let (zeros, tail) = bytes.split_at(4);
    if zeros.iter().any(|byte| *byte != 0) {
        return None;
    }
    tail.try_into().ok().map(Id::from_bytes)
}

fn push_digits(out: &mut String, number: u128, width: usize) {
    let mut digits = [b'0'; 24];
    let mut rest = number;
    for place in digits[..width].iter_mut().rev() {
        *place = DIGITS[usize::try_from(rest % 62).unwrap_or(0)];
        rest /= 62;
    }
    out.extend(digits[..width].iter().map(|digit| char::from(*digit)));
}

fn read_digits(text: &str) -> Option<u128> {
    text.bytes().try_fold(0_u128, |number, digit| {
        let value = match digit {
            b'0'..=b'9' => digit - b'0',
            b'A'..=b'Z' => digit - b'A' + 10,
            b'a'..=b'z' => digit - b'a' + 36,
            _ => return None,
        };
        number.checked_mul(62)?.checked_add(u128::from(value))
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::base::keys::{Purpose, SecretKey};

    fn fresh() -> FreshToken {
        FreshToken::generate(TenantId::FIRST, Id::new(Timestamp::from_seconds(1_776_000_000)))
    }

    #[test]
    fn a_token_is_read_back_and_only_its_own_hash_matches() {
        let key = SecretKey::random().subkey(Purpose::TokenHash);
        let id = Id::new(Timestamp::from_seconds(1_776_000_000));
        let token = FreshToken::generate(TenantId::FIRST, id);
        let read = PresentedToken::parse(token.reveal()).unwrap();
        assert_eq!((read.tenant, read.id), (TenantId::FIRST, id));
        assert!(read.matches(&token.hash(&key), &key));
        assert!(!read.matches(&fresh().hash(&key), &key));
        assert!(!format!("{token:?}{read:?}").contains(&token.reveal()[30..]));
    }

    #[test]
    fn a_token_s_state_is_what_the_gate_would_say() {
        let now = Timestamp::from_seconds(1_776_000_000);
        let owner = Account {
            id: Id::new(now),
            email: "ada@example.com".to_owned(),
            name: "Ada".to_owned(),
            role: crate::identity::roles::Role::Developer,
            disabled: false,
            removed_at: None,
            password_version: 3,
            credential_version: 3,
            created_at: now,
        };
        let token = Token {
            id: Id::new(now),
            account_id: owner.id,
            name: "ci".to_owned(),
            scopes: ScopeSet::EMPTY,
            networks: Networks::default(),
            rate_limit: None,
            created_at: now.plus_seconds(-100),
            expires_at: Some(now.plus_seconds(1)),
            revoked_at: None,
            password_version: 3,
            last_used_at: None,
            last_used_address: None,
        };
        let state = |token: &Token, owner: &Account| token.state(Some(owner), now);
        assert_eq!(state(&token, &owner), "active");
        assert_eq!(token.state(None, now), "account_removed");
        assert_eq!(token.state(Some(&owner), now.plus_seconds(1)), "expired");
        assert_eq!(state(&Token { revoked_at: Some(now), ..token.clone() }, &owner), "revoked");
        assert_eq!(state(&token, &Account { disabled: true, ..owner.clone() }), "account_disabled");
        assert_eq!(
            state(&token, &Account { role: crate::identity::roles::Role::Operator, ..owner.clone() }),
            "role_denied"
        );
        assert_eq!(state(&token, &Account { password_version: 4, ..owner }), "password_changed");
        assert_eq!(token.successor_expiry(now), Some(now.plus_seconds(101)));
    }

    #[test]
    fn six_months_make_a_rotation_due() {
        let made = Timestamp::from_seconds(1_776_000_000);
        assert!(!rotation_due(made, made.plus_months(6).plus_seconds(-1)));
        assert!(rotation_due(made, made.plus_months(6)));
    }

    proptest! {
        #[test]
        fn one_wrong_character_is_refused(place in 0..LENGTH, letter in "[0-9A-Za-z]") {
            let token = fresh();
            let mut value = token.reveal().to_owned();
            value.replace_range(place..=place, &letter);
            prop_assert_eq!(PresentedToken::parse(&value).is_some(), value == token.reveal());
        }

        #[test]
        fn any_text_is_read_or_refused(text in "(swb_)?\\PC{0,80}") {
            let _ = PresentedToken::parse(&text);
        }
    }

    const NOW: Timestamp = Timestamp::from_seconds(1_776_000_000);

    #[test]
    fn a_value_begins_with_the_prefix_and_holds_tenant_and_id() {
        let token = FreshToken::generate(TenantId::from_number(61), Id::from_bytes([0; 12]));
        let value = token.reveal();
        assert_eq!(value.len(), 66);
        assert!(value.starts_with("swb_0000000000z00000000000000000"), "{value}");
        assert!(value.bytes().skip(4).all(|byte| byte.is_ascii_alphanumeric()));
        assert_ne!(value, FreshToken::generate(TenantId::from_number(61), Id::from_bytes([0; 12])).reveal());
    }

    #[test]
    fn two_values_share_no_random_digits() {
        let random = |token: &FreshToken| token.reveal()[32..60].to_owned();
        let (one, other) = (random(&fresh()), random(&fresh()));
        assert_ne!(one[..14], other[..14]);
        assert_ne!(one[14..], other[14..]);
        assert_ne!(one[..14], one[14..]);
    }

    #[test]
    fn the_largest_tenant_and_id_read_back() {
        for (tenant, byte) in [(i64::MAX, 0xff), (0, 0), (100_001, 0x80)] {
            let token = FreshToken::generate(TenantId::from_number(tenant), Id::from_bytes([byte; 12]));
            let read = PresentedToken::parse(token.reveal()).unwrap();
            assert_eq!((read.tenant.number(), read.id), (tenant, Id::from_bytes([byte; 12])));
        }
    }

    /// A made-up value with a valid checksum.
    fn forged(signed: &str) -> String {
        let mut value = signed.to_owned();
        push_digits(&mut value, u128::from(crc32fast::hash(signed.as_bytes())), CHECKSUM_DIGITS);
        value
    }

    #[test]
    fn a_right_checksum_alone_makes_no_token() {
        let rest = "0".repeat(28);
        let id = "0".repeat(17);
        let of = |prefix: &str, tenant: &str, id: &str| {
            PresentedToken::parse(&forged(&format!("{prefix}{tenant}{id}{rest}"))).is_some()
        };
        assert!(of("swb_", "00000000001", &id));
        assert!(!of("swx_", "00000000001", &id), "another prefix");
        assert!(!of("swb_", "zzzzzzzzzzz", &id), "a tenant beyond all numbers");
        assert!(!of("swb_", "00000000001", &"z".repeat(17)), "more than twelve bytes");
        assert!(!of("swb_", "0000000000-", &id), "no digit");
        assert!(!of("swb_", "000000000001", &id), "one digit too many");
        assert!(!of("swb_", "0000000001", &id), "one too few");
    }

    #[test]
    fn digits_of_base_62_read_back_and_others_are_refused() {
        for (text, number) in [("0", 0), ("9", 9), ("A", 10), ("Z", 35), ("a", 36), ("z", 61), ("10", 62), ("zz", 3843)]
        {
            assert_eq!(read_digits(text), Some(number), "{text}");
            let mut written = String::new();
            push_digits(&mut written, number, text.len());
            assert_eq!(written, text);
        }
        for bad in ["-", "/", ":", "@", "[", "`", "{", "ä"] {
            assert_eq!(read_digits(bad), None, "{bad}");
        }
        assert_eq!(read_digits(&"z".repeat(22)), None, "beyond 128 bits");
    }

    #[test]
    fn a_hash_belongs_to_its_value_and_key() {
        let keys = [1, 2].map(|_| SecretKey::random().subkey(Purpose::TokenHash));
        let token = fresh();
        let read = PresentedToken::parse(token.reveal()).unwrap();
        assert_eq!(read.hash(&keys[0]), token.hash(&keys[0]));
        assert_ne!(read.hash(&keys[0]), read.hash(&keys[1]));
        assert!(read.matches(&token.hash(&keys[1]), &keys[1]) && !read.matches(&token.hash(&keys[1]), &keys[0]));
    }

    #[test]
    fn secrets_do_not_show_themselves() {
        let token = FreshToken::generate(TenantId::FIRST, Id::from_bytes([1; 12]));
        let read = PresentedToken::parse(token.reveal()).unwrap();
        assert_eq!(format!("{token:?}"), "FreshToken(…)");
        assert_eq!(format!("{read:?}"), "PresentedToken(100001, 010101010101010101010101)");
        assert_eq!(format!("{:?}", TokenHash([7; 32])), "TokenHash(…)");
    }

    #[test]
    fn a_token_needs_a_name_a_scope_a_future_and_a_limit_above_zero() {
        let some = ScopeSet::from_scopes(&[crate::identity::scopes::Scope::Api]);
        let name = |name: &str| check(name, some, None, None, NOW);
        assert_eq!(
            (name("x"), name(&"ä".repeat(100)), name(&format!(" {} ", "x".repeat(100)))),
            (Ok(()), Ok(()), Ok(()))
        );
        assert_eq!((name(""), name("  ")), (Err(BadToken::Name), Err(BadToken::Name)));
        assert_eq!(name(&"ä".repeat(101)), Err(BadToken::Name));
        assert_eq!(check("x", ScopeSet::EMPTY, None, None, NOW), Err(BadToken::NoScope));
        let until = |micros| check("x", some, Some(Timestamp::from_micros(NOW.micros() + micros)), None, NOW);
        assert_eq!((until(-1), until(0)), (Err(BadToken::AlreadyExpired), Err(BadToken::AlreadyExpired)));
        assert_eq!(until(1), Ok(()));
        let limit = |limit| check("x", some, None, Some(limit), NOW);
        assert_eq!((limit(1), limit(0), limit(-1)), (Ok(()), Err(BadToken::RateLimit), Err(BadToken::RateLimit)));
    }

    fn token() -> Token {
        Token {
            id: Id::from_bytes([1; 12]),
            account_id: Id::from_bytes([2; 12]),
            name: "ci".to_owned(),
            scopes: ScopeSet::EMPTY,
            networks: Networks::default(),
            rate_limit: None,
            created_at: NOW,
            expires_at: None,
            revoked_at: None,
            password_version: 3,
            last_used_at: None,
            last_used_address: None,
        }
    }

    #[test]
    fn a_token_without_an_end_has_a_successor_without_one() {
        assert_eq!(token().successor_expiry(NOW.plus_seconds(7)), None);
        assert_eq!(token().state(None, NOW.plus_seconds(1_000_000_000)), "account_removed");
        let half_a_year = NOW.plus_months(6);
        assert!(!token().rotation_due(half_a_year.plus_seconds(-1)) && token().rotation_due(half_a_year));
    }

    #[test]
    fn of_several_reasons_the_first_in_the_order_of_the_gate_is_named() {
        let ended = Token { revoked_at: Some(NOW), expires_at: Some(NOW), ..token() };
        assert_eq!(ended.state(None, NOW), "revoked");
        assert_eq!(Token { revoked_at: None, ..ended }.state(None, NOW), "expired");
    }

    proptest! {
        #[test]
        fn any_tenant_and_id_read_back(tenant in 0..i64::MAX, bytes in any::<[u8; 12]>()) {
            let token = FreshToken::generate(TenantId::from_number(tenant), Id::from_bytes(bytes));
            let read = PresentedToken::parse(token.reveal()).unwrap();
            prop_assert_eq!((read.tenant.number(), *read.id.bytes()), (tenant, bytes));
        }
    }

    #[test]
    fn texts_of_another_length_or_with_other_letters_are_refused_before_they_are_cut() {
        let inside = format!("swb_{}ä{}", "0".repeat(55), "0".repeat(5));
        assert_eq!(inside.len(), LENGTH);
        for bad in ["", "swb_", "swb_0", inside.as_str(), &"0".repeat(66), &forged(&format!("swb_{}", "0".repeat(100)))]
        {
            assert!(PresentedToken::parse(bad).is_none(), "{bad}");
        }
    }

    #[test]
    fn both_halves_of_the_random_digits_end_in_even_and_odd_ones() {
        let lowest: Vec<(u128, u128)> = (0..100)
            .filter_map(|_| {
                let value = fresh().reveal().to_owned();
                Some((read_digits(&value[45..46])? % 2, read_digits(&value[59..60])? % 2))
            })
            .collect();
        for digit in [0, 1] {
            assert!(
                lowest.iter().any(|(first, _)| *first == digit) && lowest.iter().any(|(_, second)| *second == digit)
            );
        }
    }
}
