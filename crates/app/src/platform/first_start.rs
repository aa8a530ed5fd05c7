//! The first start of an empty installation: creates one tenant, its administrator without a password, a link to set
//! one, one token and, unless the sandbox is switched off, a sandbox channel, in one transaction.

use domain::identity::accounts::Account;
use domain::identity::networks::Networks;
use domain::identity::one_time_links::{FreshCode, LinkPurpose, OneTimeLink};
use domain::identity::plans::DEFAULT_PLAN;
use domain::identity::roles::Role;
use domain::identity::scopes::{Scope, ScopeSet};
use domain::identity::tenants::Tenant;
use domain::identity::tokens::{FreshToken, Token, TokenHash};
use domain::{Id, TenantId, Timestamp};
use store::Tx;

use crate::platform::Platform;
use crate::{Actor, Fault, Result};

const TENANT_NAME: &str = "My business";
const EMAIL: &str = "admin@localhost";
const TOKEN_NAME: &str = "first";

/// What the first start prints. It is shown only once: the link's code and the token are stored as hashes.
pub struct FirstStart {
    pub tenant: TenantId,
    pub email: &'static str,
    /// The code of a one-time link. Setting the first password with it does not end the token.
    pub code: FreshCode,
    pub token: FreshToken,
}

impl std::fmt::Debug for FirstStart {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("FirstStart").field("tenant", &self.tenant).field("email", &self.email).finish_non_exhaustive()
    }
}

#[derive(Debug)]
struct Beginning {
    tenant: Tenant,
    account: Account,
    link: OneTimeLink,
    token: Token,
    token_hash: TokenHash,
    channel: Option<crate::messaging::channels::SandboxChannel>,
}

#[boxed::futures]
impl Platform {
    /// Creates the first tenant in an empty database. `None` if there is a tenant, also if another process created it
    /// just now.
    pub async fn first_start(&self) -> Result<Option<FirstStart>> {
        if !store::identity::tenants::list(self.db()).await?.is_empty() {
            return Ok(None);
        }
        let account = account(self.now().to_millis());
        let (code, link) = self.identity().one_time_links().fresh(TenantId::FIRST, account.id, LinkPurpose::Setup)?;
        let token = token(&account);
        let fresh = FreshToken::generate(TenantId::FIRST, token.id);
        let key = self.keys().token_hash.first().ok_or(crate::Error::Fault(Fault::NoKey))?;
        let token_hash = fresh.hash(key);
        let channel = self.messaging().sandbox_channel(TenantId::FIRST, account.created_at)?;
        let beginning = Beginning { tenant: tenant(account.created_at), account, link, token, token_hash, channel };
        let made = self
            .identity()
            .write_and_publish_credentials(beginning, |tx, beginning| Box::pin(insert(tx, beginning)))
            .await?;
        Ok(made.then_some(FirstStart { tenant: TenantId::FIRST, email: EMAIL, code, token: fresh }))
    }
}

fn tenant(now: Timestamp) -> Tenant {
    Tenant {
        id: TenantId::FIRST,
        name: TENANT_NAME.to_owned(),
        plan: DEFAULT_PLAN.to_owned(),
        created_at: now,
        suspended_at: None,
    }
}

fn account(now: Timestamp) -> Account {
    Account {
        id: Id::new(now),
        email: EMAIL.to_owned(),
        name: "admin".to_owned(),
        role: Role::Administrator,
        disabled: false,
        removed_at: None,
        password_version: 1,
        credential_version: 1,
        created_at: now,
    }
}

fn token(owner: &Account) -> Token {
    Token {
        id: Id::new(owner.created_at),
        account_id: owner.id,
        name: TOKEN_NAME.to_owned(),
        scopes: ScopeSet::from_scopes(&[Scope::Api]),
        networks: Networks::default(),
        rate_limit: None,
        created_at: owner.created_at,
        expires_at: None,
        revoked_at: None,
        password_version: owner.password_version,
        last_used_at: None,
        last_used_address: None,
    }
}

/// Inserts the tenant and everything that belongs to it. False if the tenant exists already: the transaction that
/// inserted it also inserted everything else.
async fn insert(tx: &mut Tx<'_>, new: &Beginning) -> Result<bool> {
    let (id, now) = (new.tenant.id, new.tenant.created_at);
    if !store::identity::tenants::insert(tx, &new.tenant).await? {
        return Ok(false);
    }
    store::identity::accounts::insert(tx, id, &new.account, "").await?;
    store::identity::one_time_links::replace(tx, id, &new.link).await?;
    store::identity::tokens::insert(tx, id, &new.token, &new.token_hash).await?;
    if let Some(channel) = &new.channel {
        channel.insert(tx, id).await?;
    }
    let entries = [
        ("tenant.create", id.to_string(), serde_json::json!({"name": new.tenant.name, "plan": new.tenant.plan})),
        ("account.create", new.account.id.to_string(), serde_json::json!({"email": EMAIL, "role": new.account.role})),
        ("link.create", new.account.id.to_string(), serde_json::json!({"purpose": new.link.purpose})),
        ("token.create", new.token.id.to_string(), serde_json::json!({"name": TOKEN_NAME, "scopes": new.token.scopes})),
    ];
    for (action, subject, details) in entries {
        Actor::system().record(tx, id, now, action, &subject, details).await?;
    }
    store::base::epochs::bump_credentials(tx).await?;
    Ok(true)
}
