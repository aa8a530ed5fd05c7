//! Idempotency keys: a repeated request gets the first answer and has no second effect.
//!
//! A request holds its key while its operation runs (`hold.rs`); afterwards the key has the answer. A process that dies
//! in between leaves a held key, which a later request takes over (`hold.rs` says when). An operation whose effect must
//! not happen twice saves its outcome in the transaction of the effect (`save_outcome`), and looks for a saved one
//! first (`saved_outcome`): a request that takes the key over answers from that outcome. An operation that saves no
//! outcome may run a second time then.

mod hold;

use std::sync::{Arc, OnceLock};

use domain::{Field, TenantId};
use store::Tx;
use store::base::idempotency::{self, IdempotencyKey, SavedOutcome};

use crate::{Error, Result};

use domain::base::idempotency::Fingerprint;
pub use hold::{Idempotency, KeyLock, KeyStatus};

/// The header that has the key.
pub const HEADER: &str = "Idempotency-Key";
const LONGEST: usize = 255;

/// An operation of a caller under the key that the client chose. It identifies what must happen only once. Cheap to
/// clone.
#[derive(Debug, Clone)]
pub struct IdempotencyScope(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    key: IdempotencyKey,
    /// The fingerprint of the request; set when the whole body was read.
    fingerprint: OnceLock<Fingerprint>,
}

impl IdempotencyScope {
    /// The scope of an operation with a key that was checked (`check_key`). `credential` names the owner of the key.
    pub fn new(tenant: TenantId, credential: String, operation: &str, key: String) -> Self {
        let key = IdempotencyKey { tenant, credential, operation: operation.to_owned(), key };
        Self(Arc::new(Inner { key, fingerprint: OnceLock::new() }))
    }

    /// Sets the fingerprint, once the whole body was read. Later calls are ignored.
    pub fn arrived(&self, fingerprint: Fingerprint) {
        let _ = self.0.fingerprint.set(fingerprint);
    }

    /// The fingerprint of the request; none before the whole body was read.
    pub fn fingerprint(&self) -> Option<Fingerprint> {
        self.0.fingerprint.get().copied()
    }

    fn key(&self) -> &IdempotencyKey {
        &self.0.key
    }
}

/// Refuses a key that a client must not use.
pub(crate) fn check_key(key: &str) -> Result<()> {
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-');
    if !(1..=LONGEST).contains(&key.len()) || !key.bytes().all(allowed) {
        return Err(Error::invalid(
            Field::IdempotencyKey,
            "expected 1 to 255 characters: A-Z, a-z, 0-9, `.`, `_` and `-`",
        ));
    }
    Ok(())
}

/// The outcome of an earlier run of this operation that was interrupted before its answer was saved. If there is one,
/// the operation must answer from it and do nothing. An outcome of a request with another body is `KeyReused`. Locks
/// the key until the transaction ends.
#[boxed::futures]
pub async fn saved_outcome(tx: &mut Tx<'_>, scope: &IdempotencyScope) -> Result<Option<String>> {
    let Some(saved) = idempotency::saved_outcome(tx, scope.key()).await? else { return Ok(None) };
    match (saved.fingerprint, scope.fingerprint()) {
        (Some(first), Some(this)) if first != this => Err(Error::KeyReused),
        _ => Ok(Some(saved.outcome)),
    }
}

/// Saves what the operation does, in the transaction that does it. Fails, and so rolls the transaction back, when the
/// key has an outcome or an answer already or was deleted: then another run has done the operation, or will.
#[boxed::futures]
pub async fn save_outcome(tx: &mut Tx<'_>, scope: &IdempotencyScope, outcome: &str) -> Result<()> {
    let saved = SavedOutcome { fingerprint: scope.fingerprint(), outcome: outcome.to_owned() };
    if idempotency::save_outcome(tx, scope.key(), &saved).await? {
        return Ok(());
    }
    Err(Error::KeyInUse)
}
