//! Limits guessing of passwords: each try is counted in the database before the password is checked, so that parallel
//! tries and tries at several nodes are all counted. The rule is in `domain::identity::log_in_tries`.
//!
//! A crash between the count and the answer leaves a try counted. The rows hold keyed hashes; a change of the secret
//! key starts all counts at zero.

use std::net::IpAddr;

use domain::Timestamp;
use domain::identity::log_in_tries::{KNOWN_NETWORK_SECONDS, TryCount, TryScope};
use domain::identity::networks::network_of;
use store::Tx;
use store::identity::log_in_tries::{StoredTries, TryKey};

use crate::identity::Identity;
use crate::{Error, Fault, Result};

/// Counts without a try for this many seconds are deleted; by then they have fallen to zero.
const FORGOTTEN_SECONDS: i64 = 2 * 86_400;

/// The keys of the three counts of one try: by e-mail address and network together, by network, by e-mail address.
#[derive(Debug, Clone)]
pub(crate) struct TryKeys([TryKey; 3]);

#[derive(Debug)]
pub(crate) struct LogInTries<'a>(&'a Identity);

impl Identity {
    pub(crate) fn log_in_tries(&self) -> LogInTries<'_> {
        LogInTries(self)
    }
}

impl LogInTries<'_> {
    /// The keys of tries with this e-mail address, given as it is stored, from the network of this IP address.
    pub fn keys(&self, email: &str, from: IpAddr) -> Result<TryKeys> {
        let key = self.0.keys().session.first().ok_or(Error::Fault(Fault::NoKey))?;
        let network = network_of(from);
        // The prefixes separate these hashes from others under the same key; an e-mail address holds no line break.
        let hash = |scope| match scope {
            TryScope::AddressFromNetwork => key.mac(format!("try:both:{network}\n{email}").as_bytes()),
            TryScope::Network => key.mac(format!("try:network:{network}").as_bytes()),
            TryScope::Address => key.mac(format!("try:address:{email}").as_bytes()),
        };
        Ok(TryKeys(TryScope::ALL.map(hash)))
    }

    /// Counts a try. Refuses it, without counting, during a pause.
    pub async fn take(&self, keys: &TryKeys) -> Result<()> {
        let now = self.0.now();
        // Most tries of a flood end here, without a write.
        check(keys, &store::identity::log_in_tries::find(self.0.db(), &keys.0).await?, now)?;
        self.0.db().write((keys.clone(), now), |tx, (keys, now)| Box::pin(count(tx, keys, *now))).await
    }
}

/// Takes the try of a successful log-in back, and marks its network as known for the e-mail address.
pub(crate) async fn give_back(tx: &mut Tx<'_>, keys: &TryKeys, now: Timestamp) -> Result<()> {
    let mut counts = store::identity::log_in_tries::lock(tx, &keys.0, now).await?;
    for one in &mut counts {
        let scope = scope_of(keys, &one.key);
        let mut count = one.count().without_try(now);
        if scope == Some(TryScope::AddressFromNetwork) {
            count = TryCount::none(now);
            one.known_until = Some(now.plus_seconds(KNOWN_NETWORK_SECONDS));
        }
        (one.tries, one.last_at, one.next_at) = (count.tries, count.last_at, count.next_at);
    }
    Ok(store::identity::log_in_tries::save(tx, &counts).await?)
}

/// Gives one try back and nothing more: the password was right, and the second factor is still to come.
pub(crate) async fn release(tx: &mut Tx<'_>, keys: &TryKeys, now: Timestamp) -> Result<()> {
    let mut counts = store::identity::log_in_tries::lock(tx, &keys.0, now).await?;
    for one in &mut counts {
        let count = one.count().without_try(now);
        (one.tries, one.last_at, one.next_at) = (count.tries, count.last_at, count.next_at);
    }
    Ok(store::identity::log_in_tries::save(tx, &counts).await?)
}

/// Confirms a failed try: the pause begins now, when the client gets the answer, and not when the try was counted.
pub(crate) async fn confirm(tx: &mut Tx<'_>, keys: &TryKeys, now: Timestamp) -> Result<()> {
    let mut counts = store::identity::log_in_tries::lock(tx, &keys.0, now).await?;
    for one in &mut counts {
        let waited = now.seconds_since(one.last_at).max(0);
        (one.last_at, one.next_at) = (now, one.next_at.plus_seconds(waited));
    }
    Ok(store::identity::log_in_tries::save(tx, &counts).await?)
}

/// Deletes counts without a try for `FORGOTTEN_SECONDS`.
pub(crate) async fn sweep(tx: &mut Tx<'_>, now: Timestamp) -> store::Result<()> {
    store::identity::log_in_tries::sweep(tx, now.plus_seconds(-FORGOTTEN_SECONDS), now).await.map(drop)
}

async fn count(tx: &mut Tx<'_>, keys: &TryKeys, now: Timestamp) -> Result<()> {
    let mut counts = store::identity::log_in_tries::lock(tx, &keys.0, now).await?;
    check(keys, &counts, now)?;
    for one in &mut counts {
        if let Some(scope) = scope_of(keys, &one.key) {
            let count = one.count().with_try(scope, now);
            (one.tries, one.last_at, one.next_at) = (count.tries, count.last_at, count.next_at);
        }
    }
    Ok(store::identity::log_in_tries::save(tx, &counts).await?)
}

fn scope_of(keys: &TryKeys, key: &TryKey) -> Option<TryScope> {
    let at = keys.0.iter().position(|it| it == key)?;
    TryScope::ALL.get(at).copied()
}

/// Refuses a try during a pause of any count. From a network that is known for the e-mail address, the pause of the
/// address alone does not count.
fn check(keys: &TryKeys, counts: &[StoredTries], now: Timestamp) -> Result<()> {
    let known = counts.iter().any(|it| it.known_until.is_some_and(|until| until > now));
    let pauses = counts.iter().filter(|it| !(known && scope_of(keys, &it.key) == Some(TryScope::Address)));
    let until = pauses.filter_map(|it| it.count().paused_until(now)).max();
    match until {
        Some(until) => Err(Error::TooManyTries { seconds: until.seconds_since(now).max(1) }),
        None => Ok(()),
    }
}
