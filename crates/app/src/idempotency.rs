//! Idempotency keys: the same request again has the first answer and no second effect.
//!
//! A key is held while its operation runs, and has the answer afterwards. A process that dies in between leaves a key
//! that somebody else takes over. An operation whose effect must not happen twice writes its outcome down beside it, in
//! the same transaction (`bind`), and looks for one first (`bound`).

mod hold;

use std::sync::{Arc, OnceLock};

use domain::{TenantId, hex};
use sha2::{Digest as _, Sha256};
use store::Tx;
use store::idempotency::{self, IdempotencyKey, SavedOutcome};

use crate::principal::Credential;
use crate::{Error, Principal, Result};

pub use domain::idempotency::{Answer, Fingerprint};
pub use hold::{Begun, HeldKey, Idempotency};

/// The header, as errors name it.
pub const HEADER: &str = "Idempotency-Key";
const LONGEST: usize = 255;

/// What has to happen once: an operation of a caller under its key. Cheap to clone.
#[derive(Debug, Clone)]
pub struct IdempotencyScope(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    key: IdempotencyKey,
    /// Of the request; not there before it has arrived whole.
    fingerprint: OnceLock<Fingerprint>,
}

impl IdempotencyScope {
    /// A caller's operation under the key that it chose.
    pub fn of(caller: &Principal, operation: &str, key: &str) -> Result<Self> {
        let allowed = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-');
        if !(1..=LONGEST).contains(&key.len()) || !key.bytes().all(allowed) {
            return Err(Error::invalid(HEADER, "expected 1 to 255 of A-Z, a-z, 0-9, `.`, `_` and `-`"));
        }
        Ok(Self::new(caller.tenant, credential(caller), operation, key.to_owned()))
    }

    pub fn new(tenant: TenantId, credential: String, operation: &str, key: String) -> Self {
        let key = IdempotencyKey { tenant, credential, operation: operation.to_owned(), key };
        Self(Arc::new(Inner { key, fingerprint: OnceLock::new() }))
    }

    /// The request has arrived whole. Said once.
    pub fn arrived(&self, fingerprint: Fingerprint) {
        let _ = self.0.fingerprint.set(fingerprint);
    }

    /// Of the request; none before it has arrived whole.
    pub fn fingerprint(&self) -> Option<Fingerprint> {
        self.0.fingerprint.get().copied()
    }

    fn key(&self) -> &IdempotencyKey {
        &self.0.key
    }
}

/// Whose key it is. What others chose is hashed: it may have any length, and two parts that were put together differently
/// stay apart.
fn credential(caller: &Principal) -> String {
    match (&caller.credential, &caller.account) {
        (Credential::ApiToken { id }, _) => format!("token:{id}"),
        (Credential::Oidc { issuer, subject }, _) => {
            let hash = Sha256::new().chain_update(issuer).chain_update([0]).chain_update(subject).finalize();
            format!("oidc:{}", hex::encode(hash))
        }
        (_, Some(account)) => format!("account:{}", account.id),
        (Credential::LegacyJwt { jti }, None) => format!("jwt:{jti}"),
        (Credential::Session { id }, None) => format!("session:{id}"),
        (Credential::Machine, None) => "command".to_owned(),
    }
}

/// What this operation has done already, when it ran before and was cut off: it answers from it and does nothing.
/// Until the end of the transaction nobody else can do it.
pub async fn saved_outcome(tx: &mut Tx<'_>, scope: &IdempotencyScope) -> Result<Option<String>> {
    let Some(saved) = idempotency::saved_outcome(tx, scope.key()).await? else { return Ok(None) };
    match (saved.fingerprint, scope.fingerprint()) {
        (Some(first), Some(this)) if first != this => Err(Error::KeyReused),
        _ => Ok(Some(saved.outcome)),
    }
}

/// Writes down what the operation does, in the transaction that does it. Fails, and so undoes it, when the key is not
/// held any more: somebody else has done it, or will.
pub async fn save_outcome(tx: &mut Tx<'_>, scope: &IdempotencyScope, outcome: &str) -> Result<()> {
    let saved = SavedOutcome { fingerprint: scope.fingerprint(), outcome: outcome.to_owned() };
    if idempotency::save_outcome(tx, scope.key(), &saved).await? {
        return Ok(());
    }
    Err(Error::KeyHeld)
}
