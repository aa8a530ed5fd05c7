//! Console sessions. A log-in creates a session, identified by one secret value. The session ends `LIFETIME_SECONDS`
//! after the log-in, by a log-out, with a change of its account's password, with a log-out everywhere, or when its
//! account is disabled or removed. The API carries the value in a cookie.

use std::fmt;
use std::net::IpAddr;
use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use domain::accounts::Account;
use domain::tenants::Tenant;
use domain::{Id, SessionId, TenantId, Timestamp, hex};
use store::sessions::Session;
use subtle::ConstantTimeEq as _;

use crate::credentials::principal_of;
use crate::gate::{Denial, Unauthenticated};
use crate::principal::{Credential, Principal};
use crate::{Actor, App, Error, Fault, Result, Thing};

/// 12 hours: one log-in for a working day.
pub const LIFETIME_SECONDS: i64 = 12 * 3600;

const TENANT_BYTES: usize = 8;
const ID_BYTES: usize = 12;
const RANDOM_BYTES: usize = 20;
const VALUE_BYTES: usize = TENANT_BYTES + ID_BYTES + RANDOM_BYTES;

#[derive(Debug)]
pub struct Sessions<'a>(&'a App);

impl App {
    pub fn sessions(&self) -> Sessions<'_> {
        Sessions(self)
    }

    /// Authenticates a session. Every session that is refused gets the same answer.
    pub async fn authenticate_session(&self, value: &str) -> Result<Arc<Principal>, Denial> {
        let (tenant, id) = parse_value(value).ok_or_else(ended)?;
        let session = store::sessions::find(self.db(), tenant, id).await?.ok_or_else(ended)?;
        let fits = self.keys().session.iter().any(|key| key.verifies(value.as_bytes(), &session.hash));
        if !fits || session.expires_at <= self.now() {
            return Err(ended());
        }
        let account = store::accounts::by_id(self.db(), tenant, session.account_id).await?;
        let lives = |it: &Account| it.is_active() && it.credential_version == session.credential_version;
        let account = account.filter(lives).ok_or_else(ended)?;
        let plan = self.plan_of(tenant).await?;
        Ok(Arc::new(principal_of(tenant, &account, Credential::Session { id }, plan)))
    }
}

fn ended() -> Denial {
    Denial::unauthenticated(Unauthenticated::SessionRequired, "There is no session, or it has ended: log in")
}

/// The secret value of a new session: returned once, stored only as a hash.
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

/// Parses tenant and id of a session value. Neither is verified.
fn parse_value(value: &str) -> Option<(TenantId, SessionId)> {
    let bytes: [u8; VALUE_BYTES] = URL_SAFE_NO_PAD.decode(value).ok()?.try_into().ok()?;
    let (tenant, rest) = bytes.split_at(TENANT_BYTES);
    let (id, _) = rest.split_at(ID_BYTES);
    let tenant = i64::from_be_bytes(tenant.try_into().ok()?);
    Some((TenantId::from_number(tenant), Id::from_bytes(id.try_into().ok()?)))
}

/// A session as the console shows it.
#[derive(Debug)]
pub struct SessionDetails {
    pub account: Account,
    pub tenant: Tenant,
    pub csrf_token: String,
    pub expires_at: Timestamp,
}

impl Sessions<'_> {
    /// None if no active account has this e-mail address and password.
    pub async fn log_in(
        &self,
        email: &str,
        password: &str,
        from: IpAddr,
        request_id: Option<String>,
    ) -> Result<Option<(SessionDetails, FreshSession)>> {
        let Some((tenant, account)) = self.0.accounts().log_in(email, password, from).await? else { return Ok(None) };
        let actor = Actor::new(format!("account:{}", account.id), Some(from.to_string()), request_id);
        self.begin(&actor, tenant, account).await.map(Some)
    }

    async fn begin(&self, actor: &Actor, tenant: TenantId, account: Account) -> Result<(SessionDetails, FreshSession)> {
        let now = self.0.now().to_millis();
        let id = Id::new(now);
        let fresh = FreshSession::generate(tenant, id);
        let key = self.0.keys().session.first().ok_or(Error::Fault(Fault::NoKey))?;
        let session = Session {
            id,
            account_id: account.id,
            hash: key.mac(fresh.reveal().as_bytes()),
            credential_version: account.credential_version,
            expires_at: now.plus_seconds(LIFETIME_SECONDS),
        };
        let expires_at = session.expires_at;
        self.0
            .db()
            .write((actor.clone(), tenant, session, now), |tx, (actor, tenant, session, now)| {
                Box::pin(async move {
                    store::sessions::insert(tx, *tenant, session, *now).await?;
                    let subject = session.id.to_string();
                    actor.note(tx, *tenant, *now, "session.create", &subject, serde_json::json!({})).await
                })
            })
            .await?;
        let details = self.details(tenant, account, id, expires_at).await?;
        Ok((details, fresh))
    }

    /// The caller's session.
    pub async fn show(&self, caller: &Principal) -> Result<SessionDetails> {
        let id = session_id(caller)?;
        let session = store::sessions::find(self.0.db(), caller.tenant(), id).await?;
        let session = session.ok_or(Error::NotFound(Thing::Session))?;
        let account = store::accounts::by_id(self.0.db(), caller.tenant(), session.account_id).await?;
        let account = account.ok_or(Error::NotFound(Thing::Account))?;
        self.details(caller.tenant(), account, id, session.expires_at).await
    }

    async fn details(
        &self,
        tenant: TenantId,
        account: Account,
        id: SessionId,
        expires_at: Timestamp,
    ) -> Result<SessionDetails> {
        let csrf_token = self.csrf_tokens(tenant, id).next().ok_or(Error::Fault(Fault::NoKey))?;
        Ok(SessionDetails { account, tenant: self.0.tenants().find(tenant).await?, csrf_token, expires_at })
    }

    /// Ends the caller's session.
    pub async fn end(&self, caller: &Principal, actor: &Actor) -> Result<()> {
        let input = (actor.clone(), caller.tenant(), session_id(caller)?, self.0.now());
        let ended = self.0.db().write(input, |tx, (actor, tenant, id, now)| {
            Box::pin(async move {
                store::sessions::end(tx, *tenant, *id).await?;
                actor.note(tx, *tenant, *now, "session.end", &id.to_string(), serde_json::json!({})).await
            })
        });
        Ok(ended.await?)
    }

    /// Deletes sessions that have expired.
    pub async fn sweep(&self) -> Result<()> {
        let sweep = self.0.db().write(self.0.now(), |tx, now: &Timestamp| Box::pin(store::sessions::sweep(tx, *now)));
        sweep.await?;
        Ok(())
    }

    /// Verifies a CSRF token of the caller's session.
    pub fn csrf_fits(&self, caller: &Principal, shown: &str) -> bool {
        let Ok(id) = session_id(caller) else { return false };
        self.csrf_tokens(caller.tenant(), id).any(|token| bool::from(token.as_bytes().ct_eq(shown.as_bytes())))
    }

    /// One token for each key, the present key first. The prefix separates them from hashes of session values, which
    /// use the same key.
    fn csrf_tokens(&self, tenant: TenantId, id: SessionId) -> impl Iterator<Item = String> {
        let message = format!("csrf:{tenant}:{id}");
        self.0.keys().session.iter().map(move |key| hex::encode(key.mac(message.as_bytes())))
    }
}

fn session_id(caller: &Principal) -> Result<SessionId> {
    match caller.credential() {
        Credential::Session { id } => Ok(*id),
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
