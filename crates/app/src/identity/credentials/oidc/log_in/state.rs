//! What the browser's cookie holds while the person is at the provider: sealed, so that only this server can read and
//! make it.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use domain::Timestamp;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use subtle::ConstantTimeEq as _;

use crate::base::keys::Keys;
use crate::{Error, Fault, Result};

/// Binds the sealed value to this use: a value that was sealed for another use does not open here.
const BOUND_TO: &[u8] = b"oidc-log-in";
const RANDOM_BYTES: usize = 32;
const MAX_SHOWN: usize = 100;

#[derive(Serialize, Deserialize)]
pub(super) struct LogInState {
    provider: String,
    state: String,
    pub nonce: String,
    pub verifier: String,
    next: String,
    /// In microseconds since 1970.
    expires_at: i64,
}

impl std::fmt::Debug for LogInState {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("LogInState").field("provider", &self.provider).finish_non_exhaustive()
    }
}

impl LogInState {
    pub fn new(provider: &str, next: &str, expires_at: Timestamp) -> Self {
        Self {
            provider: provider.to_owned(),
            state: random(),
            nonce: random(),
            verifier: random(),
            next: next.to_owned(),
            expires_at: expires_at.micros(),
        }
    }

    pub fn state(&self) -> &str {
        &self.state
    }

    /// Whether an answer belongs to this log-in: the same provider and state, and not too late.
    pub fn fits(&self, provider: &str, state: Option<&str>, now: Timestamp) -> bool {
        let same = state.is_some_and(|state| bool::from(state.as_bytes().ct_eq(self.state.as_bytes())));
        same && self.provider == provider && now < self.expires_at()
    }

    pub fn expires_at(&self) -> Timestamp {
        Timestamp::from_micros(self.expires_at)
    }

    pub fn state_hash(&self) -> [u8; 32] {
        Sha256::digest(self.state.as_bytes()).into()
    }

    /// The hash of the verifier for the provider (RFC 7636, S256).
    pub fn challenge(&self) -> String {
        URL_SAFE_NO_PAD.encode(Sha256::digest(self.verifier.as_bytes()))
    }

    pub fn into_next(self) -> String {
        self.next
    }
}

fn random() -> String {
    URL_SAFE_NO_PAD.encode(rand::random::<[u8; RANDOM_BYTES]>())
}

pub(super) fn seal(keys: &Keys, log_in: &LogInState) -> Result<String> {
    let key = keys.stored_secret.first().ok_or(Error::Fault(Fault::NoKey))?;
    let plain = domain::to_json(log_in).into_bytes();
    let sealed = key.seal(BOUND_TO, &plain).map_err(|_| Error::Fault(Fault::NoKey))?;
    Ok(URL_SAFE_NO_PAD.encode(sealed))
}

pub(super) fn open(keys: &Keys, cookie: &str) -> Option<LogInState> {
    let sealed = URL_SAFE_NO_PAD.decode(cookie).ok()?;
    let plain = keys.stored_secret.iter().find_map(|key| key.open(BOUND_TO, &sealed).ok())?;
    serde_json::from_slice(&plain).ok()
}

/// Shortens text from outside for the log, and removes control characters.
pub(super) fn shortened(text: &str) -> String {
    text.chars().filter(|c| !c.is_control()).take(MAX_SHOWN).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_fits_its_own_log_in_only() {
        let now = Timestamp::from_seconds(1_776_000_000);
        let (one, other) =
            (LogInState::new("acme", "/console", now.plus_seconds(600)), LogInState::new("acme", "/", now));
        assert!(one.fits("acme", Some(one.state()), now));
        assert!(one.fits("acme", Some(one.state()), now.plus_seconds(599)));
        assert!(!one.fits("acme", Some(one.state()), now.plus_seconds(600)));
        assert!(!one.fits("acme", Some(other.state()), now) && !one.fits("acme", None, now));
        assert!(!one.fits("acme", Some(""), now) && !one.fits("other", Some(one.state()), now));
        assert!(!format!("{one:?}").contains(&one.verifier));
    }

    /// The example of RFC 7636, appendix B.
    #[test]
    fn the_challenge_is_the_hash_of_the_verifier() {
        let mut log_in = LogInState::new("acme", "/", Timestamp::from_seconds(0));
        log_in.verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk".to_owned();
        assert_eq!(log_in.challenge(), "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM");
    }
}
