//! Logging in with a password: counts the try (`tries.rs`), verifies the password, and writes a failure into the
//! audit logs of the tenants that the account belongs to.
//!
//! The work does not depend on the e-mail address: whether no account has it, or one with several passwords, the same
//! number of hashes is verified and the same kinds of transactions are written.

use std::net::IpAddr;

use domain::identity::accounts::Account;
use domain::identity::memberships::{Holder, Membership, Reach};
use domain::{AccountId, TenantId, Timestamp};
use store::Tx;
use store::identity::accounts::LogInCandidate;

use crate::identity::Identity;
use crate::identity::accounts::Accounts;
use crate::identity::log_in::tries::{Admitted, KnownNetworks, TryKeys, confirm, give_back, release};
use crate::identity::log_in::{LogInSource, VerifiedPassword, count_log_in};
use crate::identity::memberships::join;
use crate::{Actor, ActsFor, Error, Result, Thing};

const FAILED: &str = "log_in.fail";

/// A password that a log-in is compared with: that of an account, or of a membership with its own.
#[derive(Debug)]
struct Candidate {
    holder: Holder,
    account: Account,
    password_hash: String,
    /// Why no password can log in; none if one can.
    refusal: Option<&'static str>,
    /// The membership with its own password.
    membership: Option<Membership>,
}

/// The account's row in a tenant, with why a log-in there fails.
#[derive(Debug, Clone, Copy)]
struct FailedMember {
    tenant: TenantId,
    row: AccountId,
    reason: &'static str,
}

/// The passwords of an account, and the tenants in whose audit logs a failure is noted.
#[derive(Debug, Default)]
struct Candidates {
    all: Vec<Candidate>,
    members: Vec<FailedMember>,
}

/// A failed try, to be written.
#[derive(Debug)]
struct FailedTry {
    keys: TryKeys,
    now: Timestamp,
    source: LogInSource,
    members: Vec<FailedMember>,
}

impl Identity {
    /// How many password hashes log-ins have verified since the start.
    pub fn verified_hashes(&self) -> u64 {
        self.equal_work().verified()
    }
}

impl Accounts<'_> {
    /// Finds the account with this e-mail address and password. If the password is not the account's but that of one of
    /// its memberships, the log-in is for that membership; of several, the one in the tenant with the lowest number.
    /// Accounts that are disabled, belong to no tenant or have no password cannot log in. After several failures there
    /// are growing pauses, in which every try fails with `TooManyTries`. Where a second factor is to come, the tries
    /// are given back with it: a known password must not buy further tries of the factor.
    pub(crate) async fn log_in(
        &self,
        email: &str,
        password: &str,
        source: &LogInSource,
    ) -> Result<Option<VerifiedPassword>> {
        let email = email.trim().to_lowercase();
        let installation = TenantId::INSTALLATION;
        let found = store::identity::accounts::for_log_in_by_email(self.identity().db(), installation, &email).await?;
        let subject = found.as_ref().map_or_else(|| email.clone(), |found| found.account.id.to_string());
        let keys = self.identity().log_in_tries().keys(&subject, source.address)?;
        let admitted = self.take_try(&keys, KnownNetworks::Count, source.address).await?;
        let candidates = match found {
            Some(found) => self.candidates(found).await?,
            None => Candidates::default(),
        };
        self.verify(candidates, password, admitted, keys, source).await
    }

    /// Verifies the password of an account that a person names by other means than its address, such as an invitation.
    /// Counts as a log-in does.
    pub(crate) async fn log_in_to(
        &self,
        account: LogInCandidate,
        password: &str,
        source: &LogInSource,
    ) -> Result<Option<VerifiedPassword>> {
        let keys = self.identity().log_in_tries().keys(&account.account.id.to_string(), source.address)?;
        let admitted = self.take_try(&keys, KnownNetworks::Count, source.address).await?;
        let mut candidates = self.candidates(account).await?;
        candidates.all.retain(|it| it.holder.is_account());
        // An account without a tenant may accept an invitation.
        for candidate in &mut candidates.all {
            candidate.refusal = refusal_of(&candidate.account, &candidate.password_hash);
        }
        self.verify(candidates, password, admitted, keys, source).await
    }

    async fn verify(
        &self,
        candidates: Candidates,
        password: &str,
        admitted: Admitted,
        keys: TryKeys,
        source: &LogInSource,
    ) -> Result<Option<VerifiedPassword>> {
        let mut fitting = self.fitting(&candidates.all, password, admitted).await?.into_iter();
        let Some(first) = fitting.next() else {
            self.record_failure(keys, candidates.members, source).await?;
            return Ok(None);
        };
        let Candidate { holder, account, .. } = first;
        if holder.is_account() {
            for same in fitting {
                self.join_same(same).await?;
            }
        }
        let factors = self.identity().second_factors().of_holder(*holder).await?;
        if factors.has_any() || !holder.is_account() {
            self.released(keys).await?;
        } else {
            self.succeeded(keys).await?;
        }
        Ok(Some(VerifiedPassword { holder: *holder, account: account.clone(), factors }))
    }

    /// Counts a try. One that meets a pause is a failure of its network too, and answered late when that has too many:
    /// otherwise, clients that go on guessing would cost as much as the node can refuse.
    pub(crate) async fn take_try(&self, keys: &TryKeys, known: KnownNetworks, from: IpAddr) -> Result<Admitted> {
        let taken = self.identity().log_in_tries().take(keys, known).await;
        if let Err(Error::TooManyTries { .. }) = taken {
            count_log_in("paused");
            self.slow_down(from).await;
        }
        taken
    }

    async fn succeeded(&self, keys: TryKeys) -> Result<()> {
        let input = (keys, self.identity().now());
        self.identity().db().write(input, |tx, (keys, now)| Box::pin(give_back(tx, keys, *now))).await
    }

    pub(crate) async fn released(&self, keys: TryKeys) -> Result<()> {
        let input = (keys, self.identity().now());
        self.identity().db().write(input, |tx, (keys, now)| Box::pin(release(tx, keys, *now))).await
    }

    /// The passwords of an account: its own first, then those of memberships, by tenant.
    async fn candidates(&self, found: LogInCandidate) -> Result<Candidates> {
        let LogInCandidate { account, password_hash, .. } = found;
        let mut candidates = Candidates::default();
        let mut is_member = false;
        let db = self.identity().db();
        for membership in store::identity::memberships::of_account(db, account.id).await? {
            let (tenant, row) = (membership.member_of, membership.membership_id);
            let row = store::identity::accounts::for_log_in(db, tenant, row).await?;
            let Some(row) = row.filter(|row| row.account.removed_at.is_none()) else { continue };
            let hash = if membership.reach == Reach::Account { &password_hash } else { &row.password_hash };
            let refusal = refusal_of(&row.account, hash).or((!account.is_active()).then_some("disabled"));
            candidates.members.push(FailedMember {
                tenant,
                row: row.account.id,
                reason: refusal.unwrap_or("password"),
            });
            if membership.reach == Reach::Account {
                is_member |= row.account.is_active();
                continue;
            }
            let LogInCandidate { account, password_hash, .. } = row;
            let (holder, membership) = (membership.holder(), Some(membership));
            candidates.all.push(Candidate { holder, account, password_hash, refusal, membership });
        }
        let refusal = refusal_of(&account, &password_hash).or((!is_member).then_some("disabled"));
        let holder = Holder::account(account.id);
        candidates.all.insert(0, Candidate { holder, account, password_hash, refusal, membership: None });
        Ok(candidates)
    }

    /// The candidates that the password fits. Verifies the same number of hashes whatever the e-mail address and the
    /// outcome.
    async fn fitting<'c>(
        &self,
        candidates: &'c [Candidate],
        password: &str,
        admitted: Admitted,
    ) -> Result<Vec<&'c Candidate>> {
        let identity = self.identity();
        let may = |it: &&Candidate| admitted == Admitted::Freely || it.holder.is_account();
        let usable: Vec<_> = candidates.iter().filter(|it| it.refusal.is_none()).filter(may).collect();
        let hashes = identity.equal_work().hashes(identity.db(), identity.now()).await?.max(usable.len());
        identity.equal_work().count(hashes);
        let mut fitting = Vec::new();
        for at in 0..hashes {
            let candidate = usable.get(at).copied();
            let hash = candidate.map(|it| it.password_hash.clone());
            if identity.hashing().verify(password.to_owned(), hash).await? {
                fitting.extend(candidate);
            }
        }
        Ok(fitting)
    }

    /// A membership whose own password is the account's too is the same person's: it needs no separate log-in. One
    /// with a second factor stays as it is, because the person has not shown the factor.
    async fn join_same(&self, candidate: &Candidate) -> Result<()> {
        let Some(membership) = candidate.membership.clone() else { return Ok(()) };
        if self.identity().second_factors().of_holder(candidate.holder).await?.has_any() {
            return Ok(());
        }
        let input = (membership, self.identity().now());
        self.identity().db().write(input, |tx, (membership, now)| Box::pin(join(tx, membership, None, *now))).await
    }

    pub(crate) async fn record_failure_of(
        &self,
        keys: TryKeys,
        holder: Holder,
        reason: &'static str,
        source: &LogInSource,
    ) -> Result<()> {
        let members = if holder.is_account() {
            let joined = self.identity().memberships().joined(holder.id).await?;
            joined.iter().map(|it| FailedMember { tenant: it.member_of, row: it.membership_id, reason }).collect()
        } else {
            vec![FailedMember { tenant: holder.tenant, row: holder.id, reason }]
        };
        self.record_failure(keys, members, source).await
    }

    async fn record_failure(&self, keys: TryKeys, members: Vec<FailedMember>, source: &LogInSource) -> Result<()> {
        count_log_in("failed");
        let failed = FailedTry { keys, now: self.identity().now(), source: source.clone(), members };
        self.identity().db().write(failed, |tx, failed| Box::pin(write_failure(tx, failed))).await?;
        self.slow_down(source.address).await;
        Ok(())
    }

    /// Verifies the present password of the caller's own account, or of its membership with its own. A wrong
    /// password counts like a failed log-in.
    pub(crate) async fn verify_own_password(
        &self,
        caller: &dyn ActsFor,
        password: String,
        source: &LogInSource,
    ) -> Result<bool> {
        let own = caller.account().ok_or(Error::NotFound(Thing::Account))?;
        let holder = self.identity().memberships().holder(caller.tenant(), own.id).await?;
        self.verify_password_of(holder, password, source).await
    }

    /// Verifies the password of an account, or of a membership with its own, as `verify_own_password`. The
    /// session has shown the second factor, or needs none.
    pub(crate) async fn verify_password_of(
        &self,
        holder: Holder,
        password: String,
        source: &LogInSource,
    ) -> Result<bool> {
        let Some(keys) = self.try_password_of(holder, password, source).await? else { return Ok(false) };
        if holder.is_account() {
            self.succeeded(keys).await?;
        } else {
            self.released(keys).await?;
        }
        Ok(true)
    }

    /// Verifies a password. If it is right, returns the try, which the caller gives back (`released`) or counts as a
    /// failure (`record_failure_of`); none if it is wrong.
    pub(crate) async fn try_password_of(
        &self,
        holder: Holder,
        password: String,
        source: &LogInSource,
    ) -> Result<Option<TryKeys>> {
        let account = self.identity().memberships().account_of(holder).await?;
        let keys = self.identity().log_in_tries().keys(&account.to_string(), source.address)?;
        self.take_try(&keys, KnownNetworks::of(holder), source.address).await?;
        let found = store::identity::accounts::for_log_in(self.identity().db(), holder.tenant, holder.id).await?;
        let hash = found.map(|found| found.password_hash).filter(|hash| !hash.is_empty());
        if self.identity().hashing().verify(password, hash).await? {
            return Ok(Some(keys));
        }
        self.record_failure_of(keys, holder, "password", source).await?;
        Ok(None)
    }
}

/// Why no password can log in to the account; none if one can.
fn refusal_of(account: &Account, password_hash: &str) -> Option<&'static str> {
    if !account.is_active() {
        return Some("disabled");
    }
    password_hash.is_empty().then_some("no_password")
}

async fn write_failure(tx: &mut Tx<'_>, failed: &FailedTry) -> Result<()> {
    confirm(tx, &failed.keys, failed.now).await?;
    for FailedMember { tenant, row, reason } in &failed.members {
        let actor: Actor = failed.source.actor(*row);
        let details = serde_json::json!({ "reason": reason });
        actor.record(tx, *tenant, failed.now, FAILED, &row.to_string(), details).await?;
    }
    Ok(())
}
