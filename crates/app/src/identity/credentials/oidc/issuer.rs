//! The key cache of one issuer.
//!
//! Keys are used for `TRUSTED_FOR`; a request that finds them older than `FRESH_FOR` refreshes them in the background.
//! Requests that find their key in the cache wait for no lock. Requests that need other keys wait for the mutex, so at
//! most one fetch runs at a time and all of them share its result. Unknown key ids and failures are limited
//! (`UNKNOWN_KEY_PAUSE`, `FAILURE_PAUSE`), so that neither an attacker nor an outage makes Switchboard flood the
//! issuer.
//!
//! The cache is in memory only: after a restart the first token causes a fetch. `fetch` has the protocol, `keys` the
//! check of signatures.

use std::sync::Arc;

use arc_swap::ArcSwapOption;
use channels::transport::Transport;
use domain::{Clock, Timestamp};
use tokio::sync::{Mutex, OwnedMutexGuard};

use super::error::OidcError;
use super::fetch;
use super::keys::{KeySet, Signing};
use crate::identity::credentials::jwt::Compact;

/// Seconds between two fetches because of unknown key ids, which any caller can make up.
const UNKNOWN_KEY_PAUSE: i64 = 30;
/// Seconds after a failed fetch in which requests that find no usable keys are refused without another fetch.
const FAILURE_PAUSE: i64 = 5;
/// Seconds after their fetch from which a request refreshes keys in the background, so that a key that the issuer
/// withdrew goes out of use.
const FRESH_FOR: i64 = 10 * 60;
/// Seconds after their fetch in which keys are used. The bound is needed because an issuer that cannot be reached
/// cannot withdraw a stolen key.
const TRUSTED_FOR: i64 = 60 * 60;

#[derive(Debug)]
pub(super) struct IssuerKeys {
    issuer: String,
    transport: Arc<dyn Transport>,
    clock: Clock,
    keys: ArcSwapOption<KeySet>,
    history: Arc<Mutex<FetchHistory>>,
}

/// Times of the last failed fetch and of the last fetch because of an unknown key. Locked by the task that fetches.
#[derive(Debug, Default)]
struct FetchHistory {
    failed_at: Option<Timestamp>,
    unknown_key_at: Option<Timestamp>,
}

impl IssuerKeys {
    pub(super) fn new(issuer: String, transport: Arc<dyn Transport>, clock: Clock) -> Self {
        Self { issuer, transport, clock, keys: ArcSwapOption::empty(), history: Arc::default() }
    }

    pub(super) async fn check(self: &Arc<Self>, token: &Compact<'_>, signing: Signing) -> Result<(), OidcError> {
        let Some(known) = self.trusted() else {
            return self.first_keys().await?.check(token, signing);
        };
        match known.check(token, signing) {
            Err(OidcError::KeyUnknown) => self.keys_after(&known).await?.check(token, signing),
            answer => {
                self.refresh_in_background(&known);
                answer
            }
        }
    }

    fn trusted(&self) -> Option<Arc<KeySet>> {
        let now = self.clock.now();
        self.keys.load_full().filter(|keys| within(TRUSTED_FOR, Some(keys.fetched_at), now))
    }

    async fn first_keys(self: &Arc<Self>) -> Result<Arc<KeySet>, OidcError> {
        let history = Arc::clone(&self.history).lock_owned().await;
        if let Some(fetched_meanwhile) = self.trusted() {
            return Ok(fetched_meanwhile);
        }
        if within(FAILURE_PAUSE, history.failed_at, self.clock.now()) {
            return Err(OidcError::Unavailable);
        }
        self.fetch(history).await
    }

    /// Returns newer keys than `known`, in which the key of a token was not found. Fetches them at most once in
    /// `UNKNOWN_KEY_PAUSE`.
    async fn keys_after(self: &Arc<Self>, known: &Arc<KeySet>) -> Result<Arc<KeySet>, OidcError> {
        let mut history = Arc::clone(&self.history).lock_owned().await;
        if let Some(newer) = self.trusted().filter(|keys| !Arc::ptr_eq(keys, known)) {
            return Ok(newer);
        }
        let now = self.clock.now();
        if within(UNKNOWN_KEY_PAUSE, history.unknown_key_at, now) {
            return Err(if history.failed_at.is_some() { OidcError::Unavailable } else { OidcError::KeyUnknown });
        }
        history.unknown_key_at = Some(now);
        self.fetch(history).await
    }

    fn refresh_in_background(self: &Arc<Self>, known: &KeySet) {
        let now = self.clock.now();
        if within(FRESH_FOR, Some(known.fetched_at), now) {
            return;
        }
        // A locked mutex means that a fetch is running.
        let Ok(history) = Arc::clone(&self.history).try_lock_owned() else { return };
        if !within(UNKNOWN_KEY_PAUSE, history.failed_at, now) {
            tokio::spawn(Arc::clone(self).fetch_now(history));
        }
    }

    /// Fetches in a task of its own: if the client that caused the fetch disconnects, the other waiting requests still
    /// get the keys.
    async fn fetch(self: &Arc<Self>, history: OwnedMutexGuard<FetchHistory>) -> Result<Arc<KeySet>, OidcError> {
        let task = tokio::spawn(Arc::clone(self).fetch_now(history));
        task.await.unwrap_or(Err(OidcError::Unavailable))
    }

    async fn fetch_now(self: Arc<Self>, mut history: OwnedMutexGuard<FetchHistory>) -> Result<Arc<KeySet>, OidcError> {
        let now = self.clock.now();
        match fetch::key_set(&*self.transport, &self.issuer, now).await {
            Ok(keys) => {
                tracing::info!(issuer = self.issuer, keys = keys.len(), "fetched the issuer's keys");
                let keys = Arc::new(keys);
                self.keys.store(Some(Arc::clone(&keys)));
                history.failed_at = None;
                Ok(keys)
            }
            Err(error) => {
                tracing::warn!(issuer = self.issuer, %error, "cannot fetch the issuer's keys");
                history.failed_at = Some(self.clock.now());
                Err(OidcError::Unavailable)
            }
        }
    }
}

fn within(seconds: i64, since: Option<Timestamp>, now: Timestamp) -> bool {
    since.is_some_and(|since| now < since.plus_seconds(seconds))
}
