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
use domain::identity::second_factors::{
    FactorKind, LogInMethod, PENDING_SECONDS, StoredPasskey, TotpSecret, recovery_code_hash,
};
use domain::{Field, Id, PendingLogInId, TenantId, Timestamp};
use store::Tx;
use store::identity::second_factors::PendingLogIn;
use store::identity::sessions::Session;

use super::checks::{bound_to_account, failed};
use super::{AccountFactors, PasskeyAssertion, RelyingParty, SecondFactors};
use crate::identity::log_in::tries::{TryKeys, give_back};
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

/// A pending log-in that a browser presented, and its account.
#[derive(Debug)]
struct FoundLogIn {
    tenant: TenantId,
    pending: PendingLogIn,
    account: Account,
}

/// What is written with the session so that the factor does not work again.
#[derive(Debug)]
enum UsedFactor {
    Step { step: i64, sealed: Vec<u8> },
    RecoveryCode([u8; 32]),
    Passkey(StoredPasskey),
}

#[derive(Debug)]
struct Completion {
    actor: Actor,
    tenant: TenantId,
    pending: PendingLogInId,
    used: UsedFactor,
    session: Session,
    keys: TryKeys,
    now: Timestamp,
}

#[boxed::futures]
impl SecondFactors<'_> {
    /// Begins the wait for the second factor. The caller has verified the password.
    pub(crate) async fn begin_log_in(
        &self,
        tenant: TenantId,
        account: &Account,
        factors: AccountFactors,
    ) -> Result<PendingSecondFactor> {
        let now = self.0.now().to_millis();
        let id = Id::new(now);
        let value = FreshPending::generate(tenant, id);
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
        let input = (tenant, pending);
        let insert = self.0.db().write(input, |tx, (tenant, pending)| {
            Box::pin(store::identity::second_factors::insert_pending(tx, *tenant, pending))
        });
        insert.await?;
        count_log_in("second_factor");
        Ok(PendingSecondFactor { value, expires_at, factors })
    }

    /// A challenge for the account's passkeys, as JSON for the browser. It replaces an earlier one of this log-in.
    pub async fn challenge(&self, value: Option<&str>, party: &RelyingParty) -> Result<serde_json::Value> {
        let FoundLogIn { tenant, pending, account } = self.find(value).await?;
        let present = store::identity::second_factors::passkeys(self.0.db(), tenant, account.id).await?;
        let Some((options, state)) = party.begin_authentication(&present)? else {
            return Err(failed(Field::Passkey, "your account has no passkey for this console address"));
        };
        let sealed = self.seal(&bound_to_log_in(tenant, pending.id), &state)?;
        let input = (tenant, pending.id, sealed);
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
        let keys = self.0.log_in_tries().keys(&found.account.email, source.address)?;
        self.0.accounts().take_try(&keys).await?;
        let finished = self.check_and_begin(&found, answer, party, keys.clone(), source).await;
        if let Err(Error::Refused { cause: Cause::SecondFactorFailed, .. }) = &finished {
            self.0.accounts().record_wrong_factor(keys, found.tenant, found.account.id, source).await?;
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
        let FoundLogIn { tenant, pending, account } = found;
        let used = match answer {
            FactorAnswer::Code(code) => self.check_code(*tenant, account, code).await?,
            FactorAnswer::RecoveryCode(code) => UsedFactor::RecoveryCode(recovery_code_hash(*tenant, account.id, code)),
            FactorAnswer::Passkey(assertion) => {
                let party =
                    party.ok_or_else(|| failed(Field::Passkey, "passkeys need a host name, not an IP address"))?;
                self.check_passkey(found, party, assertion).await?
            }
        };
        let sessions = self.0.sessions();
        let (session, fresh) = sessions.prepare(source, *tenant, account, answer.method())?;
        let (id, expires_at) = (session.id, session.expires_at);
        let completion = Completion {
            actor: source.actor(account.id),
            tenant: *tenant,
            pending: pending.id,
            used,
            session,
            keys,
            now: self.0.now(),
        };
        self.0.db().write(completion, |tx, completion| Box::pin(complete(tx, completion))).await?;
        count_log_in("succeeded");
        let method = Some(answer.method());
        Ok((sessions.details(*tenant, account.clone(), id, expires_at, method).await?, fresh))
    }

    /// The step of a code, and the secret sealed with the present key.
    async fn check_code(&self, tenant: TenantId, account: &Account, code: &str) -> Result<UsedFactor> {
        let wrong = || failed(Field::Code, "this code is wrong or was already used");
        let factor = store::identity::second_factors::totp(self.0.db(), tenant, account.id).await?.ok_or_else(wrong)?;
        let bound_to = bound_to_account(FactorKind::Totp, "secret", tenant, account.id);
        let Some(secret) = self.open(&bound_to, &factor.secret).map(TotpSecret::from_bytes) else {
            tracing::error!(account = %account.id, "the secret of an authenticator app cannot be opened with the key in use");
            return Err(wrong());
        };
        let step = secret.step_of(code, self.0.now()).filter(|step| *step > factor.last_step).ok_or_else(wrong)?;
        Ok(UsedFactor::Step { step, sealed: self.seal(&bound_to, secret.bytes())? })
    }

    /// Uses the challenge up, then checks the signature.
    async fn check_passkey(
        &self,
        found: &FoundLogIn,
        party: &RelyingParty,
        assertion: &PasskeyAssertion,
    ) -> Result<UsedFactor> {
        let FoundLogIn { tenant, pending, account } = found;
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
        let present = store::identity::second_factors::passkeys(self.0.db(), *tenant, account.id).await?;
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
        Ok(FoundLogIn { tenant, pending, account })
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
    let Completion { actor, tenant, pending, used, session, keys, now } = completion;
    if !store::identity::second_factors::take_pending(tx, *tenant, *pending, *now).await? {
        return Err(ended());
    }
    use_up(tx, completion).await?;
    let method = match used {
        UsedFactor::Step { .. } => LogInMethod::Totp,
        UsedFactor::RecoveryCode(_) => LogInMethod::RecoveryCode,
        UsedFactor::Passkey(_) => LogInMethod::Passkey,
    };
    let details = serde_json::json!({ "second_factor": method.name() });
    write_session(tx, actor, *tenant, session, &details).await?;
    give_back(tx, keys, *now).await
}

async fn use_up(tx: &mut Tx<'_>, completion: &Completion) -> Result<()> {
    let Completion { actor, tenant, used, session, now, .. } = completion;
    let account = session.account_id;
    match used {
        UsedFactor::Step { step, sealed } => {
            if !store::identity::second_factors::use_step(tx, *tenant, account, *step, sealed, *now).await? {
                return Err(failed(Field::Code, "this code is wrong or was already used"));
            }
        }
        UsedFactor::RecoveryCode(hash) => {
            if !store::identity::second_factors::take_recovery_code(tx, *tenant, account, hash).await? {
                return Err(failed(Field::RecoveryCode, "this code is wrong or was already used"));
            }
            let left = store::identity::second_factors::recovery_codes_left_in(tx, *tenant, account).await?;
            let details = serde_json::json!({ "left": left });
            let action = "second_factor.use_recovery_code";
            actor.record(tx, *tenant, *now, action, &account.to_string(), details).await?;
        }
        UsedFactor::Passkey(passkey) => {
            if !store::identity::second_factors::use_passkey(tx, *tenant, passkey, *now).await? {
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
