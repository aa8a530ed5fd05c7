//! Second factors of accounts: an authenticator app (TOTP), passkeys and recovery codes.
//!
//! After the right password of an account that has a factor, a log-in waits for it (`log_in.rs`). People add and remove
//! factors themselves (`enrolment.rs`); an administrator or a command can remove those of an account whose owner lost
//! them. A tenant can require a factor: a session of a password alone then reaches nothing but the enrolment
//! (`Identity::authenticate_session`). Log-ins at an OpenID Connect provider are not asked: that is the provider's task.
//!
//! All state is in the database, so that any node can answer the next request: secrets and challenges are sealed and
//! bound to their row, recovery codes are hashed.

mod account_factors;
mod checks;
mod enrolment;
mod log_in;
mod passkeys;

use domain::identity::accounts::Account;
use domain::identity::second_factors::{FactorKind, LogInMethod};
use domain::{AccountId, Field, PasskeyId, TenantId, Timestamp};
use store::Tx;
use zeroize::Zeroizing;

pub use account_factors::AccountFactors;
pub use enrolment::{EnrolledFactor, TotpEnrolment};
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
    pub(crate) async fn of_account(&self, tenant: TenantId, account: AccountId) -> Result<AccountFactors> {
        let db = self.0.db();
        Ok(AccountFactors {
            totp: store::identity::second_factors::totp(db, tenant, account).await?,
            passkeys: store::identity::second_factors::passkeys(db, tenant, account).await?,
            recovery_codes: store::identity::second_factors::recovery_codes_left(db, tenant, account).await?,
        })
    }

    /// Whether a session that began like this must add a factor before anything else.
    pub(crate) async fn must_enrol(
        &self,
        tenant: TenantId,
        account: AccountId,
        method: Option<LogInMethod>,
    ) -> Result<bool> {
        let alone = method.unwrap_or(LogInMethod::Password) == LogInMethod::Password;
        if !alone || !store::identity::second_factors::is_required(self.0.db(), tenant).await? {
            return Ok(false);
        }
        Ok(!self.of_account(tenant, account).await?.has_any())
    }

    pub async fn is_required(&self, caller: &dyn ActsFor) -> Result<bool> {
        Ok(store::identity::second_factors::is_required(self.0.db(), caller.tenant()).await?)
    }

    pub async fn own(&self, caller: &dyn ActsFor) -> Result<OwnFactors> {
        let own = caller.account().ok_or(Error::NotFound(Thing::Account))?.id;
        let details = store::identity::accounts::details(self.0.db(), caller.tenant(), own).await?;
        let details = details.ok_or(Error::NotFound(Thing::Account))?;
        Ok(OwnFactors {
            factors: self.of_account(caller.tenant(), own).await?,
            required: self.is_required(caller).await?,
            has_password: details.has_password,
            password_needed: !self.is_fresh(caller).await?,
        })
    }

    /// Removes a factor of the caller, which needs the password. With the last factor the recovery codes go. The last
    /// one stays where the tenant requires one.
    pub async fn remove(
        &self,
        caller: &dyn ActsFor,
        which: RemovedFactor,
        password: String,
        source: &LogInSource,
    ) -> Result<()> {
        let own = self.confirmed(caller, Some(password), source).await?;
        let removal = Removal { actor: caller.audit_actor(), tenant: caller.tenant(), own, which, now: self.0.now() };
        self.0.db().write(removal, |tx, removal| Box::pin(remove(tx, removal))).await
    }

    /// Removes all factors of an account whose owner lost them. Returns the account, and how many factors it had. The
    /// caller's own factors need the password (`remove`).
    pub async fn reset(&self, caller: &dyn ActsFor, who: &str) -> Result<(Account, u64)> {
        let account = self.0.accounts().find(caller, who).await?;
        if caller.account().is_some_and(|own| own.id == account.id) {
            return Err(Error::conflict(
                Field::Account,
                "this is your own account: remove its second factors in your account settings",
            ));
        }
        let input = (caller.audit_actor(), caller.tenant(), account.id, self.0.now());
        let reset = self
            .0
            .db()
            .write(input, |tx, (actor, tenant, account, now)| Box::pin(reset(tx, actor, *tenant, *account, *now)));
        Ok((account, reset.await?))
    }

    /// Sets whether the tenant requires a factor. A person who requires one must have what is asked of everyone.
    pub async fn set_required(&self, caller: &dyn ActsFor, required: bool) -> Result<()> {
        self.0.tenants().find(caller.tenant()).await?;
        if required
            && let Some(own) = caller.account()
            && self.session(caller).await?.log_in_method != Some(LogInMethod::Provider)
            && !self.of_account(caller.tenant(), own.id).await?.has_any()
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

    /// The caller's account, after the right password.
    async fn confirmed(
        &self,
        caller: &dyn ActsFor,
        password: Option<String>,
        source: &LogInSource,
    ) -> Result<AccountId> {
        let own = caller.account().ok_or(Error::NotFound(Thing::Account))?.id;
        let Some(password) = password else {
            return Err(Error::invalid(Field::Password, "enter your account's password again"));
        };
        if self.0.accounts().verify_own_password(caller, password, source).await? {
            return Ok(own);
        }
        Err(Error::invalid(Field::Password, "this is not your account's password"))
    }

    async fn session(&self, caller: &dyn ActsFor) -> Result<store::identity::sessions::Session> {
        let id = crate::identity::sessions::session_id(caller)?;
        let found = store::identity::sessions::find(self.0.db(), caller.tenant(), id).await?;
        found.ok_or(Error::NotFound(Thing::Session))
    }

    async fn is_fresh(&self, caller: &dyn ActsFor) -> Result<bool> {
        Ok(self.session(caller).await?.created_at.plus_seconds(FRESH_SECONDS) > self.0.now())
    }

    fn seal(&self, bound_to: &str, plain: &[u8]) -> Result<Vec<u8>> {
        let key = self.0.keys().stored_secret.first().ok_or(Error::Fault(Fault::NoKey))?;
        key.seal(bound_to.as_bytes(), plain).map_err(|_| Error::Fault(Fault::NoKey))
    }

    fn open(&self, bound_to: &str, sealed: &[u8]) -> Option<Zeroizing<Vec<u8>>> {
        self.0.keys().stored_secret.iter().find_map(|key| key.open(bound_to.as_bytes(), sealed).ok())
    }
}

/// Returns how many factors the account had.
async fn reset(
    tx: &mut Tx<'_>,
    actor: &Actor,
    tenant: TenantId,
    account: AccountId,
    now: Timestamp,
) -> store::Result<u64> {
    let removed = store::identity::second_factors::remove_all(tx, tenant, account).await?;
    let details = serde_json::json!({ "factors": removed });
    actor.record(tx, tenant, now, "second_factor.reset", &account.to_string(), details).await?;
    Ok(removed)
}

#[derive(Debug)]
struct Removal {
    actor: Actor,
    tenant: TenantId,
    own: AccountId,
    which: RemovedFactor,
    now: Timestamp,
}

async fn remove(tx: &mut Tx<'_>, removal: &Removal) -> Result<()> {
    let Removal { actor, tenant, own, which, now } = removal;
    let passkeys = store::identity::second_factors::passkeys_in(tx, *tenant, *own).await?;
    let (details, gone) = match which {
        RemovedFactor::Totp => {
            let gone = store::identity::second_factors::remove_totp(tx, *tenant, *own).await?;
            (serde_json::json!({ "factor": FactorKind::Totp.name() }), gone)
        }
        RemovedFactor::Passkey(id) => {
            let name = passkeys.iter().find(|it| it.id == *id).map(|it| it.name.clone());
            let gone = store::identity::second_factors::remove_passkey(tx, *tenant, *id, *own).await?;
            (serde_json::json!({ "factor": FactorKind::Passkey.name(), "name": name }), gone)
        }
    };
    if !gone {
        return Err(Error::NotFound(Thing::SecondFactor));
    }
    let has_passkey = !store::identity::second_factors::passkeys_in(tx, *tenant, *own).await?.is_empty();
    if !has_passkey && store::identity::second_factors::totp_in(tx, *tenant, *own).await?.is_none() {
        if store::identity::second_factors::is_required_in(tx, *tenant).await? {
            let message = "this is your last one, and your tenant requires one: add another first";
            return Err(Error::conflict(Field::SecondFactor, message));
        }
        store::identity::second_factors::remove_recovery_codes(tx, *tenant, *own).await?;
    }
    Ok(actor.record(tx, *tenant, *now, REMOVED, &own.to_string(), details).await?)
}
