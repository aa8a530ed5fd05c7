//! Holding a key while its operation runs.
//!
//! At most one live request holds a key. A holder that began longer ago than an operation may take, plus `GRACE`,
//! counts as lost, and the next request takes the key over; with SQLite, every holder of another process counts as lost
//! too. A key and its answer are kept for a day after the request began.

use std::time::Duration;

use domain::base::idempotency::Answer;
use store::BatchSize;
use store::base::idempotency::{self, Holder};

use super::IdempotencyScope;
use crate::Result;
use crate::base::Base;

/// How long a key and its answer are kept, from the begin of the request.
const KEPT_SECONDS: i64 = 24 * 60 * 60;
/// Added to the longest time that an operation may take, before its holder counts as lost.
const GRACE: Duration = Duration::from_secs(30);
/// Most keys deleted in one transaction.
const SWEPT_AT_ONCE: usize = 1000;

#[derive(Debug)]
pub struct Idempotency<'a>(&'a Base);

#[boxed::futures]
impl Base {
    pub fn idempotency(&self) -> Idempotency<'_> {
        Idempotency(self)
    }

    /// Deletes expired keys.
    pub async fn sweep_idempotency(&self) -> Result<()> {
        let mut size = BatchSize::new(self.db(), SWEPT_AT_ONCE);
        loop {
            let input = (self.now(), size.limit());
            let write = self.db().write_timed(input, |tx, (now, most)| Box::pin(idempotency::sweep(tx, *now, *most)));
            let (deleted, took) = write.await?;
            if deleted < size.limit().unsigned_abs() {
                return Ok(());
            }
            size.record(took).await;
        }
    }
}

/// What to do with a request that has a key.
#[derive(Debug)]
pub enum KeyStatus {
    /// This request locked the key: it must run the operation, then save its answer or release the key.
    Locked(KeyLock),
    /// The operation was done, and this is its answer. The caller checks whether the request is the same.
    Answered(Answer),
    /// Another request with this key is running.
    InUse,
}

/// The right to run an operation under a key.
#[derive(Debug)]
pub struct KeyLock {
    base: Base,
    scope: IdempotencyScope,
    holder: Holder,
}

#[boxed::futures]
impl Idempotency<'_> {
    /// Holds the key, if no other request does. `longest_run` is the longest time that an operation may take.
    pub async fn begin(&self, scope: &IdempotencyScope, longest_run: Duration) -> Result<KeyStatus> {
        let (base, now) = (self.0, self.0.now());
        let holder = Holder { name: base.process_name().to_owned(), since: now };
        let silence = i64::try_from((longest_run + GRACE).as_secs()).unwrap_or(KEPT_SECONDS);
        let (lost, expires_at) = (now.plus_seconds(-silence), now.plus_seconds(KEPT_SECONDS));
        let input = (scope.clone(), holder.clone(), lost, expires_at);
        let write = base.db().write(input, |tx, (scope, holder, lost, expires_at)| {
            Box::pin(async move {
                if idempotency::acquire(tx, scope.key(), holder, *lost, *expires_at).await? {
                    return Ok((true, None));
                }
                Ok::<_, store::Error>((false, idempotency::find_answer(tx, scope.key()).await?))
            })
        });
        Ok(match write.await? {
            (true, _) => KeyStatus::Locked(KeyLock { base: base.clone(), scope: scope.clone(), holder }),
            (false, Some(answer)) => KeyStatus::Answered(answer),
            (false, None) => KeyStatus::InUse,
        })
    }
}

#[boxed::futures]
impl KeyLock {
    /// Saves the answer, which a repeated request then gets. When another request has taken the key over, or the saved
    /// outcome is of another request, no answer is saved and the key is released.
    pub async fn save_answer(self, status: u16, content_type: Option<String>, body: Vec<u8>) -> Result<()> {
        let answer = Answer { fingerprint: self.scope.fingerprint(), status: i64::from(status), content_type, body };
        let write = self.base.db().write((self.scope, self.holder, answer), |tx, (scope, holder, answer)| {
            Box::pin(async move {
                if !idempotency::save_answer(tx, scope.key(), holder, answer).await? {
                    idempotency::release(tx, scope.key(), holder).await?;
                }
                Ok::<_, store::Error>(())
            })
        });
        Ok(write.await?)
    }

    /// Releases the key without an answer: a repeated request may run the operation at once. A saved outcome stays.
    pub async fn release(self) -> Result<()> {
        let write = self.base.db().write((self.scope, self.holder), |tx, (scope, holder)| {
            Box::pin(idempotency::release(tx, scope.key(), holder))
        });
        Ok(write.await?)
    }
}
