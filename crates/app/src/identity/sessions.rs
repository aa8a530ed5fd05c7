//! Console sessions. A log-in creates a session, identified by one secret value. The session ends `LIFETIME_SECONDS`
//! after the log-in, after an idle time, by a log-out, with a change of its account's password, with a log-out
//! everywhere, or when its account is disabled or removed. The API carries the value in a cookie.

use std::fmt;
use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use domain::base::hex;
use domain::identity::accounts::Account;
use domain::identity::second_factors::LogInMethod;
use domain::identity::tenants::Tenant;
use domain::{Id, SessionId, TenantId, Timestamp};
use store::Tx;
use store::identity::sessions::Session;
use subtle::ConstantTimeEq as _;

use crate::identity::Identity;
use crate::identity::credentials::{Lifetimes, principal_of};
use crate::identity::gate::{Denial, Forbidden, Unauthenticated};
use crate::identity::log_in::count_log_in;
use crate::identity::principal::{Credential, Principal};
use crate::{Actor, ActsFor, Error, Fault, Result, Thing};

pub use crate::identity::log_in::{LogInSource, LogInStep};

/// 12 hours: one log-in for a working day.
pub const LIFETIME_SECONDS: i64 = 12 * 3600;

/// A use of a session is written only if the stored use is at least this many seconds old.
const USE_NOTED_EVERY_SECONDS: i64 = 60;

const TENANT_BYTES: usize = 8;
const ID_BYTES: usize = 12;
const RANDOM_BYTES: usize = 20;
const VALUE_BYTES: usize = TENANT_BYTES + ID_BYTES + RANDOM_BYTES;

#[derive(Debug)]
pub struct Sessions<'a>(pub(crate) &'a Identity);

#[boxed::futures]
impl Identity {
    pub fn sessions(&self) -> Sessions<'_> {
        Sessions(self)
    }

    /// Authenticates a session by its value. Every session that is refused gets the same answer.
    pub async fn authenticate_session(
        &self,
        value: &str,
        purpose: SessionPurpose,
        reach: SessionReach,
    ) -> Result<Arc<Principal>, Denial> {
        let (tenant, id) = parse_value(value).ok_or_else(ended)?;
        let session = store::identity::sessions::find(self.db(), tenant, id).await?.ok_or_else(ended)?;
        let fits = self.keys().session.iter().any(|key| key.verifies(value.as_bytes(), &session.hash));
        let now = self.now();
        if !fits || session.expires_at <= now || is_idle(*self.lifetimes(), &session, now) {
            return Err(ended());
        }
        let account = store::identity::accounts::by_id(self.db(), tenant, session.account_id).await?;
        let lives = |it: &Account| it.is_active() && it.credential_version == session.credential_version;
        let account = account.filter(lives).ok_or_else(ended)?;
        self.check_second_factor(tenant, &session, reach).await?;
        let plan = self.plan_of(tenant).await?;
        if purpose == SessionPurpose::Use
            && session.last_used_at.is_none_or(|at| at.plus_seconds(USE_NOTED_EVERY_SECONDS) <= now)
        {
            self.last_uses().record_session(tenant, id, now);
        }
        Ok(Arc::new(principal_of(tenant, &account, Credential::Session { id }, plan)))
    }

    /// Where the tenant requires a second factor, a session of a password alone reaches the enrolment only, and ends
    /// when its account has a factor: the person logs in with it.
    async fn check_second_factor(
        &self,
        tenant: TenantId,
        session: &Session,
        reach: SessionReach,
    ) -> Result<(), Denial> {
        let by_password = session.log_in_method.unwrap_or(LogInMethod::Password) == LogInMethod::Password;
        if !by_password || !store::identity::second_factors::is_required(self.db(), tenant).await? {
            return Ok(());
        }
        let account = session.account_id;
        let has_factor = store::identity::second_factors::totp(self.db(), tenant, account).await?.is_some()
            || !store::identity::second_factors::passkeys(self.db(), tenant, account).await?.is_empty();
        match reach {
            _ if has_factor => Err(ended()),
            SessionReach::Enrolment => Ok(()),
            SessionReach::Everything => Err(Denial::Forbidden(Forbidden::SecondFactor)),
        }
    }
}

fn ended() -> Denial {
    Denial::unauthenticated(
        Unauthenticated::SessionRequired,
        "You are not logged in, or your session has ended. Log in",
    )
}

/// Why a session is authenticated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SessionPurpose {
    /// The person does something, so the idle time starts again at zero.
    Use,
    /// A page or a long answer checks whether the session is still valid; that does not reset the idle time.
    Check,
}

/// What a session is presented for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SessionReach {
    Everything,
    /// What a person needs to add the second factor that the tenant requires.
    Enrolment,
}

/// Whether a session was last used too long ago.
fn is_idle(lifetimes: Lifetimes, session: &Session, now: Timestamp) -> bool {
    let last = session.last_used_at.unwrap_or(session.created_at);
    // A use is written at most once in `USE_NOTED_EVERY_SECONDS`, so the last use may be that much later than the
    // stored one.
    let seconds = i64::from(lifetimes.session_idle_minutes) * 60 + USE_NOTED_EVERY_SECONDS;
    lifetimes.session_idle_minutes > 0 && last.plus_seconds(seconds) <= now
}

/// The secret value of a new session: returned once, and stored only as a hash.
pub struct FreshSession(String);

impl FreshSession {
    fn generate(tenant: TenantId, id: SessionId) -> Self {
        let random: [u8; RANDOM_BYTES] = rand::random();
        Self(URL_SAFE_NO_PAD.encode([&tenant.number().to_be_bytes()[..], id.bytes(), &random].concat()))
    }

    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for FreshSession {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("FreshSession(…)")
    }
}

/// Parses tenant and session id out of a session value. Verifies neither.
fn parse_value(value: &str) -> Option<(TenantId, SessionId)> {
    let bytes: [u8; VALUE_BYTES] = URL_SAFE_NO_PAD.decode(value).ok()?.try_into().ok()?;
    let (tenant, rest) = bytes.split_at(TENANT_BYTES);
    let (id, _) = rest.split_at(ID_BYTES);
    let tenant = i64::from_be_bytes(tenant.try_into().ok()?);
    Some((TenantId::from_number(tenant), Id::from_bytes(id.try_into().ok()?)))
}

/// One of the sessions of an account, as shown to its owner.
#[derive(Debug, Clone)]
pub struct OwnSession {
    pub id: SessionId,
    /// True for the session of the request itself.
    pub current: bool,
    pub created_at: Timestamp,
    pub last_used_at: Timestamp,
    pub expires_at: Timestamp,
    pub address: Option<String>,
    pub user_agent: Option<String>,
}

/// A session as the console shows it.
#[derive(Debug)]
pub struct SessionDetails {
    pub account: Account,
    pub tenant: Tenant,
    pub csrf_token: String,
    pub expires_at: Timestamp,
    /// The tenant requires a second factor, and the account has none: the session reaches the enrolment only.
    pub must_enrol: bool,
}

#[boxed::futures]
impl Sessions<'_> {
    pub(crate) async fn refuse_suspended(&self, tenant: TenantId) -> Result<()> {
        let found = store::identity::tenants::find(self.0.db(), tenant).await?;
        if found.is_none_or(|tenant| tenant.suspended_at.is_some()) { Err(Error::TenantSuspended) } else { Ok(()) }
    }

    /// Begins a session of an account, unless its tenant is suspended; checks nothing else. The details of the log-in
    /// are for the audit log.
    pub(crate) async fn begin_by(
        &self,
        source: &LogInSource,
        tenant: TenantId,
        account: Account,
        method: LogInMethod,
        log_in: serde_json::Value,
    ) -> Result<(SessionDetails, FreshSession)> {
        self.refuse_suspended(tenant).await?;
        let (session, fresh) = self.prepare(source, tenant, &account, method)?;
        let (id, expires_at) = (session.id, session.expires_at);
        let input = (source.actor(account.id), tenant, session, log_in);
        let write = self.0.db().write(input, |tx, (actor, tenant, session, log_in)| {
            Box::pin(write_session(tx, actor, *tenant, session, log_in))
        });
        write.await?;
        count_log_in("succeeded");
        let details = self.details(tenant, account, id, expires_at, Some(method)).await?;
        Ok((details, fresh))
    }

    /// A new session to write, and its value.
    pub(crate) fn prepare(
        &self,
        source: &LogInSource,
        tenant: TenantId,
        account: &Account,
        method: LogInMethod,
    ) -> Result<(Session, FreshSession)> {
        let now = self.0.now().to_millis();
        let id = Id::new(now);
        let fresh = FreshSession::generate(tenant, id);
        let key = self.0.keys().session.first().ok_or(Error::Fault(Fault::NoKey))?;
        let session = Session {
            id,
            account_id: account.id,
            hash: key.mac(fresh.reveal().as_bytes()),
            credential_version: account.credential_version,
            created_at: now,
            expires_at: now.plus_seconds(LIFETIME_SECONDS),
            last_used_at: Some(now),
            address: Some(source.address.to_canonical().to_string()),
            user_agent: source.shortened_user_agent(),
            log_in_method: Some(method),
        };
        Ok((session, fresh))
    }

    /// Shows the caller's session.
    pub async fn show(&self, caller: &dyn ActsFor) -> Result<SessionDetails> {
        let id = session_id(caller)?;
        let session = store::identity::sessions::find(self.0.db(), caller.tenant(), id).await?;
        let session = session.ok_or(Error::NotFound(Thing::Session))?;
        let account = store::identity::accounts::by_id(self.0.db(), caller.tenant(), session.account_id).await?;
        let account = account.ok_or(Error::NotFound(Thing::Account))?;
        self.details(caller.tenant(), account, id, session.expires_at, session.log_in_method).await
    }

    pub(crate) async fn details(
        &self,
        tenant: TenantId,
        account: Account,
        id: SessionId,
        expires_at: Timestamp,
        method: Option<LogInMethod>,
    ) -> Result<SessionDetails> {
        let csrf_token = self.csrf_tokens(tenant, id).next().ok_or(Error::Fault(Fault::NoKey))?;
        let must_enrol = self.0.second_factors().must_enrol(tenant, account.id, method).await?;
        let tenant = self.0.tenants().find(tenant).await?;
        Ok(SessionDetails { account, tenant, csrf_token, expires_at, must_enrol })
    }

    /// Ends the caller's session.
    pub async fn end(&self, caller: &dyn ActsFor) -> Result<()> {
        let input = (caller.audit_actor(), caller.tenant(), session_id(caller)?, self.0.now());
        let ended = self.0.db().write(input, |tx, (actor, tenant, id, now)| {
            Box::pin(async move {
                store::identity::sessions::end(tx, *tenant, *id).await?;
                actor.record(tx, *tenant, *now, "session.end", &id.to_string(), serde_json::json!({})).await
            })
        });
        Ok(ended.await?)
    }

    /// The sessions of the caller's account that have not ended, the one with the latest use first.
    pub async fn list_own(&self, caller: &dyn ActsFor) -> Result<Vec<OwnSession>> {
        let (tenant, current) = (caller.tenant(), session_id(caller)?);
        let account = caller.account().ok_or(Error::NotFound(Thing::Account))?.id;
        let account = store::identity::accounts::by_id(self.0.db(), tenant, account).await?;
        let account = account.ok_or(Error::NotFound(Thing::Account))?;
        let version = account.credential_version;
        let found =
            store::identity::sessions::of_account(self.0.db(), tenant, account.id, version, self.0.now()).await?;
        let own = |it: Session| OwnSession {
            id: it.id,
            current: it.id == current,
            created_at: it.created_at,
            last_used_at: it.last_used_at.unwrap_or(it.created_at),
            expires_at: it.expires_at,
            address: it.address,
            user_agent: it.user_agent,
        };
        let (lifetimes, now) = (*self.0.lifetimes(), self.0.now());
        let used = found.into_iter().filter(|it| it.id == current || !is_idle(lifetimes, it, now));
        let mut all: Vec<OwnSession> = used.map(own).collect();
        all.sort_by(|a, b| b.last_used_at.cmp(&a.last_used_at).then(b.id.cmp(&a.id)));
        Ok(all)
    }

    /// Ends one session of the caller's account. Returns true if it is the session of the request itself.
    pub async fn end_one(&self, caller: &dyn ActsFor, id: SessionId) -> Result<bool> {
        let account = caller.account().ok_or(Error::NotFound(Thing::Account))?.id;
        let input = (caller.audit_actor(), caller.tenant(), id, account, self.0.now());
        let ended = self.0.db().write(input, |tx, (actor, tenant, id, account, now)| {
            Box::pin(async move {
                if !store::identity::sessions::end_own(tx, *tenant, *id, *account).await? {
                    return Err(Error::NotFound(Thing::Session));
                }
                Ok(actor.record(tx, *tenant, *now, "session.end", &id.to_string(), serde_json::json!({})).await?)
            })
        });
        ended.await?;
        Ok(session_id(caller)? == id)
    }

    /// Deletes sessions that have expired, and old counts of log-in tries.
    pub async fn sweep(&self) -> Result<()> {
        let sweep = self.0.db().write(self.0.now(), |tx, now: &Timestamp| {
            Box::pin(async move {
                store::identity::sessions::sweep(tx, *now).await?;
                crate::identity::log_in::tries::sweep(tx, *now).await
            })
        });
        Ok(sweep.await?)
    }

    /// Whether this is the CSRF token of the caller's session.
    pub fn csrf_fits(&self, caller: &Principal, shown: &str) -> bool {
        let Ok(id) = session_id(caller) else { return false };
        self.csrf_tokens(caller.tenant(), id).any(|token| bool::from(token.as_bytes().ct_eq(shown.as_bytes())))
    }

    /// The CSRF tokens of a session: one for each key, the present key first. The prefix separates them from hashes of
    /// session values, which use the same key.
    fn csrf_tokens(&self, tenant: TenantId, id: SessionId) -> impl Iterator<Item = String> {
        let message = format!("csrf:{tenant}:{id}");
        self.0.keys().session.iter().map(move |key| hex::encode(key.mac(message.as_bytes())))
    }
}

/// Writes a session and notes the log-in.
pub(crate) async fn write_session(
    tx: &mut Tx<'_>,
    actor: &Actor,
    tenant: TenantId,
    session: &Session,
    log_in: &serde_json::Value,
) -> store::Result<()> {
    let now = session.created_at;
    store::identity::sessions::insert(tx, tenant, session).await?;
    store::identity::accounts::record_log_in(tx, tenant, session.account_id, now).await?;
    actor.record(tx, tenant, now, "session.create", &session.id.to_string(), log_in.clone()).await
}

pub(crate) fn session_id(caller: &dyn ActsFor) -> Result<SessionId> {
    match caller.principal().map(Principal::credential) {
        Some(Credential::Session { id }) => Ok(*id),
        _ => Err(Error::NotFound(Thing::Session)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_names_its_tenant_and_session_and_is_never_printed() {
        let id = Id::new(Timestamp::from_seconds(1_776_000_000));
        let fresh = FreshSession::generate(TenantId::FIRST, id);
        assert_eq!(parse_value(fresh.reveal()), Some((TenantId::FIRST, id)));
        assert!(!format!("{fresh:?}").contains(fresh.reveal()));
        for bad in ["", "x", "é", &fresh.reveal()[1..], &format!("{}A", fresh.reveal()), &"=".repeat(54)] {
            assert_eq!(parse_value(bad), None, "{bad}");
        }
    }
}
