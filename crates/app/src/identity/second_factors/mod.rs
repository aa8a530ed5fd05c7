//! Second factors of accounts: an authenticator app (TOTP), passkeys and recovery codes.
//!
//! After the right password of an account that has a factor, a log-in waits for it (`log_in.rs`). People add and remove
//! factors themselves (`enrolment.rs`); an administrator or a command can remove those of an account whose owner lost
//! them. A tenant can require a factor: a session of a password alone then reaches nothing but the enrolment
//! (`Identity::authenticate_session`). Log-ins at an OpenID Connect provider are not asked: that is the provider's
//! task.
//!
//! Factors belong to a `Holder`: to the account, whatever the tenant, or to a membership with its own password
//! until it is joined to its account (`join.rs`).
//!
//! All state is in the database, so that any node can answer the next request: secrets and challenges are sealed and
//! bound to their row, recovery codes are hashed.

mod account_factors;
mod checks;
mod enrolment;
mod join;
mod log_in;
mod passkeys;

use domain::identity::accounts::Account;
use domain::identity::memberships::{Holder, Reach};
use domain::identity::second_factors::{FactorKind, LogInMethod};
use domain::{AccountId, Field, PasskeyId, TenantId, Timestamp};
use store::Tx;
use zeroize::Zeroizing;

pub use account_factors::AccountFactors;
pub use enrolment::{EnrolledFactor, TotpEnrolment};
pub use join::JoinProof;
pub use log_in::{FactorAnswer, FreshPending, PendingSecondFactor};
pub use passkeys::{PasskeyAssertion, PasskeyAttestation, RelyingParty};

use crate::identity::Identity;
use crate::identity::log_in::LogInSource;
use crate::{Actor, ActsFor, Error, Fault, Result, Thing};

/// A factor can be added without the password again for this long after the log-in.
const FRESH_SECONDS: i64 = 10 * 60;

const REMOVED: &str = "second_factor.remove";

#[derive(Debug)]
pub struct SecondFactors<'a>(&'a Identity);

impl Identity {
    pub fn second_factors(&self) -> SecondFactors<'_> {
        SecondFactors(self)
    }
}

/// What the owner of an account sees.
#[derive(Debug)]
pub struct OwnFactors {
    pub factors: AccountFactors,
    /// Whether the tenant requires a factor.
    pub required: bool,
    /// False for people who log in at a provider only: they need no second factor here.
    pub has_password: bool,
    /// Whether adding a factor needs the password again.
    pub password_needed: bool,
}

/// A removal by the owner of the account.
#[derive(Debug, Clone, Copy)]
pub enum RemovedFactor {
    Totp,
    Passkey(PasskeyId),
}

#[boxed::futures]
impl SecondFactors<'_> {
    pub(crate) async fn of_holder(&self, holder: Holder) -> Result<AccountFactors> {
        let (db, Holder { tenant, id }) = (self.0.db(), holder);
        Ok(AccountFactors {
            totp: store::identity::second_factors::totp(db, tenant, id).await?,
            passkeys: store::identity::second_factors::passkeys(db, tenant, id).await?,
            recovery_codes: store::identity::second_factors::recovery_codes_left(db, tenant, id).await?,
        })
    }

    /// Where the factors of the caller's account are.
    async fn holder(&self, caller: &dyn ActsFor) -> Result<Holder> {
        let own = caller.account().ok_or(Error::NotFound(Thing::Account))?.id;
        self.0.memberships().holder(caller.tenant(), own).await
    }

    /// Whether a session that began like this must add a factor before anything else. `row` is the account's row in the
    /// tenant.
    pub(crate) async fn must_enrol(
        &self,
        tenant: TenantId,
        row: AccountId,
        method: Option<LogInMethod>,
    ) -> Result<bool> {
        let alone = method.unwrap_or(LogInMethod::Password) == LogInMethod::Password;
        if !alone || !store::identity::second_factors::is_required(self.0.db(), tenant).await? {
            return Ok(false);
        }
        let holder = self.0.memberships().holder(tenant, row).await?;
        Ok(!self.of_holder(holder).await?.has_any())
    }

    pub async fn is_required(&self, caller: &dyn ActsFor) -> Result<bool> {
        Ok(store::identity::second_factors::is_required(self.0.db(), caller.tenant()).await?)
    }

    pub async fn own(&self, caller: &dyn ActsFor) -> Result<OwnFactors> {
        let holder = self.holder(caller).await?;
        let details = store::identity::accounts::details(self.0.db(), holder.tenant, holder.id).await?;
        let details = details.ok_or(Error::NotFound(Thing::Account))?;
        Ok(OwnFactors {
            factors: self.of_holder(holder).await?,
            required: self.is_required(caller).await?,
            has_password: details.has_password,
            password_needed: !self.is_fresh(caller).await?,
        })
    }

    /// Removes a factor of the caller, which needs the password. With the last factor the recovery codes go. The last
    /// one stays where a tenant of the account requires one.
    pub async fn remove(
        &self,
        caller: &dyn ActsFor,
        which: RemovedFactor,
        password: String,
        source: &LogInSource,
    ) -> Result<()> {
        let holder = self.confirmed(caller, Some(password), source).await?;
        let own = caller.account().ok_or(Error::NotFound(Thing::Account))?.id;
        let (actor, tenant) = (caller.audit_actor(), caller.tenant());
        let removal = Removal { actor, tenant, own, holder, which, now: self.0.now() };
        self.0.db().write(removal, |tx, removal| Box::pin(remove(tx, removal))).await
    }

    /// Removes all factors of an account whose owner lost them. Returns the account, and how many factors it had. The
    /// caller's own factors need the password (`remove`). An administrator resets those of an account that belongs to
    /// this tenant alone, a command those of every account.
    pub async fn reset(&self, caller: &dyn ActsFor, who: &str) -> Result<(Account, u64)> {
        let account = self.0.accounts().find(caller, who).await?;
        if caller.account().is_some_and(|own| own.id == account.id) {
            return Err(Error::conflict(
                Field::Account,
                "this is your own account: remove its second factors in your account settings",
            ));
        }
        let membership = store::identity::memberships::of_row(self.0.db(), caller.tenant(), account.id).await?;
        if let Some(membership) = &membership
            && caller.principal().is_some()
            && !self.0.memberships().is_managed_by_tenant(membership).await?
        {
            let message = "this account is also used elsewhere: only its owner can remove its second factors, or the \
                           installation's administrator with a command";
            return Err(Error::conflict(Field::Account, message));
        }
        let holder = membership.map_or(Holder { tenant: caller.tenant(), id: account.id }, |it| it.holder());
        let reset =
            Reset { actor: caller.audit_actor(), tenant: caller.tenant(), row: account.id, holder, now: self.0.now() };
        let reset = self.0.db().write(reset, |tx, it| Box::pin(write_reset(tx, it)));
        Ok((account, reset.await?))
    }

    /// Sets whether the tenant requires a factor. A person who requires one must have what is asked of everyone.
    pub async fn set_required(&self, caller: &dyn ActsFor, required: bool) -> Result<()> {
        self.0.tenants().find(caller.tenant()).await?;
        if required
            && caller.account().is_some()
            && self.session(caller).await?.log_in_method != Some(LogInMethod::Provider)
            && !self.of_holder(self.holder(caller).await?).await?.has_any()
        {
            return Err(Error::conflict(Field::SecondFactorRequired, "add a second factor to your own account first"));
        }
        let input = (caller.audit_actor(), caller.tenant(), required, self.0.now());
        let set = self.0.db().write(input, |tx, (actor, tenant, required, now)| {
            Box::pin(async move {
                store::identity::second_factors::set_required(tx, *tenant, *required, *now).await?;
                let details = serde_json::json!({ "required": required });
                actor.record(tx, *tenant, *now, "tenant.set_second_factor", &tenant.to_string(), details).await
            })
        });
        Ok(set.await?)
    }

    /// Deletes log-ins and enrolments that have expired.
    pub async fn sweep(&self) -> Result<()> {
        let now = self.0.now();
        let sweep =
            self.0.db().write(now, |tx, now: &Timestamp| Box::pin(store::identity::second_factors::sweep(tx, *now)));
        sweep.await?;
        Ok(())
    }

    /// Where the factors of the caller's account are, after the right password.
    async fn confirmed(&self, caller: &dyn ActsFor, password: Option<String>, source: &LogInSource) -> Result<Holder> {
        let holder = self.holder(caller).await?;
        let Some(password) = password else {
            return Err(Error::invalid(Field::Password, "enter your account's password again"));
        };
        if self.0.accounts().verify_password_of(holder, password, source).await? {
            return Ok(holder);
        }
        Err(Error::invalid(Field::Password, "this is not your account's password"))
    }

    async fn session(&self, caller: &dyn ActsFor) -> Result<store::identity::sessions::Session> {
        let id = crate::identity::sessions::session_id(caller)?;
        let found = store::identity::sessions::find(self.0.db(), caller.tenant(), id).await?;
        found.ok_or(Error::NotFound(Thing::Session))
    }

    /// Whether the person showed the password a moment ago. A session of a provider did not: it must not change what
    /// the account logs in with elsewhere.
    async fn is_fresh(&self, caller: &dyn ActsFor) -> Result<bool> {
        let session = self.session(caller).await?;
        let by_provider = session.log_in_method == Some(LogInMethod::Provider);
        Ok(!by_provider && session.created_at.plus_seconds(FRESH_SECONDS) > self.0.now())
    }

    fn seal(&self, bound_to: &str, plain: &[u8]) -> Result<Vec<u8>> {
        let key = self.0.keys().stored_secret.first().ok_or(Error::Fault(Fault::NoKey))?;
        key.seal(bound_to.as_bytes(), plain).map_err(|_| Error::Fault(Fault::NoKey))
    }

    fn open(&self, bound_to: &str, sealed: &[u8]) -> Option<Zeroizing<Vec<u8>>> {
        self.0.keys().stored_secret.iter().find_map(|key| key.open(bound_to.as_bytes(), sealed).ok())
    }
}

/// Factors to remove because their owner lost them.
#[derive(Debug)]
struct Reset {
    actor: Actor,
    tenant: TenantId,
    row: AccountId,
    holder: Holder,
    now: Timestamp,
}

/// Returns how many factors the account had.
async fn write_reset(tx: &mut Tx<'_>, reset: &Reset) -> store::Result<u64> {
    let Reset { actor, tenant, row, holder, now } = reset;
    let removed = store::identity::second_factors::remove_all(tx, holder.tenant, holder.id).await?;
    let details = serde_json::json!({ "factors": removed });
    actor.record(tx, *tenant, *now, "second_factor.reset", &row.to_string(), details).await?;
    Ok(removed)
}

#[derive(Debug)]
struct Removal {
    actor: Actor,
    tenant: TenantId,
    own: AccountId,
    holder: Holder,
    which: RemovedFactor,
    now: Timestamp,
}

async fn remove(tx: &mut Tx<'_>, removal: &Removal) -> Result<()> {
    let Removal { actor, tenant, own, holder, which, now } = removal;
    let Holder { tenant: of, id: holder_id } = *holder;
    let passkeys = store::identity::second_factors::passkeys_in(tx, of, holder_id).await?;
    let (details, gone) = match which {
        RemovedFactor::Totp => {
            let gone = store::identity::second_factors::remove_totp(tx, of, holder_id).await?;
            (serde_json::json!({ "factor": FactorKind::Totp.name() }), gone)
        }
        RemovedFactor::Passkey(id) => {
            let name = passkeys.iter().find(|it| it.id == *id).map(|it| it.name.clone());
            let gone = store::identity::second_factors::remove_passkey(tx, of, *id, holder_id).await?;
            (serde_json::json!({ "factor": FactorKind::Passkey.name(), "name": name }), gone)
        }
    };
    if !gone {
        return Err(Error::NotFound(Thing::SecondFactor));
    }
    let has_passkey = !store::identity::second_factors::passkeys_in(tx, of, holder_id).await?.is_empty();
    if !has_passkey && store::identity::second_factors::totp_in(tx, of, holder_id).await?.is_none() {
        if is_required_of(tx, *holder).await? {
            let message = "this is your last one, and one of your tenants requires one: add another first";
            return Err(Error::conflict(Field::SecondFactor, message));
        }
        store::identity::second_factors::remove_recovery_codes(tx, of, holder_id).await?;
    }
    Ok(actor.record(tx, *tenant, *now, REMOVED, &own.to_string(), details).await?)
}

/// Whether a tenant that the holder's password enters requires a factor.
async fn is_required_of(tx: &mut Tx<'_>, holder: Holder) -> Result<bool> {
    if !holder.is_account() {
        return Ok(store::identity::second_factors::is_required_in(tx, holder.tenant).await?);
    }
    for membership in store::identity::memberships::of_account_in(tx, holder.id).await? {
        if membership.reach == Reach::Account
            && store::identity::second_factors::is_required_in(tx, membership.member_of).await?
        {
            return Ok(true);
        }
    }
    Ok(false)
}
