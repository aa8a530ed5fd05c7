//! Second factors of a log-in with a password: codes of an authenticator app (TOTP, RFC 6238), passkeys and recovery
//! codes. Which of them an account has is stored; this module has the rules of TOTP and of recovery codes.

use std::fmt;
use std::str::FromStr;

use sha2::{Digest as _, Sha256};
use totp_rs::{Builder, Totp, TotpError};
use zeroize::Zeroizing;

use crate::{AccountId, PasskeyId, TenantId, Timestamp};

/// The time between the password and the second factor, and the life of a passkey's challenge.
pub const PENDING_SECONDS: i64 = 5 * 60;
/// The time between the secret of an authenticator app and its first code.
pub const TOTP_ENROLMENT_SECONDS: i64 = 15 * 60;
pub const RECOVERY_CODES: usize = 10;
pub const MAX_PASSKEYS: usize = 20;

const STEP_SECONDS: u64 = 30;
/// Codes of the step before and the step after count too: clocks differ, and typing takes time.
const STEPS_AROUND: u16 = 1;
const DIGITS: u8 = 6;
const SECRET_BYTES: usize = 20;

/// How a session began.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, crate::base::schema::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum LogInMethod {
    /// A password alone.
    Password,
    /// An OpenID Connect provider, whose task a second factor is then.
    Provider,
    Totp,
    Passkey,
    RecoveryCode,
}

impl LogInMethod {
    const ALL: [Self; 5] = [Self::Password, Self::Provider, Self::Totp, Self::Passkey, Self::RecoveryCode];

    pub const fn name(self) -> &'static str {
        match self {
            Self::Password => "password",
            Self::Provider => "provider",
            Self::Totp => "totp",
            Self::Passkey => "passkey",
            Self::RecoveryCode => "recovery_code",
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown log-in method")]
pub struct NotAMethod;

impl FromStr for LogInMethod {
    type Err = NotAMethod;

    fn from_str(name: &str) -> Result<Self, NotAMethod> {
        Self::ALL.into_iter().find(|method| method.name() == name).ok_or(NotAMethod)
    }
}

/// What an enrolment that has begun will add.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FactorKind {
    Totp,
    Passkey,
}

impl FactorKind {
    pub const fn name(self) -> &'static str {
        match self {
            Self::Totp => "totp",
            Self::Passkey => "passkey",
        }
    }
}

/// The authenticator app of an account.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TotpFactor {
    pub account_id: AccountId,
    /// Sealed.
    pub secret: Vec<u8>,
    /// The step of the last code that was used: only codes of later steps work.
    pub last_step: i64,
    pub created_at: Timestamp,
    pub last_used_at: Option<Timestamp>,
}

/// A passkey of an account. It holds no secret: the private key never leaves the authenticator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredPasskey {
    pub id: PasskeyId,
    pub account_id: AccountId,
    /// The host name of the console that the browser bound it to.
    pub host: String,
    /// Chosen by the person.
    pub name: String,
    /// Public key, counter and properties, as JSON.
    pub credential: String,
    pub created_at: Timestamp,
    pub last_used_at: Option<Timestamp>,
}

/// The secret of an authenticator app.
pub struct TotpSecret(Zeroizing<Vec<u8>>);

impl TotpSecret {
    pub fn random() -> Self {
        let bytes: [u8; SECRET_BYTES] = rand::random();
        Self(Zeroizing::new(bytes.to_vec()))
    }

    pub const fn from_bytes(bytes: Zeroizing<Vec<u8>>) -> Self {
        Self(bytes)
    }

    pub fn bytes(&self) -> &[u8] {
        &self.0
    }

    /// The `otpauth` address that apps read from a QR code.
    pub fn uri(&self, issuer: &str, account: &str) -> Result<Zeroizing<String>, TotpError> {
        let labelled = self.builder().with_issuer(Some(label(issuer))).with_account_name(label(account));
        labelled.build()?.to_url().map(Zeroizing::new)
    }

    /// For typing it into an app.
    pub fn base32(&self) -> Zeroizing<String> {
        Zeroizing::new(totp_rs::Secret::from(self.0.as_slice()).to_base32())
    }

    /// The step that a code belongs to; None if it is none of the present codes.
    pub fn step_of(&self, code: &str, now: Timestamp) -> Option<i64> {
        let digits: String = code.chars().filter(|c| !c.is_whitespace()).collect();
        let time = u64::try_from(now.seconds()).ok()?;
        self.totp().ok()?.check(&digits, time).and_then(|step| i64::try_from(step).ok())
    }

    /// The code of a moment, as an app shows it.
    pub fn code_at(&self, now: Timestamp) -> Option<String> {
        let time = u64::try_from(now.seconds()).ok()?;
        Some(self.totp().ok()?.generate(time).to_string())
    }

    fn totp(&self) -> Result<Totp, TotpError> {
        self.builder().build()
    }

    fn builder(&self) -> Builder {
        let secret = totp_rs::Secret::from(self.0.as_slice());
        let builder = Builder::new().with_secret(secret).with_digits(DIGITS);
        builder.with_skew(STEPS_AROUND).with_step_duration(STEP_SECONDS)
    }
}

impl fmt::Debug for TotpSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("TotpSecret(…)")
    }
}

/// A colon separates issuer and account.
fn label(text: &str) -> String {
    text.replace(':', " ").trim().to_owned()
}

const RECOVERY_GROUPS: usize = 4;
const RECOVERY_GROUP: usize = 4;
/// Crockford's base 32: no letter looks like a digit.
const ALPHABET: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";

/// A new recovery code: 80 random bits, shown once.
pub struct RecoveryCode(Zeroizing<String>);

impl RecoveryCode {
    pub fn random() -> Self {
        let bytes: [u8; RECOVERY_GROUPS * RECOVERY_GROUP] = rand::random();
        let mut text = Zeroizing::new(String::with_capacity(bytes.len() + RECOVERY_GROUPS));
        for (at, byte) in bytes.iter().enumerate() {
            if at > 0 && at % RECOVERY_GROUP == 0 {
                text.push('-');
            }
            text.push(char::from(ALPHABET.get(usize::from(byte % 32)).copied().unwrap_or(b'0')));
        }
        Self(text)
    }

    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for RecoveryCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("RecoveryCode(…)")
    }
}

/// The stored form of a recovery code. With 80 random bits a plain hash is enough, and a change of the installation's
/// key leaves the codes valid. Letter case and separators do not matter, and look-alikes are taken for the digit.
pub fn recovery_code_hash(tenant: TenantId, account: AccountId, code: &str) -> [u8; 32] {
    let plain: Zeroizing<String> = Zeroizing::new(
        code.chars()
            .filter(char::is_ascii_alphanumeric)
            .map(|c| match c.to_ascii_lowercase() {
                'o' => '0',
                'i' | 'l' => '1',
                other => other,
            })
            .collect(),
    );
    Sha256::digest(format!("recovery-code:{tenant}:{account}:{}", plain.as_str())).into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Id;

    /// The secret of the test vectors in RFC 6238, appendix B.
    fn published() -> TotpSecret {
        TotpSecret::from_bytes(Zeroizing::new(b"12345678901234567890".to_vec()))
    }

    #[test]
    fn codes_are_those_of_the_rfc() {
        // The last six digits of the published eight.
        for (seconds, code) in [(59, "287082"), (1_111_111_109, "081804"), (20_000_000_000, "353130")] {
            let at = Timestamp::from_seconds(seconds);
            assert_eq!(published().code_at(at).as_deref(), Some(code));
            assert_eq!(published().step_of(code, at), Some(seconds / 30));
        }
    }

    #[test]
    fn the_code_of_one_step_before_and_after_is_taken_and_no_other() {
        let now = Timestamp::from_seconds(1_776_000_000);
        let secret = TotpSecret::random();
        for (away, taken) in [(-60, false), (-30, true), (0, true), (30, true), (60, false)] {
            let at = now.plus_seconds(away);
            let code = secret.code_at(at).unwrap();
            // Codes of two steps may be equal by chance; the returned step shows which one was accepted.
            let found = secret.step_of(&code, now);
            assert_eq!(found == Some(at.seconds() / 30), taken, "{away}");
        }
        let code = published().code_at(now).unwrap();
        let (a, b) = code.split_at(3);
        assert!(published().step_of(&format!(" {a} {b}\n"), now).is_some(), "apps show a space");
        for bad in ["", "12345", "1234567", "abcdef", "１２３４５６"] {
            assert_eq!(published().step_of(bad, now), None, "{bad}");
        }
    }

    #[test]
    fn the_address_for_apps_names_issuer_and_account() {
        let uri = published().uri("Switchboard: Acme", "ada@example.com").unwrap();
        assert!(uri.starts_with("otpauth://totp/Switchboard%20%20Acme:ada%40example.com?"), "{}", uri.as_str());
        assert!(uri.contains("secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"));
        assert_eq!(published().base32().as_str(), "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ");
        assert_eq!(format!("{:?} {:?}", published(), RecoveryCode::random()), "TotpSecret(…) RecoveryCode(…)");
    }

    #[test]
    fn recovery_codes_differ_and_are_read_however_they_are_typed() {
        let (tenant, account) = (TenantId::FIRST, Id::from_bytes([7; 12]));
        let code = RecoveryCode::random();
        assert_eq!(code.reveal().len(), 19);
        assert_ne!(code.reveal(), RecoveryCode::random().reveal());
        let hash = recovery_code_hash(tenant, account, code.reveal());
        let typed = format!(" {} ", code.reveal().to_uppercase().replace('-', " ").replace('0', "O").replace('1', "l"));
        assert_eq!(recovery_code_hash(tenant, account, &typed), hash);
        assert_ne!(recovery_code_hash(tenant, Id::from_bytes([8; 12]), code.reveal()), hash);
        assert_ne!(recovery_code_hash(TenantId::from_number(2), account, code.reveal()), hash);
    }

    #[test]
    fn ways_to_log_in_are_read_as_they_are_written() {
        for method in LogInMethod::ALL {
            assert_eq!(method.name().parse(), Ok(method));
        }
        assert_eq!("".parse::<LogInMethod>(), Err(NotAMethod));
        assert_ne!(FactorKind::Totp.name(), FactorKind::Passkey.name());
    }
}
