//! The second half of a log-in. After the right password of an account with a factor, the browser gets the value of a
//! pending log-in in a cookie. With a code, a passkey or a recovery code it becomes a session, once, within five
//! minutes.
//!
//! Each try is counted before it is looked at, in the same counts as passwords (`identity/log_in/tries.rs`); the counts
//! are given back with the session and not with the password, so that a known password buys no further tries. The
//! code's step, the recovery code or the passkey's counter is written in the transaction that creates the session: of
//! parallel requests with the same code, one gets in. A crash before that leaves everything as it was.

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use domain::identity::accounts::Account;
use domain::identity::memberships::Holder;
use domain::identity::second_factors::{
    FactorKind, LogInMethod, PENDING_SECONDS, StoredPasskey, TotpSecret, recovery_code_hash,
};
use domain::{AccountId, Field, Id, PendingLogInId, TenantId, Timestamp};
use store::Tx;
use store::identity::second_factors::PendingLogIn;
use store::identity::sessions::Session;

use super::checks::{bound_in_tenant, bound_to_holder, failed};
use super::{AccountFactors, PasskeyAssertion, RelyingParty, SecondFactors};
use crate::identity::log_in::tries::{KnownNetworks, TryKeys, give_back, release};
use crate::identity::log_in::{LogInSource, count_log_in};
use crate::identity::sessions::{FreshSession, SessionDetails, write_session};
use crate::{Actor, Cause, Error, Fault, Result};

const TENANT_BYTES: usize = 8;
const ID_BYTES: usize = 12;
const RANDOM_BYTES: usize = 20;
/// Separates hashes of these values from others under the same key.
const HASH_PREFIX: &str = "pending-log-in:";

/// The secret value of a pending log-in: for a cookie, stored only as a hash.
pub struct FreshPending(String);

impl FreshPending {
    fn generate(tenant: TenantId, id: PendingLogInId) -> Self {
        let random: [u8; RANDOM_BYTES] = rand::random();
        Self(URL_SAFE_NO_PAD.encode([&tenant.number().to_be_bytes()[..], id.bytes(), &random].concat()))
    }

    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for FreshPending {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("FreshPending(…)")
    }
}

/// A log-in whose password was right.
#[derive(Debug)]
pub struct PendingSecondFactor {
    pub value: FreshPending,
    pub expires_at: Timestamp,
    factors: AccountFactors,
}

impl PendingSecondFactor {
    /// How it can be finished at this host of the console.
    pub fn methods(&self, host: Option<&str>) -> Vec<LogInMethod> {
        self.factors.methods(host)
    }
}

/// What a person shows as the second factor.
#[derive(Debug)]
pub enum FactorAnswer {
    Code(String),
    RecoveryCode(String),
    Passkey(Box<PasskeyAssertion>),
}

impl FactorAnswer {
    const fn method(&self) -> LogInMethod {
        match self {
            Self::Code(_) => LogInMethod::Totp,
            Self::RecoveryCode(_) => LogInMethod::RecoveryCode,
            Self::Passkey(_) => LogInMethod::Passkey,
        }
    }
}

/// A pending log-in that a browser presented, and the row of its holder.
#[derive(Debug)]
struct FoundLogIn {
    holder: Holder,
    pending: PendingLogIn,
    account: Account,
}

/// What is written so that a factor does not work again.
#[derive(Debug)]
pub(super) enum UsedFactor {
    Step {
        step: i64,
        sealed: Vec<u8>,
    },
    /// The hashes under which the code may be stored.
    RecoveryCode(Vec<[u8; 32]>),
    Passkey(StoredPasskey),
}

/// A use of a factor, with the account's row in the tenant whose audit log has it.
#[derive(Debug)]
pub(super) struct FactorUse {
    pub actor: Actor,
    pub tenant: TenantId,
    pub row: AccountId,
    pub holder: Holder,
    pub used: UsedFactor,
    pub now: Timestamp,
}

#[derive(Debug)]
struct Completion {
    pending: PendingLogInId,
    factor: FactorUse,
    session: Session,
    keys: TryKeys,
}

#[boxed::futures]
impl SecondFactors<'_> {
    /// Begins the wait for the second factor. The caller has verified the password.
    pub(crate) async fn begin_log_in(
        &self,
        holder: Holder,
        account: &Account,
        factors: AccountFactors,
    ) -> Result<PendingSecondFactor> {
        let now = self.0.now().to_millis();
        let id = Id::new(now);
        let value = FreshPending::generate(holder.tenant, id);
        let key = self.0.keys().session.first().ok_or(Error::Fault(Fault::NoKey))?;
        let expires_at = now.plus_seconds(PENDING_SECONDS);
        let pending = PendingLogIn {
            id,
            account_id: account.id,
            hash: key.mac(hashed_text(value.reveal()).as_bytes()),
            credential_version: account.credential_version,
            expires_at,
            challenge: None,
        };
        let input = (holder.tenant, pending);
        let insert = self.0.db().write(input, |tx, (tenant, pending)| {
            Box::pin(store::identity::second_factors::insert_pending(tx, *tenant, pending))
        });
        insert.await?;
        count_log_in("second_factor");
        Ok(PendingSecondFactor { value, expires_at, factors })
    }

    /// A challenge for the account's passkeys, as JSON for the browser. It replaces an earlier one of this log-in.
    pub async fn challenge(&self, value: Option<&str>, party: &RelyingParty) -> Result<serde_json::Value> {
        let FoundLogIn { holder, pending, .. } = self.find(value).await?;
        let present = store::identity::second_factors::passkeys(self.0.db(), holder.tenant, holder.id).await?;
        let Some((options, state)) = party.begin_authentication(&present)? else {
            return Err(failed(Field::Passkey, "your account has no passkey for this console address"));
        };
        let sealed = self.seal(&bound_to_log_in(holder.tenant, pending.id), &state)?;
        let input = (holder.tenant, pending.id, sealed);
        let set = self.0.db().write(input, |tx, (tenant, id, sealed)| {
            Box::pin(store::identity::second_factors::set_challenge(tx, *tenant, *id, sealed))
        });
        set.await?;
        Ok(options)
    }

    /// Finishes a log-in: a session for the right factor.
    pub async fn finish_log_in(
        &self,
        value: Option<&str>,
        answer: &FactorAnswer,
        party: Option<&RelyingParty>,
        source: &LogInSource,
    ) -> Result<(SessionDetails, FreshSession)> {
        let found = self.find(value).await?;
        let account = self.0.memberships().account_of(found.holder).await?;
        let keys = self.0.log_in_tries().keys(&account.to_string(), source.address)?;
        self.0.accounts().take_try(&keys, KnownNetworks::of(found.holder), source.address).await?;
        let finished = self.check_and_begin(&found, answer, party, keys.clone(), source).await;
        if let Err(Error::Refused { cause: Cause::SecondFactorFailed, .. }) = &finished {
            self.0.accounts().record_failure_of(keys, found.holder, "second_factor", source).await?;
        }
        finished
    }

    async fn check_and_begin(
        &self,
        found: &FoundLogIn,
        answer: &FactorAnswer,
        party: Option<&RelyingParty>,
        keys: TryKeys,
        source: &LogInSource,
    ) -> Result<(SessionDetails, FreshSession)> {
        let FoundLogIn { holder, pending, account } = found;
        let used = match answer {
            FactorAnswer::Code(code) => self.check_code(*holder, code).await?,
            FactorAnswer::RecoveryCode(code) => self.recovery_code(*holder, code).await?,
            FactorAnswer::Passkey(assertion) => {
                let party =
                    party.ok_or_else(|| failed(Field::Passkey, "passkeys need a host name, not an IP address"))?;
                self.check_passkey(found, party, assertion).await?
            }
        };
        let sessions = self.0.sessions();
        let (tenant, member) = self.0.memberships().entry(*holder, account, source.address).await?;
        let (session, fresh) = sessions.prepare(source, tenant, &member, answer.method())?;
        let (id, expires_at) = (session.id, session.expires_at);
        let actor = source.actor(member.id);
        let factor = FactorUse { actor, tenant, row: member.id, holder: *holder, used, now: self.0.now() };
        let completion = Completion { pending: pending.id, factor, session, keys };
        self.0.db().write(completion, |tx, completion| Box::pin(complete(tx, completion))).await?;
        count_log_in("succeeded");
        let method = Some(answer.method());
        Ok((sessions.details(tenant, member, id, expires_at, method).await?, fresh))
    }

    /// The step of a code, and the secret sealed with the present key.
    pub(super) async fn check_code(&self, holder: Holder, code: &str) -> Result<UsedFactor> {
        let wrong = || failed(Field::Code, "this code is wrong or was already used");
        let factor = store::identity::second_factors::totp(self.0.db(), holder.tenant, holder.id).await?;
        let factor = factor.ok_or_else(wrong)?;
        let tenants = self.bound_tenants(holder).await?;
        let open = |tenant| self.open(&bound_in_tenant(FactorKind::Totp, "secret", holder, tenant), &factor.secret);
        let Some(secret) = tenants.into_iter().find_map(open).map(TotpSecret::from_bytes) else {
            tracing::error!(account = %holder.id, "the secret of an authenticator app cannot be opened with the key in use");
            return Err(wrong());
        };
        let step = secret.step_of(code, self.0.now()).filter(|step| *step > factor.last_step).ok_or_else(wrong)?;
        let sealed = self.seal(&bound_to_holder(FactorKind::Totp, "secret", holder), secret.bytes())?;
        Ok(UsedFactor::Step { step, sealed })
    }

    pub(super) async fn recovery_code(&self, holder: Holder, code: &str) -> Result<UsedFactor> {
        let tenants = self.bound_tenants(holder).await?;
        let hashes = tenants.into_iter().map(|tenant| recovery_code_hash(tenant, holder.id, code));
        Ok(UsedFactor::RecoveryCode(hashes.collect()))
    }

    /// The tenants that the secrets of a holder may be bound to: those of an account that earlier was one of a tenant
    /// are still bound to it, until they are used.
    async fn bound_tenants(&self, holder: Holder) -> Result<Vec<TenantId>> {
        let mut tenants = vec![holder.tenant];
        if holder.is_account() {
            tenants.extend(self.0.memberships().joined(holder.id).await?.iter().map(|it| it.member_of));
        }
        Ok(tenants)
    }

    /// Uses the challenge up, then checks the signature.
    async fn check_passkey(
        &self,
        found: &FoundLogIn,
        party: &RelyingParty,
        assertion: &PasskeyAssertion,
    ) -> Result<UsedFactor> {
        let FoundLogIn { holder: Holder { tenant, id }, pending, .. } = found;
        let gone = || failed(Field::Passkey, "the passkey was not accepted; try again");
        let sealed = pending.challenge.clone().ok_or_else(gone)?;
        let input = (*tenant, pending.id, sealed.clone());
        let taken = self.0.db().write(input, |tx, (tenant, id, sealed)| {
            Box::pin(store::identity::second_factors::take_challenge(tx, *tenant, *id, sealed))
        });
        if !taken.await? {
            return Err(gone());
        }
        let state = self.open(&bound_to_log_in(*tenant, pending.id), &sealed).ok_or_else(gone)?;
        let present = store::identity::second_factors::passkeys(self.0.db(), *tenant, *id).await?;
        party.finish_authentication(&state, assertion, &present).map(UsedFactor::Passkey)
    }

    /// The pending log-in of a value, with its account. Everything that is not in order gets the same answer.
    async fn find(&self, value: Option<&str>) -> Result<FoundLogIn> {
        let value = value.ok_or_else(ended)?;
        let (tenant, id) = parse_value(value).ok_or_else(ended)?;
        let pending = store::identity::second_factors::pending(self.0.db(), tenant, id).await?.ok_or_else(ended)?;
        let text = hashed_text(value);
        let fits = self.0.keys().session.iter().any(|key| key.verifies(text.as_bytes(), &pending.hash));
        if !fits || pending.expires_at <= self.0.now() {
            return Err(ended());
        }
        let account = store::identity::accounts::by_id(self.0.db(), tenant, pending.account_id).await?;
        let lives = |it: &Account| it.is_active() && it.credential_version == pending.credential_version;
        let account = account.filter(lives).ok_or_else(ended)?;
        Ok(FoundLogIn { holder: Holder { tenant, id: account.id }, pending, account })
    }
}

fn ended() -> Error {
    Error::refused(
        Cause::LogInEnded,
        Field::LogIn,
        "this log-in was started more than five minutes ago or elsewhere: start again",
    )
}

fn hashed_text(value: &str) -> String {
    format!("{HASH_PREFIX}{value}")
}

fn bound_to_log_in(tenant: TenantId, id: PendingLogInId) -> String {
    format!("second-factor:challenge:{tenant}:{id}")
}

/// Parses tenant and id of a value. Neither is verified.
fn parse_value(value: &str) -> Option<(TenantId, PendingLogInId)> {
    let bytes: [u8; TENANT_BYTES + ID_BYTES + RANDOM_BYTES] = URL_SAFE_NO_PAD.decode(value).ok()?.try_into().ok()?;
    let (tenant, rest) = bytes.split_at(TENANT_BYTES);
    let (id, _) = rest.split_at(ID_BYTES);
    let tenant = i64::from_be_bytes(tenant.try_into().ok()?);
    Some((TenantId::from_number(tenant), Id::from_bytes(id.try_into().ok()?)))
}

async fn complete(tx: &mut Tx<'_>, completion: &Completion) -> Result<()> {
    let Completion { pending, factor, session, keys } = completion;
    let FactorUse { actor, tenant, holder, used, now, .. } = factor;
    if !store::identity::second_factors::take_pending(tx, holder.tenant, *pending, *now).await? {
        return Err(ended());
    }
    use_up(tx, factor).await?;
    let method = match used {
        UsedFactor::Step { .. } => LogInMethod::Totp,
        UsedFactor::RecoveryCode(_) => LogInMethod::RecoveryCode,
        UsedFactor::Passkey(_) => LogInMethod::Passkey,
    };
    let details = serde_json::json!({ "second_factor": method.name() });
    write_session(tx, actor, *tenant, session, &details).await?;
    if holder.is_account() { give_back(tx, keys, *now).await } else { release(tx, keys, *now).await }
}

/// Writes that the factor was used. Fails if it was used before.
pub(super) async fn use_up(tx: &mut Tx<'_>, factor: &FactorUse) -> Result<()> {
    let FactorUse { actor, tenant, row, holder, used, now } = factor;
    let Holder { tenant: of, id } = *holder;
    match used {
        UsedFactor::Step { step, sealed } => {
            if !store::identity::second_factors::use_step(tx, of, id, *step, sealed, *now).await? {
                return Err(failed(Field::Code, "this code is wrong or was already used"));
            }
        }
        UsedFactor::RecoveryCode(hashes) => {
            let mut taken = false;
            for hash in hashes {
                taken = taken || store::identity::second_factors::take_recovery_code(tx, of, id, hash).await?;
            }
            if !taken {
                return Err(failed(Field::RecoveryCode, "this code is wrong or was already used"));
            }
            let left = store::identity::second_factors::recovery_codes_left_in(tx, of, id).await?;
            let details = serde_json::json!({ "left": left });
            let action = "second_factor.use_recovery_code";
            actor.record(tx, *tenant, *now, action, &row.to_string(), details).await?;
        }
        UsedFactor::Passkey(passkey) => {
            if !store::identity::second_factors::use_passkey(tx, of, passkey, *now).await? {
                return Err(failed(Field::Passkey, "this passkey was removed from the account"));
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_names_its_tenant_and_log_in_and_is_never_printed() {
        let id = Id::new(Timestamp::from_seconds(1_776_000_000));
        let fresh = FreshPending::generate(TenantId::FIRST, id);
        assert_eq!(parse_value(fresh.reveal()), Some((TenantId::FIRST, id)));
        assert!(!format!("{fresh:?}").contains(fresh.reveal()));
        for bad in ["", "x", "é", &fresh.reveal()[1..]] {
            assert_eq!(parse_value(bad), None, "{bad}");
        }
    }
}
