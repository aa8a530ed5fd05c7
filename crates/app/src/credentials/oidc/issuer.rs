//! One issuer's keys over time: when they are fetched, by whom, and how long they are trusted. Reading known keys takes
//! no lock; only who needs other keys waits, and all who wait share one fetch.

use std::sync::Arc;

use arc_swap::ArcSwapOption;
use domain::{Clock, Timestamp};
use reqwest::Client;
use tokio::sync::{Mutex, OwnedMutexGuard};

use super::config::IssuerConfig;
use super::error::OidcError;
use super::fetch;
use super::keys::{KeySet, Signing};
use crate::credentials::jwt::Compact;

/// Unknown key ids cause at most one fetch in this time: anybody can make them up.
const UNKNOWN_KEY_PAUSE: i64 = 30;
/// A failed fetch is remembered for so long, so that an issuer in trouble is not hammered.
const FAILURE_REMEMBERED: i64 = 5;
/// Older keys are renewed behind the requests, so that a key which the issuer withdrew goes out of use.
const FRESH_FOR: i64 = 10 * 60;
/// Older keys are not used at all: whoever cannot be asked for an hour cannot withdraw a stolen key.
const TRUSTED_FOR: i64 = 60 * 60;

#[derive(Debug)]
pub(super) struct Issuer {
    pub(super) config: IssuerConfig,
    client: Client,
    clock: Clock,
    keys: ArcSwapOption<KeySet>,
    attempts: Arc<Mutex<Attempts>>,
}

/// Held by whoever fetches.
#[derive(Debug, Default)]
struct Attempts {
    failed_at: Option<Timestamp>,
    unknown_key_at: Option<Timestamp>,
}

impl Issuer {
    pub(super) fn new(config: IssuerConfig, client: Client, clock: Clock) -> Self {
        Self { config, client, clock, keys: ArcSwapOption::empty(), attempts: Arc::default() }
    }

    pub(super) async fn check(self: &Arc<Self>, token: &Compact<'_>, signing: Signing) -> Result<(), OidcError> {
        let Some(known) = self.trusted() else {
            return self.first_keys().await?.check(token, signing);
        };
        match known.check(token, signing) {
            Err(OidcError::KeyUnknown) => self.keys_after(&known).await?.check(token, signing),
            answer => {
                self.renew_behind(&known);
                answer
            }
        }
    }

    fn trusted(&self) -> Option<Arc<KeySet>> {
        let now = self.clock.now();
        self.keys.load_full().filter(|keys| within(TRUSTED_FOR, Some(keys.fetched_at), now))
    }

    async fn first_keys(self: &Arc<Self>) -> Result<Arc<KeySet>, OidcError> {
        let attempts = Arc::clone(&self.attempts).lock_owned().await;
        if let Some(fetched_meanwhile) = self.trusted() {
            return Ok(fetched_meanwhile);
        }
        if within(FAILURE_REMEMBERED, attempts.failed_at, self.clock.now()) {
            return Err(OidcError::Unavailable);
        }
        self.fetch(attempts).await
    }

    /// Other keys than those `known`, which lacked one.
    async fn keys_after(self: &Arc<Self>, known: &Arc<KeySet>) -> Result<Arc<KeySet>, OidcError> {
        let mut attempts = Arc::clone(&self.attempts).lock_owned().await;
        if let Some(newer) = self.trusted().filter(|keys| !Arc::ptr_eq(keys, known)) {
            return Ok(newer);
        }
        let now = self.clock.now();
        if within(UNKNOWN_KEY_PAUSE, attempts.unknown_key_at, now) {
            return Err(if attempts.failed_at.is_some() { OidcError::Unavailable } else { OidcError::KeyUnknown });
        }
        attempts.unknown_key_at = Some(now);
        self.fetch(attempts).await
    }

    fn renew_behind(self: &Arc<Self>, known: &KeySet) {
        let now = self.clock.now();
        if within(FRESH_FOR, Some(known.fetched_at), now) {
            return;
        }
        // Whoever holds the lock is fetching already.
        let Ok(attempts) = Arc::clone(&self.attempts).try_lock_owned() else { return };
        if !within(UNKNOWN_KEY_PAUSE, attempts.failed_at, now) {
            tokio::spawn(Arc::clone(self).fetch_now(attempts));
        }
    }

    /// In a task of its own: a caller who hangs up must not leave the others who wait without an answer.
    async fn fetch(self: &Arc<Self>, attempts: OwnedMutexGuard<Attempts>) -> Result<Arc<KeySet>, OidcError> {
        let task = tokio::spawn(Arc::clone(self).fetch_now(attempts));
        task.await.unwrap_or(Err(OidcError::Unavailable))
    }

    async fn fetch_now(self: Arc<Self>, mut attempts: OwnedMutexGuard<Attempts>) -> Result<Arc<KeySet>, OidcError> {
        let now = self.clock.now();
        match fetch::key_set(&self.client, &self.config.issuer, now).await {
            Ok(keys) => {
                tracing::info!(issuer = self.config.issuer, keys = keys.len(), "fetched the issuer's keys");
                let keys = Arc::new(keys);
                self.keys.store(Some(Arc::clone(&keys)));
                attempts.failed_at = None;
                Ok(keys)
            }
            Err(error) => {
                tracing::warn!(issuer = self.config.issuer, %error, "cannot fetch the issuer's keys");
                attempts.failed_at = Some(self.clock.now());
                Err(OidcError::Unavailable)
            }
        }
    }
}

fn within(seconds: i64, since: Option<Timestamp>, now: Timestamp) -> bool {
    since.is_some_and(|since| now < since.plus_seconds(seconds))
}
