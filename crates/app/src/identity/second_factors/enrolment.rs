//! Adding factors: an authenticator app with a first code, a passkey with a signature. Both begin with a sealed state
//! in the database that the second request uses up. The first factor of an account comes with recovery codes.

use std::fmt;

use domain::identity::memberships::Holder;
use domain::identity::second_factors::{
    FactorKind, LogInMethod, MAX_PASSKEYS, PENDING_SECONDS, RECOVERY_CODES, RecoveryCode, StoredPasskey,
    TOTP_ENROLMENT_SECONDS, TotpFactor, TotpSecret, recovery_code_hash,
};
use domain::{AccountId, Field, Id, SessionId, TenantId, Timestamp};
use store::Tx;
use zeroize::Zeroizing;

use super::checks::{ISSUER, bound_to_holder};
use super::{PasskeyAttestation, RelyingParty, SecondFactors};
use crate::identity::log_in::LogInSource;
use crate::{Actor, ActsFor, Error, Fault, Result, Thing};

const ENROLLED: &str = "second_factor.enrol";
const MAX_NAME_CHARACTERS: usize = 80;

/// The secret of a new authenticator app: shown once.
pub struct TotpEnrolment {
    secret: TotpSecret,
    uri: Zeroizing<String>,
}

impl TotpEnrolment {
    /// For typing.
    pub fn base32(&self) -> Zeroizing<String> {
        self.secret.base32()
    }

    /// For a QR code.
    pub fn uri(&self) -> &str {
        &self.uri
    }
}

impl fmt::Debug for TotpEnrolment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("TotpEnrolment(…)")
    }
}

/// A factor that was added.
#[derive(Debug)]
pub struct EnrolledFactor {
    /// With the first factor: returned once.
    pub recovery_codes: Option<Vec<RecoveryCode>>,
}

/// A factor to write, and the enrolment that it uses up.
#[derive(Debug)]
struct NewFactor {
    actor: Actor,
    /// The tenant of the session, and the account's row there.
    tenant: TenantId,
    row: AccountId,
    holder: Holder,
    session: Option<SessionId>,
    state: Vec<u8>,
    factor: Factor,
    /// Written where the account has none.
    codes: Vec<[u8; 32]>,
    now: Timestamp,
}

#[derive(Debug)]
enum Factor {
    Totp(TotpFactor),
    Passkey(StoredPasskey),
}

impl Factor {
    const fn kind(&self) -> FactorKind {
        match self {
            Self::Totp(_) => FactorKind::Totp,
            Self::Passkey(_) => FactorKind::Passkey,
        }
    }
}

#[boxed::futures]
impl SecondFactors<'_> {
    /// Makes the secret of an authenticator app. It counts once a code of it is shown (`finish_totp`).
    pub async fn begin_totp(
        &self,
        caller: &dyn ActsFor,
        password: Option<String>,
        source: &LogInSource,
    ) -> Result<TotpEnrolment> {
        let holder = self.may_add(caller, password, source).await?;
        if store::identity::second_factors::totp(self.0.db(), holder.tenant, holder.id).await?.is_some() {
            return Err(Error::conflict(Field::Totp, "your account already has an authenticator app: remove it first"));
        }
        let secret = TotpSecret::random();
        let email = caller.account().map_or("", |account| account.email.as_str());
        let issuer = self.0.tenants().find(caller.tenant()).await?.name;
        let uri = secret.uri(&format!("{ISSUER} {issuer}"), email).map_err(|_| Error::Fault(Fault::SecondFactor))?;
        self.save_state(holder, FactorKind::Totp, secret.bytes()).await?;
        Ok(TotpEnrolment { secret, uri })
    }

    /// Adds the authenticator app, if the code is one of its present ones. The code is used up.
    pub async fn finish_totp(&self, caller: &dyn ActsFor, code: &str) -> Result<EnrolledFactor> {
        let holder = self.holder(caller).await?;
        let (state, plain) = self.state(holder, FactorKind::Totp).await?;
        let secret = TotpSecret::from_bytes(plain);
        let now = self.0.now();
        let Some(step) = secret.step_of(code, now) else {
            return Err(Error::invalid(Field::Code, "this is not the app's current code; check the device's clock"));
        };
        let bound_to = bound_to_holder(FactorKind::Totp, "secret", holder);
        let factor = TotpFactor {
            account_id: holder.id,
            secret: self.seal(&bound_to, secret.bytes())?,
            last_step: step,
            created_at: now.to_millis(),
            last_used_at: None,
        };
        self.add(caller, holder, state, Factor::Totp(factor)).await
    }

    /// What the browser asks an authenticator for, as JSON.
    pub async fn begin_passkey(
        &self,
        caller: &dyn ActsFor,
        password: Option<String>,
        party: &RelyingParty,
        source: &LogInSource,
    ) -> Result<serde_json::Value> {
        let holder = self.may_add(caller, password, source).await?;
        let account = store::identity::accounts::by_id(self.0.db(), holder.tenant, holder.id).await?;
        let account = account.ok_or(Error::NotFound(Thing::Account))?;
        let present = store::identity::second_factors::passkeys(self.0.db(), holder.tenant, holder.id).await?;
        if present.len() >= MAX_PASSKEYS {
            return Err(Error::conflict(
                Field::Passkeys,
                format!("an account can have at most {MAX_PASSKEYS} passkeys"),
            ));
        }
        let (options, state) = party.begin_registration(holder, &account, &present)?;
        self.save_state(holder, FactorKind::Passkey, &state).await?;
        Ok(options)
    }

    /// Adds the passkey with which the browser answered.
    pub async fn finish_passkey(
        &self,
        caller: &dyn ActsFor,
        name: &str,
        party: &RelyingParty,
        attestation: &PasskeyAttestation,
    ) -> Result<EnrolledFactor> {
        let holder = self.holder(caller).await?;
        let name = name.trim();
        if !(1..=MAX_NAME_CHARACTERS).contains(&name.chars().count()) || name.chars().any(char::is_control) {
            return Err(Error::invalid(Field::Name, format!("expected 1 to {MAX_NAME_CHARACTERS} characters")));
        }
        let (state, plain) = self.state(holder, FactorKind::Passkey).await?;
        let credential = party.finish_registration(&plain, attestation)?;
        let now = self.0.now().to_millis();
        let passkey = StoredPasskey {
            id: Id::new(now),
            account_id: holder.id,
            host: party.host().to_owned(),
            name: name.to_owned(),
            credential,
            created_at: now,
            last_used_at: None,
        };
        self.add(caller, holder, state, Factor::Passkey(passkey)).await
    }

    /// Replaces the recovery codes, which needs the password.
    pub async fn new_recovery_codes(
        &self,
        caller: &dyn ActsFor,
        password: String,
        source: &LogInSource,
    ) -> Result<Vec<RecoveryCode>> {
        let own = caller.account().ok_or(Error::NotFound(Thing::Account))?.id;
        let holder = self.confirmed(caller, Some(password), source).await?;
        if !self.of_holder(holder).await?.has_any() {
            return Err(Error::conflict(Field::RecoveryCodes, "your account has no second factor"));
        }
        let (codes, hashes) = fresh_codes(holder);
        let input = (caller.audit_actor(), caller.tenant(), own, holder, hashes, self.0.now());
        let put = self.0.db().write(input, |tx, (actor, tenant, own, holder, hashes, now)| {
            Box::pin(async move {
                let Holder { tenant: of, id } = *holder;
                store::identity::second_factors::replace_recovery_codes(tx, of, id, hashes, *now).await?;
                let (action, none) = ("second_factor.new_recovery_codes", serde_json::json!({}));
                actor.record(tx, *tenant, *now, action, &own.to_string(), none).await
            })
        });
        put.await?;
        Ok(codes)
    }

    /// Adding a factor needs the password again, unless the log-in was a moment ago: a session that is left open, or
    /// taken over, must not lock the owner out.
    async fn may_add(&self, caller: &dyn ActsFor, password: Option<String>, source: &LogInSource) -> Result<Holder> {
        let holder = self.holder(caller).await?;
        let details = store::identity::accounts::details(self.0.db(), holder.tenant, holder.id).await?;
        if !details.is_some_and(|it| it.has_password) {
            let message = "your account has no password: second factors are only for password log-ins";
            return Err(Error::conflict(Field::Account, message));
        }
        if password.is_none() && self.is_fresh(caller).await? {
            return Ok(holder);
        }
        self.confirmed(caller, password, source).await
    }

    async fn save_state(&self, holder: Holder, kind: FactorKind, plain: &[u8]) -> Result<()> {
        let sealed = self.seal(&bound_to_holder(kind, "enrolment", holder), plain)?;
        let seconds = match kind {
            FactorKind::Totp => TOTP_ENROLMENT_SECONDS,
            FactorKind::Passkey => PENDING_SECONDS,
        };
        let input = (holder, kind, sealed, self.0.now().plus_seconds(seconds));
        let put = self.0.db().write(input, |tx, (holder, kind, sealed, until)| {
            let Holder { tenant, id } = *holder;
            Box::pin(store::identity::second_factors::save_enrolment(tx, tenant, id, *kind, sealed, *until))
        });
        Ok(put.await?)
    }

    /// The state of an enrolment, sealed and opened.
    async fn state(&self, holder: Holder, kind: FactorKind) -> Result<(Vec<u8>, Zeroizing<Vec<u8>>)> {
        let Holder { tenant, id } = holder;
        let sealed = store::identity::second_factors::enrolment(self.0.db(), tenant, id, kind, self.0.now()).await?;
        let sealed = sealed.ok_or_else(ended)?;
        let plain = self.open(&bound_to_holder(kind, "enrolment", holder), &sealed).ok_or_else(ended)?;
        Ok((sealed, plain))
    }

    async fn add(
        &self,
        caller: &dyn ActsFor,
        holder: Holder,
        state: Vec<u8>,
        factor: Factor,
    ) -> Result<EnrolledFactor> {
        let session = self.session(caller).await?;
        let by_password = session.log_in_method.unwrap_or(LogInMethod::Password) == LogInMethod::Password;
        let (codes, hashes) = fresh_codes(holder);
        let new = NewFactor {
            actor: caller.audit_actor(),
            tenant: caller.tenant(),
            row: session.account_id,
            holder,
            session: by_password.then_some(session.id),
            state,
            factor,
            codes: hashes,
            now: self.0.now(),
        };
        let is_first = self.0.db().write(new, |tx, new| Box::pin(add(tx, new))).await?;
        Ok(EnrolledFactor { recovery_codes: is_first.then_some(codes) })
    }
}

fn ended() -> Error {
    Error::conflict(Field::Enrolment, "this set-up was started too long ago or was already finished: start again")
}

fn fresh_codes(holder: Holder) -> (Vec<RecoveryCode>, Vec<[u8; 32]>) {
    let codes: Vec<_> = (0..RECOVERY_CODES).map(|_| RecoveryCode::random()).collect();
    let hashes = codes.iter().map(|code| recovery_code_hash(holder.tenant, holder.id, code.reveal())).collect();
    (codes, hashes)
}

/// Returns whether recovery codes were written.
async fn add(tx: &mut Tx<'_>, new: &NewFactor) -> Result<bool> {
    let NewFactor { actor, tenant, row, holder, session, state, factor, codes, now } = new;
    let (kind, Holder { tenant: of, id }) = (factor.kind(), *holder);
    if !store::identity::second_factors::take_enrolment(tx, of, id, kind, state).await? {
        return Err(ended());
    }
    let details = match factor {
        Factor::Totp(factor) => {
            store::identity::second_factors::save_totp(tx, of, factor).await?;
            serde_json::json!({ "factor": kind.name() })
        }
        Factor::Passkey(passkey) => {
            store::identity::second_factors::insert_passkey(tx, of, passkey).await?;
            serde_json::json!({ "factor": kind.name(), "name": passkey.name })
        }
    };
    // The person has just shown the factor: the session counts as one with it.
    if let Some(session) = session {
        let method = match kind {
            FactorKind::Totp => LogInMethod::Totp,
            FactorKind::Passkey => LogInMethod::Passkey,
        };
        store::identity::sessions::set_log_in_method(tx, *tenant, *session, method).await?;
    }
    actor.record(tx, *tenant, *now, ENROLLED, &row.to_string(), details).await?;
    if store::identity::second_factors::recovery_codes_left_in(tx, of, id).await? > 0 {
        return Ok(false);
    }
    store::identity::second_factors::replace_recovery_codes(tx, of, id, codes, *now).await?;
    Ok(true)
}
