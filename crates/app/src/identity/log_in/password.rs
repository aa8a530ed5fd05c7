//! Logging in with a password: counts the try (`tries.rs`), verifies the password, and writes a failure into the
//! audit logs of the tenants that have an account with the e-mail address.
//!
//! The work does not depend on the e-mail address: whether no tenant, one tenant or several have an account with it,
//! the same number of hashes is verified and the same kinds of transactions are written.

use domain::identity::accounts::Account;
use domain::{AccountId, TenantId, Timestamp};
use store::Tx;
use store::identity::accounts::LogInCandidate;

use crate::identity::Identity;
use crate::identity::accounts::Accounts;
use crate::identity::log_in::tries::{TryKeys, confirm, give_back, release};
use crate::identity::log_in::{LogInSource, VerifiedPassword, count_log_in};
use crate::{Actor, ActsFor, Error, Result, Thing};

const FAILED: &str = "log_in.fail";

/// A failed try, to be written.
#[derive(Debug)]
struct FailedTry {
    keys: TryKeys,
    now: Timestamp,
    /// The accounts in whose tenants' audit logs the failure is noted, and why each cannot log in.
    accounts: Vec<(TenantId, Actor, String, &'static str)>,
}

impl Identity {
    /// How many password hashes log-ins have verified since the start.
    pub fn verified_hashes(&self) -> u64 {
        self.equal_work().verified()
    }
}

impl Accounts<'_> {
    /// Finds the account with this e-mail address and password; of several tenants with such an account, the one with
    /// the lowest number. Disabled and removed accounts, and those without a password, cannot log in. After several
    /// failures there are growing pauses, in which every try fails with `TooManyTries`. Where a second factor is to
    /// come, the tries are given back with it: a known password must not buy further tries of the factor.
    pub(crate) async fn log_in(
        &self,
        email: &str,
        password: &str,
        source: &LogInSource,
    ) -> Result<Option<VerifiedPassword>> {
        let email = email.trim().to_lowercase();
        let keys = self.identity().log_in_tries().keys(&email, source.address)?;
        self.take_try(&keys).await?;
        let candidates = store::identity::accounts::for_log_in(self.identity().db(), &email).await?;
        let Some((tenant, account)) = self.verified(&candidates, password).await? else {
            self.record_failure(keys, &candidates, source).await?;
            return Ok(None);
        };
        let factors = self.identity().second_factors().of_account(tenant, account.id).await?;
        if factors.has_any() {
            let input = (keys, self.identity().now());
            self.identity().db().write(input, |tx, (keys, now)| Box::pin(release(tx, keys, *now))).await?;
        } else {
            self.succeeded(keys).await?;
        }
        Ok(Some(VerifiedPassword { tenant, account, factors }))
    }

    pub(crate) async fn take_try(&self, keys: &TryKeys) -> Result<()> {
        let taken = self.identity().log_in_tries().take(keys).await;
        if let Err(Error::TooManyTries { .. }) = taken {
            count_log_in("paused");
        }
        taken
    }

    async fn succeeded(&self, keys: TryKeys) -> Result<()> {
        let input = (keys, self.identity().now());
        self.identity().db().write(input, |tx, (keys, now)| Box::pin(give_back(tx, keys, *now))).await
    }

    /// Verifies the password against the candidates. Verifies the same number of hashes whatever the e-mail address and
    /// the outcome.
    async fn verified(&self, candidates: &[LogInCandidate], password: &str) -> Result<Option<(TenantId, Account)>> {
        let usable: Vec<_> = candidates.iter().filter(|it| refusal_of(it).is_none()).collect();
        let hashes =
            self.identity().equal_work().hashes(self.identity().db(), self.identity().now()).await?.max(usable.len());
        self.identity().equal_work().count(hashes);
        let mut found = None;
        for at in 0..hashes {
            let candidate = usable.get(at);
            let hash = candidate.map(|it| it.password_hash.clone());
            if self.identity().hashing().verify(password.to_owned(), hash).await? && found.is_none() {
                found = candidate.map(|it| (it.tenant, it.account.clone()));
            }
        }
        Ok(found)
    }

    async fn record_failure(&self, keys: TryKeys, candidates: &[LogInCandidate], source: &LogInSource) -> Result<()> {
        count_log_in("failed");
        let accounts = candidates.iter().filter(|it| it.account.removed_at.is_none()).map(|it| {
            let actor = source.actor(it.account.id);
            (it.tenant, actor, it.account.id.to_string(), refusal_of(it).unwrap_or("password"))
        });
        let failed = FailedTry { keys, now: self.identity().now(), accounts: accounts.collect() };
        self.identity().db().write(failed, |tx, failed| Box::pin(write_failure(tx, failed))).await
    }

    /// A wrong second factor counts and is recorded like a wrong password.
    pub(crate) async fn record_wrong_factor(
        &self,
        keys: TryKeys,
        tenant: TenantId,
        account: AccountId,
        source: &LogInSource,
    ) -> Result<()> {
        count_log_in("failed");
        let accounts = vec![(tenant, source.actor(account), account.to_string(), "second_factor")];
        let failed = FailedTry { keys, now: self.identity().now(), accounts };
        self.identity().db().write(failed, |tx, failed| Box::pin(write_failure(tx, failed))).await
    }

    /// Verifies the present password of the caller's own account. A wrong password counts like a failed log-in.
    pub(crate) async fn verify_own_password(
        &self,
        caller: &dyn ActsFor,
        password: String,
        source: &LogInSource,
    ) -> Result<bool> {
        let own = caller.account().ok_or(Error::NotFound(Thing::Account))?;
        let keys = self.identity().log_in_tries().keys(&own.email, source.address)?;
        self.take_try(&keys).await?;
        let mut candidates = store::identity::accounts::for_log_in(self.identity().db(), &own.email).await?;
        candidates.retain(|it| it.tenant == caller.tenant() && it.account.id == own.id);
        let hash = candidates.first().map(|mine| mine.password_hash.clone()).filter(|hash| !hash.is_empty());
        if self.identity().hashing().verify(password, hash).await? {
            self.succeeded(keys).await?;
            return Ok(true);
        }
        self.record_failure(keys, &candidates, source).await?;
        Ok(false)
    }
}

/// Why no password can log in to the account; none if one can.
fn refusal_of(candidate: &LogInCandidate) -> Option<&'static str> {
    if !candidate.account.is_active() {
        return Some("disabled");
    }
    candidate.password_hash.is_empty().then_some("no_password")
}

async fn write_failure(tx: &mut Tx<'_>, failed: &FailedTry) -> Result<()> {
    confirm(tx, &failed.keys, failed.now).await?;
    for (tenant, actor, account, reason) in &failed.accounts {
        actor.record(tx, *tenant, failed.now, FAILED, account, serde_json::json!({ "reason": reason })).await?;
    }
    Ok(())
}
