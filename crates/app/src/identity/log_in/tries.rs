//! Limits guessing of passwords: each try is counted in the database before the password is checked, so that parallel
//! tries and tries at several nodes are all counted. The rule is in `domain::identity::log_in_tries`.
//!
//! A crash between the count and the answer leaves a try counted. The rows hold keyed hashes; a change of the secret
//! key starts all counts at zero.

use std::net::IpAddr;

use domain::Timestamp;
use domain::identity::log_in_tries::{KNOWN_NETWORK_SECONDS, TryCount, TryScope};
use domain::identity::memberships::Holder;
use domain::identity::networks::network_of;
use store::Tx;
use store::identity::log_in_tries::{StoredTries, TryKey};

use crate::identity::Identity;
use crate::{Error, Fault, Result};

/// Counts without a try for this many seconds are deleted; by then they have fallen to zero.
const FORGOTTEN_SECONDS: i64 = 2 * 86_400;

/// The keys of the three counts of one try: by account and network together, by network, by account.
#[derive(Debug, Clone)]
pub(crate) struct TryKeys([TryKey; 3]);

/// Whether a network that is known for the account spares a try the pause of the account.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum KnownNetworks {
    Count,
    /// The try is for a membership with its own password: the account's networks are not its owner's for certain.
    DoNotCount,
}

impl KnownNetworks {
    pub fn of(holder: Holder) -> Self {
        if holder.is_account() { Self::Count } else { Self::DoNotCount }
    }
}

/// How a try was admitted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Admitted {
    Freely,
    /// The account is in a pause, and the network is known for it: only the account's own password may be compared.
    FromKnownNetwork,
}

#[derive(Debug)]
pub(crate) struct LogInTries<'a>(&'a Identity);

impl Identity {
    pub(crate) fn log_in_tries(&self) -> LogInTries<'_> {
        LogInTries(self)
    }
}

impl LogInTries<'_> {
    /// The keys of tries for this account, by its id, from the network of this IP address; where no account has the
    /// e-mail address of a log-in, by the address. What is counted and which networks are known belongs to an account:
    /// nothing of it passes to another account that gets the address later.
    pub fn keys(&self, subject: &str, from: IpAddr) -> Result<TryKeys> {
        let key = self.0.keys().session.first().ok_or(Error::Fault(Fault::NoKey))?;
        let network = network_of(from);
        // The prefixes separate these hashes from others under the same key; neither an id nor an address has a line
        // break.
        let hash = |scope| match scope {
            TryScope::AddressFromNetwork => key.mac(format!("try:both:{network}\n{subject}").as_bytes()),
            TryScope::Network => key.mac(format!("try:network:{network}").as_bytes()),
            TryScope::Address => key.mac(format!("try:address:{subject}").as_bytes()),
        };
        Ok(TryKeys(TryScope::ALL.map(hash)))
    }

    /// Counts a try. Refuses it, without counting, during a pause.
    pub async fn take(&self, keys: &TryKeys, known: KnownNetworks) -> Result<Admitted> {
        let now = self.0.now();
        // Most tries of a flood end here, without a write.
        check(keys, &store::identity::log_in_tries::find(self.0.db(), &keys.0).await?, known, now)?;
        let input = (keys.clone(), known, now);
        self.0.db().write(input, |tx, (keys, known, now)| Box::pin(count(tx, keys, *known, *now))).await
    }
}

/// Takes the try of a successful log-in back, and marks its network as known for the account.
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

/// Gives one try back and nothing more: the password was right, and the second factor is still to come, or it was
/// a membership's own password.
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

async fn count(tx: &mut Tx<'_>, keys: &TryKeys, known: KnownNetworks, now: Timestamp) -> Result<Admitted> {
    let mut counts = store::identity::log_in_tries::lock(tx, &keys.0, now).await?;
    let admitted = check(keys, &counts, known, now)?;
    for one in &mut counts {
        if let Some(scope) = scope_of(keys, &one.key) {
            let count = one.count().with_try(scope, now);
            (one.tries, one.last_at, one.next_at) = (count.tries, count.last_at, count.next_at);
        }
    }
    store::identity::log_in_tries::save(tx, &counts).await?;
    Ok(admitted)
}

fn scope_of(keys: &TryKeys, key: &TryKey) -> Option<TryScope> {
    let at = keys.0.iter().position(|it| it == key)?;
    TryScope::ALL.get(at).copied()
}

/// Refuses a try during a pause of any count. From a network that is known for the account, the pause of the account
/// alone does not count.
fn check(keys: &TryKeys, counts: &[StoredTries], known: KnownNetworks, now: Timestamp) -> Result<Admitted> {
    let is_known =
        known == KnownNetworks::Count && counts.iter().any(|it| it.known_until.is_some_and(|until| until > now));
    let is_spared = |it: &StoredTries| is_known && scope_of(keys, &it.key) == Some(TryScope::Address);
    let paused = || counts.iter().filter_map(|it| it.count().paused_until(now).map(|until| (it, until)));
    if let Some(until) = paused().filter(|pause| !is_spared(pause.0)).map(|(_, until)| until).max() {
        return Err(Error::TooManyTries { seconds: until.seconds_since(now).max(1) });
    }
    Ok(if paused().next().is_some() { Admitted::FromKnownNetwork } else { Admitted::Freely })
}
