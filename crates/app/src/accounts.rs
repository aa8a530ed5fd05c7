//! Accounts: people with an address, a role and a password.

use std::net::IpAddr;

use domain::accounts::{Account, normalise_email};
use domain::roles::Role;
use domain::{Id, TenantId, Timestamp, passwords};
use store::Tx;

use crate::{Actor, App, Error, Result};

#[derive(Debug)]
pub struct Accounts<'a>(&'a App);

impl App {
    pub fn accounts(&self) -> Accounts<'_> {
        Accounts(self)
    }
}

/// What is needed to make an account. Without a password nobody can log in to it: an operator known by name only.
#[derive(Debug)]
pub struct NewAccount {
    pub email: String,
    pub name: Option<String>,
    pub role: Role,
    pub password: Option<String>,
}

/// A change of an account that is made.
#[derive(Debug, Clone)]
enum Change {
    Password(String),
    Role(Role),
    Disabled(bool),
    Removed,
    CredentialsEnded,
}

impl Change {
    const fn action(&self) -> &'static str {
        match self {
            Self::Password(_) => "account.set_password",
            Self::Role(_) => "account.set_role",
            Self::Disabled(true) => "account.disable",
            Self::Disabled(false) => "account.enable",
            Self::Removed => "account.remove",
            Self::CredentialsEnded => "account.log_out_everywhere",
        }
    }

    fn details(&self) -> serde_json::Value {
        match self {
            Self::Role(role) => serde_json::json!({ "role": role }),
            _ => serde_json::json!({}),
        }
    }

    async fn apply(&self, tx: &mut Tx<'_>, tenant: TenantId, id: Id, now: Timestamp) -> store::Result<()> {
        match self {
            Self::Password(hash) => store::accounts::set_password(tx, tenant, id, hash, now).await,
            Self::Role(role) => store::accounts::set_role(tx, tenant, id, *role, now).await,
            Self::Disabled(disabled) => store::accounts::set_disabled(tx, tenant, id, *disabled, now).await,
            Self::Removed => store::accounts::remove(tx, tenant, id, now).await,
            Self::CredentialsEnded => store::accounts::end_credentials(tx, tenant, id, now).await,
        }
    }
}

impl Accounts<'_> {
    pub async fn create(&self, actor: &Actor, tenant: TenantId, new: NewAccount) -> Result<Account> {
        self.0.tenants().find(tenant).await?;
        let email = normalise_email(&new.email).map_err(|error| Error::invalid("email", error))?;
        if !Role::OF_ACCOUNTS.contains(&new.role) {
            return Err(Error::invalid("role", "an account is ADMINISTRATOR, DEVELOPER, OPERATOR or TRIAL"));
        }
        let now = self.0.now().to_millis();
        let name = new.name.unwrap_or_else(|| email.split('@').next().unwrap_or_default().to_owned());
        let account = Account {
            id: Id::new(now),
            email,
            name,
            role: new.role,
            disabled: false,
            removed_at: None,
            password_version: 1,
            credential_version: 1,
            created_at: now,
        };
        let hash = match new.password {
            Some(password) => self.hashed(password).await?,
            None => String::new(),
        };
        self.0.db().write((actor.clone(), tenant, account, hash), |tx, input| Box::pin(insert(tx, input))).await
    }

    pub async fn list(&self, tenant: TenantId) -> Result<Vec<Account>> {
        self.0.tenants().find(tenant).await?;
        Ok(store::accounts::list(self.0.db(), tenant).await?)
    }

    /// By id or e-mail address; a removed one is not found.
    pub async fn find(&self, tenant: TenantId, who: &str) -> Result<Account> {
        let found = match who.parse::<Id>() {
            Ok(id) => store::accounts::by_id(self.0.db(), tenant, id).await?,
            Err(_) => store::accounts::by_email(self.0.db(), tenant, &who.trim().to_lowercase()).await?,
        };
        found.filter(|account| account.removed_at.is_none()).ok_or(Error::NotFound("account"))
    }

    /// Ends every token, legacy JWT and session of the account.
    pub async fn set_password(&self, actor: &Actor, tenant: TenantId, who: &str, password: String) -> Result<Account> {
        let hash = self.hashed(password).await?;
        self.change(actor, tenant, who, Change::Password(hash)).await
    }

    pub async fn set_role(&self, actor: &Actor, tenant: TenantId, who: &str, role: Role) -> Result<Account> {
        if !Role::OF_ACCOUNTS.contains(&role) {
            return Err(Error::invalid("role", "an account is ADMINISTRATOR, DEVELOPER, OPERATOR or TRIAL"));
        }
        self.change(actor, tenant, who, Change::Role(role)).await
    }

    pub async fn set_disabled(&self, actor: &Actor, tenant: TenantId, who: &str, disabled: bool) -> Result<Account> {
        self.change(actor, tenant, who, Change::Disabled(disabled)).await
    }

    pub async fn remove(&self, actor: &Actor, tenant: TenantId, who: &str) -> Result<Account> {
        self.change(actor, tenant, who, Change::Removed).await
    }

    /// Ends every legacy JWT and session, but no API token.
    pub async fn log_out_everywhere(&self, actor: &Actor, tenant: TenantId, who: &str) -> Result<Account> {
        self.change(actor, tenant, who, Change::CredentialsEnded).await
    }

    async fn change(&self, actor: &Actor, tenant: TenantId, who: &str, change: Change) -> Result<Account> {
        let account = self.find(tenant, who).await?;
        let input = (actor.clone(), tenant, account.clone(), change, self.0.now());
        self.0
            .db()
            .write(
                input,
                |tx, (actor, tenant, account, change, now): &(Actor, TenantId, Account, Change, Timestamp)| {
                    Box::pin(async move {
                        change.apply(tx, *tenant, account.id, *now).await?;
                        let subject = account.id.to_string();
                        actor.note(tx, *tenant, *now, change.action(), &subject, change.details()).await?;
                        store::epochs::bump_credentials(tx).await.map_err(Error::from)
                    })
                },
            )
            .await?;
        let changed = store::accounts::by_id(self.0.db(), tenant, account.id).await?;
        changed.ok_or(Error::NotFound("account"))
    }

    /// Who logs in with this address and password. One address may have accounts in several tenants.
    pub async fn log_in(&self, email: &str, password: &str, from: IpAddr) -> Result<Option<(TenantId, Account)>> {
        let candidates = store::accounts::for_log_in(self.0.db(), &email.trim().to_lowercase()).await?;
        let mut usable: Vec<_> = candidates
            .into_iter()
            .filter(|candidate| candidate.account.is_active() && !candidate.password_hash.is_empty())
            .map(|candidate| (Some(candidate.password_hash.clone()), Some(candidate)))
            .collect();
        if usable.is_empty() {
            usable.push((None, None));
        }
        for (hash, candidate) in usable {
            if self.0.hashing().verify(password.to_owned(), hash).await {
                return Ok(candidate.map(|candidate| (candidate.tenant, candidate.account)));
            }
        }
        if let Some(delay) = self.0.attempts().failed(from) {
            tokio::time::sleep(delay).await;
        }
        Ok(None)
    }

    pub(crate) async fn hashed(&self, password: String) -> Result<String> {
        passwords::check(&password).map_err(|error| Error::invalid("password", error))?;
        let hash = self.0.hashing().hash(password).await;
        hash.ok_or_else(|| store::Error::Unavailable("hashing failed".to_owned()).into())
    }
}

async fn insert(
    tx: &mut Tx<'_>,
    (actor, tenant, account, hash): &(Actor, TenantId, Account, String),
) -> Result<Account> {
    let made = if store::accounts::insert(tx, *tenant, account, hash).await? {
        account.clone()
    } else {
        let revived = store::accounts::revive(tx, *tenant, account, hash).await?;
        let taken = || Error::conflict("email", format!("{} has an account in this tenant already", account.email));
        revived.ok_or_else(taken)?
    };
    let details = serde_json::json!({"email": made.email, "role": made.role});
    actor.note(tx, *tenant, account.created_at, "account.create", &made.id.to_string(), details).await?;
    store::epochs::bump_credentials(tx).await?;
    Ok(made)
}
