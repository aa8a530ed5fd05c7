//! Console sessions. A log-in creates a session, identified by one secret value. The session ends `LIFETIME_SECONDS`
//! after the log-in, after an idle time, by a log-out, with a change of its account's password, with a log-out
//! everywhere, or when its account is disabled or removed. The API carries the value in a cookie.
//!
//! A session is in one tenant, which its value names. A person with several tenants switches: the session ends, and one
//! of the same age begins in the other tenant (`switch`). A session of a provider, and one of a membership with its own
//! password, stays in its tenant and sees nothing of the account's others.

use std::fmt;
use std::net::IpAddr;
use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use domain::base::hex;
use domain::identity::accounts::Account;
use domain::identity::memberships::{AccessRefusal, MAX_SESSIONS, Membership, Reach};
use domain::identity::roles::Role;
use domain::identity::second_factors::LogInMethod;
use domain::identity::tenants::Tenant;
use domain::{AccountId, Field, Id, SessionId, TenantId, Timestamp};
use store::Tx;
use store::identity::sessions::Session;
use subtle::ConstantTimeEq as _;

use crate::identity::Identity;
use crate::identity::credentials::{Lifetimes, principal_of};
use crate::identity::gate::{Denial, Forbidden, Unauthenticated};
use crate::identity::log_in::count_log_in;
use crate::identity::memberships::TenantChoice;
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

    /// Authenticates a session by its value, for the client's address. Every session that is refused gets the same
    /// answer, unless only the address is.
    pub async fn authenticate_session(
        &self,
        value: &str,
        purpose: SessionPurpose,
        reach: SessionReach,
        from: IpAddr,
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
        self.check_console_access(tenant, &session, from).await?;
        self.check_second_factor(tenant, &session, reach).await?;
        let plan = self.plan_of(tenant).await?;
        if purpose == SessionPurpose::Use
            && session.last_used_at.is_none_or(|at| at.plus_seconds(USE_NOTED_EVERY_SECONDS) <= now)
        {
            self.last_uses().record_session(tenant, id, now);
        }
        Ok(Arc::new(principal_of(tenant, &account, Credential::Session { id }, plan)))
    }

    /// A session of a password ends where the tenant requires single sign-on, and no session is used from addresses
    /// that the tenant does not list.
    async fn check_console_access(&self, tenant: TenantId, session: &Session, from: IpAddr) -> Result<(), Denial> {
        let access = store::identity::console_access::find(self.db(), tenant).await?;
        match access.refusal(session.log_in_method.unwrap_or(LogInMethod::Password), from) {
            None => Ok(()),
            Some(AccessRefusal::SingleSignOn) => Err(ended()),
            Some(AccessRefusal::Network) => Err(Denial::Forbidden(Forbidden::ConsoleNetwork)),
        }
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
        let row = session.account_id;
        let membership = store::identity::memberships::of_row(self.db(), tenant, row).await?;
        let (tenant, id) = membership.map_or((tenant, row), |it| (it.holder().tenant, it.holder().id));
        let has_factor = store::identity::second_factors::totp(self.db(), tenant, id).await?.is_some()
            || !store::identity::second_factors::passkeys(self.db(), tenant, id).await?.is_empty();
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
    /// How many other tenants the person can switch to.
    pub other_tenants: usize,
    /// Whether the account administers the installation, and the session may do so.
    pub administers_installation: bool,
}

#[boxed::futures]
impl Sessions<'_> {
    /// Begins a session of an account's row in a tenant, unless the tenant does not admit it; checks nothing else. The
    /// details of the log-in are for the audit log.
    pub(crate) async fn begin_by(
        &self,
        source: &LogInSource,
        tenant: TenantId,
        account: Account,
        method: LogInMethod,
        log_in: serde_json::Value,
    ) -> Result<(SessionDetails, FreshSession)> {
        self.0.memberships().check_access(tenant, method, source.address).await?;
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
        let (mut other_tenants, mut administers_installation) = (0, false);
        if let Some(membership) = self.unconfined(tenant, account.id, method).await? {
            let joined = self.0.memberships().joined(membership.account_id).await?;
            other_tenants = joined.iter().filter(|it| it.member_of != tenant).count();
            administers_installation = self.administers(membership.account_id).await?;
        }
        let tenant = self.0.tenants().find(tenant).await?;
        Ok(SessionDetails {
            account,
            tenant,
            csrf_token,
            expires_at,
            must_enrol,
            other_tenants,
            administers_installation,
        })
    }

    /// The membership of a session that may act for its account in all tenants; none for a session that stays in its
    /// tenant.
    async fn unconfined(
        &self,
        tenant: TenantId,
        row: AccountId,
        method: Option<LogInMethod>,
    ) -> Result<Option<Membership>> {
        if method == Some(LogInMethod::Provider) {
            return Ok(None);
        }
        let membership = store::identity::memberships::of_row(self.0.db(), tenant, row).await?;
        Ok(membership.filter(|membership| membership.reach == Reach::Account))
    }

    async fn administers(&self, account: AccountId) -> Result<bool> {
        let account = store::identity::accounts::by_id(self.0.db(), TenantId::INSTALLATION, account).await?;
        Ok(account.is_some_and(|account| account.is_active() && account.role == Role::Administrator))
    }

    async fn find(&self, caller: &dyn ActsFor) -> Result<Session> {
        let found = store::identity::sessions::find(self.0.db(), caller.tenant(), session_id(caller)?).await?;
        found.ok_or(Error::NotFound(Thing::Session))
    }

    /// The membership of the caller's session if it may act for its account in all tenants.
    pub(crate) async fn acts_for_account(&self, caller: &dyn ActsFor) -> Result<Option<Membership>> {
        let session = self.find(caller).await?;
        self.unconfined(caller.tenant(), session.account_id, session.log_in_method).await
    }

    /// Whether the caller administers the installation: a command, or a session of an account that does.
    pub async fn administers_installation(&self, caller: &dyn ActsFor) -> Result<bool> {
        match caller.principal().map(Principal::credential) {
            None | Some(Credential::Machine) => Ok(true),
            Some(Credential::Session { .. }) => match self.acts_for_account(caller).await? {
                Some(membership) => self.administers(membership.account_id).await,
                None => Ok(false),
            },
            Some(_) => Ok(false),
        }
    }

    /// The tenants that the caller's account belongs to; for a session that stays in its tenant, that one alone.
    pub async fn tenants(&self, caller: &dyn ActsFor, from: IpAddr) -> Result<Vec<TenantChoice>> {
        let session = self.find(caller).await?;
        let method = session.log_in_method.unwrap_or(LogInMethod::Password);
        if let Some(membership) = self.acts_for_account(caller).await? {
            return self.0.memberships().choices(membership.account_id, caller.tenant(), method, from).await;
        }
        let tenant = self.0.tenants().find(caller.tenant()).await?;
        let role = caller.principal().map(Principal::role).ok_or(Error::NotFound(Thing::Session))?;
        Ok(vec![TenantChoice { tenant, role, current: true, obstacle: None }])
    }

    /// Ends the caller's session and begins one in another tenant of the same account. It is as old as the first, and
    /// ends when that would have ended.
    pub async fn switch(
        &self,
        caller: &dyn ActsFor,
        to: TenantId,
        source: &LogInSource,
    ) -> Result<(SessionDetails, FreshSession)> {
        let before = self.find(caller).await?;
        let Some(present) = self.acts_for_account(caller).await? else {
            let message = "this session is only for this tenant: log in with your account's password";
            return Err(Error::conflict(Field::Tenant, message));
        };
        let joined = self.0.memberships().joined(present.account_id).await?;
        let wanted = joined.into_iter().find(|it| it.member_of == to).ok_or(Error::NotFound(Thing::Tenant))?;
        let row = store::identity::accounts::by_id(self.0.db(), to, wanted.membership_id).await?;
        let row = row.filter(Account::is_active).ok_or(Error::NotFound(Thing::Tenant))?;
        let method = before.log_in_method.unwrap_or(LogInMethod::Password);
        self.0.memberships().check_access(to, method, source.address).await?;
        let (session, fresh) = self.prepare(source, to, &row, method)?;
        let session = Session { created_at: before.created_at, expires_at: before.expires_at, ..session };
        let (id, expires_at) = (session.id, session.expires_at);
        let (left, entered) = (caller.audit_actor(), source.actor(row.id));
        let switch = Switch { left, entered, from: (caller.tenant(), before.id), to, session, now: self.0.now() };
        self.0.db().write(switch, |tx, switch| Box::pin(write_switch(tx, switch))).await?;
        Ok((self.details(to, row, id, expires_at, Some(method)).await?, fresh))
    }

    /// The rows of the caller's account whose sessions the caller sees: in all tenants, or in the session's own.
    async fn own_rows(&self, caller: &dyn ActsFor) -> Result<Vec<(TenantId, AccountId)>> {
        let own = caller.account().ok_or(Error::NotFound(Thing::Account))?.id;
        let Some(membership) = self.acts_for_account(caller).await? else { return Ok(vec![(caller.tenant(), own)]) };
        let joined = self.0.memberships().joined(membership.account_id).await?;
        Ok(joined.into_iter().map(|it| (it.member_of, it.membership_id)).collect())
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
        let (current, db, now) = (session_id(caller)?, self.0.db(), self.0.now());
        let mut found = Vec::new();
        for (tenant, row) in self.own_rows(caller).await? {
            let Some(account) = store::identity::accounts::by_id(db, tenant, row).await? else { continue };
            let version = account.credential_version;
            found.extend(store::identity::sessions::of_account(db, tenant, row, version, now).await?);
        }
        let own = |it: Session| OwnSession {
            id: it.id,
            current: it.id == current,
            created_at: it.created_at,
            last_used_at: it.last_used_at.unwrap_or(it.created_at),
            expires_at: it.expires_at,
            address: it.address,
            user_agent: it.user_agent,
        };
        let lifetimes = *self.0.lifetimes();
        let used = found.into_iter().filter(|it| it.id == current || !is_idle(lifetimes, it, now));
        let mut all: Vec<OwnSession> = used.map(own).collect();
        all.sort_by(|a, b| b.last_used_at.cmp(&a.last_used_at).then(b.id.cmp(&a.id)));
        Ok(all)
    }

    /// Ends one session of the caller's account. Returns true if it is the session of the request itself.
    pub async fn end_one(&self, caller: &dyn ActsFor, id: SessionId) -> Result<bool> {
        let rows = self.own_rows(caller).await?;
        let input = (caller.audit_actor(), caller.tenant(), id, rows, self.0.now());
        let ended = self.0.db().write(input, |tx, (actor, present, id, rows, now)| {
            Box::pin(async move {
                for (tenant, row) in rows {
                    if !store::identity::sessions::end_own(tx, *tenant, *id, *row).await? {
                        continue;
                    }
                    // In another tenant's log the person has that tenant's id.
                    let there = Actor::new(format!("account:{row}"), None, None);
                    let actor = if tenant == present { actor } else { &there };
                    let (subject, none) = (id.to_string(), serde_json::json!({}));
                    return Ok(actor.record(tx, *tenant, *now, "session.end", &subject, none).await?);
                }
                Err(Error::NotFound(Thing::Session))
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

/// A session that moves to another tenant.
#[derive(Debug)]
struct Switch {
    left: Actor,
    entered: Actor,
    from: (TenantId, SessionId),
    to: TenantId,
    session: Session,
    now: Timestamp,
}

async fn write_switch(tx: &mut Tx<'_>, switch: &Switch) -> store::Result<()> {
    let Switch { left, entered, from: (tenant, id), to, session, now } = switch;
    store::identity::sessions::end(tx, *tenant, *id).await?;
    left.record(tx, *tenant, *now, "session.end", &id.to_string(), serde_json::json!({ "switched": true })).await?;
    write_session(tx, entered, *to, session, &serde_json::json!({ "switched": true })).await
}

/// Writes a session, ends the account's oldest ones in the tenant beyond the cap, and notes the log-in.
pub(crate) async fn write_session(
    tx: &mut Tx<'_>,
    actor: &Actor,
    tenant: TenantId,
    session: &Session,
    log_in: &serde_json::Value,
) -> store::Result<()> {
    let now = session.last_used_at.unwrap_or(session.created_at);
    store::identity::sessions::insert(tx, tenant, session).await?;
    store::identity::sessions::end_oldest(tx, tenant, session, MAX_SESSIONS).await?;
    store::identity::accounts::record_log_in(tx, tenant, session.account_id, now).await?;
    store::identity::memberships::record_use(tx, tenant, session.account_id, now).await?;
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
