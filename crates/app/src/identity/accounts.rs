//! Accounts of a tenant: creates, invites, finds, changes and removes them. An account is a user with an e-mail
//! address, a role and, in most cases, a password.

use std::net::IpAddr;

use domain::identity::accounts::{Account, AccountDetails, normalise_email};
use domain::identity::one_time_links::LinkPurpose;
use domain::identity::passwords;
use domain::identity::roles::Role;
use domain::{AccountId, Field, Id, TenantId, Timestamp};
use store::Tx;

use crate::identity::Identity;
use crate::identity::log_in::LogInSource;
use crate::identity::one_time_links::{IssuedLink, replace_link_and_record};
use crate::{Actor, ActsFor, Error, Fault, Result, Thing};

#[derive(Debug)]
pub struct Accounts<'a>(&'a Identity);

impl<'a> Accounts<'a> {
    pub(crate) fn identity(&self) -> &'a Identity {
        self.0
    }
}

impl Identity {
    pub fn accounts(&self) -> Accounts<'_> {
        Accounts(self)
    }
}

/// An account to create. Without `password`, a log-in with a password fails until one is set, for example by a one-time
/// link.
#[derive(Debug)]
pub struct NewAccount {
    pub email: String,
    pub name: Option<String>,
    pub role: Role,
    pub password: Option<String>,
}

/// A colleague to invite.
#[derive(Debug)]
pub struct Invitation {
    pub email: String,
    pub name: Option<String>,
    pub role: Role,
}

/// Changes of an account by an administrator; None leaves a member as it is.
#[derive(Debug, Default)]
pub struct AccountUpdate {
    pub role: Option<Role>,
    pub disabled: Option<bool>,
    pub password: Option<String>,
}

/// A single change of an account.
#[derive(Debug, Clone)]
enum AccountEdit {
    Password(String),
    Role(Role),
    Disabled(bool),
    Removed,
    CredentialsEnded,
}

impl AccountEdit {
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

    /// True if an administrator who gets this change would no longer be an active administrator.
    const fn ends_administration(&self) -> bool {
        match self {
            Self::Role(role) => !matches!(role, Role::Administrator),
            Self::Disabled(disabled) => *disabled,
            Self::Removed => true,
            Self::Password(_) | Self::CredentialsEnded => false,
        }
    }

    async fn apply(&self, tx: &mut Tx<'_>, tenant: TenantId, id: AccountId, now: Timestamp) -> store::Result<()> {
        match self {
            Self::Password(hash) => {
                store::identity::accounts::set_password(tx, tenant, id, hash, now).await?;
                store::identity::one_time_links::end_all(tx, tenant, id).await
            }
            Self::Role(role) => {
                store::identity::accounts::set_role(tx, tenant, id, *role, now).await?;
                if !role.may_own_tokens() {
                    store::identity::tokens::revoke_of_account(tx, tenant, id, now).await?;
                }
                Ok(())
            }
            // Enabling ends sessions, tokens and links as well: earlier versions of Switchboard did not end them when
            // they disabled an account.
            Self::Disabled(disabled) => {
                if !store::identity::accounts::set_disabled(tx, tenant, id, *disabled, now).await? {
                    return Ok(());
                }
                store::identity::accounts::end_credentials(tx, tenant, id, now).await?;
                store::identity::tokens::revoke_of_account(tx, tenant, id, now).await?;
                store::identity::one_time_links::end_all(tx, tenant, id).await
            }
            Self::Removed => {
                store::identity::accounts::remove(tx, tenant, id, now).await?;
                store::identity::second_factors::remove_all(tx, tenant, id).await?;
                store::identity::tokens::revoke_of_account(tx, tenant, id, now).await?;
                store::identity::one_time_links::end_all(tx, tenant, id).await
            }
            Self::CredentialsEnded => store::identity::accounts::end_credentials(tx, tenant, id, now).await,
        }
    }
}

#[boxed::futures]
impl Accounts<'_> {
    pub async fn create(&self, caller: &dyn ActsFor, new: NewAccount) -> Result<Account> {
        let account = self.checked(caller.tenant(), &new).await?;
        let hash = match new.password {
            Some(password) => self.hashed(password, &account).await?,
            None => String::new(),
        };
        self.0
            .write_and_publish_credentials((caller.audit_actor(), caller.tenant(), account, hash), |tx, input| {
                Box::pin(insert(tx, input))
            })
            .await
    }

    /// Creates an account without a password, and a link with which its owner sets one.
    pub async fn invite(&self, caller: &dyn ActsFor, new: Invitation) -> Result<IssuedLink> {
        let new = NewAccount { email: new.email, name: new.name, role: new.role, password: None };
        let account = self.checked(caller.tenant(), &new).await?;
        let input = (self.0.clone(), (caller.audit_actor(), caller.tenant(), account, String::new()));
        self.0
            .write_and_publish_credentials(input, |tx, (identity, input)| {
                Box::pin(insert_with_link(tx, identity, input))
            })
            .await
    }

    /// Checks the request and builds the account, without storing it.
    async fn checked(&self, tenant: TenantId, new: &NewAccount) -> Result<Account> {
        self.0.tenants().find(tenant).await?;
        let email = normalise_email(&new.email).map_err(|error| Error::invalid(Field::Email, error))?;
        check_role(new.role)?;
        let now = self.0.now().to_millis();
        let name = new.name.clone().unwrap_or_else(|| email.split('@').next().unwrap_or_default().to_owned());
        if !(1..=MAX_NAME_CHARACTERS).contains(&name.trim().chars().count()) {
            return Err(Error::invalid(Field::Name, format!("expected 1 to {MAX_NAME_CHARACTERS} characters")));
        }
        Ok(Account {
            id: Id::new(now),
            email,
            name: name.trim().to_owned(),
            role: new.role,
            disabled: false,
            removed_at: None,
            password_version: 1,
            credential_version: 1,
            created_at: now,
        })
    }

    pub async fn list(&self, caller: &dyn ActsFor) -> Result<Vec<Account>> {
        self.0.tenants().find(caller.tenant()).await?;
        Ok(store::identity::accounts::list(self.0.db(), caller.tenant()).await?)
    }

    /// Lists the same accounts as `list`. Adds whether each has a password and when it last logged in.
    pub async fn list_details(&self, caller: &dyn ActsFor) -> Result<Vec<AccountDetails>> {
        self.0.tenants().find(caller.tenant()).await?;
        Ok(store::identity::accounts::list_details(self.0.db(), caller.tenant()).await?)
    }

    /// Finds an account like `find`. Adds whether it has a password and when it last logged in.
    pub async fn find_details(&self, caller: &dyn ActsFor, who: &str) -> Result<AccountDetails> {
        let account = self.find(caller, who).await?;
        let details = store::identity::accounts::details(self.0.db(), caller.tenant(), account.id).await?;
        details.ok_or(Error::NotFound(Thing::Account))
    }

    /// Finds an account by id or e-mail address; removed accounts are not found.
    pub async fn find(&self, caller: &dyn ActsFor, who: &str) -> Result<Account> {
        let found = match who.parse::<AccountId>() {
            Ok(id) => store::identity::accounts::by_id(self.0.db(), caller.tenant(), id).await?,
            Err(_) => {
                store::identity::accounts::by_email(self.0.db(), caller.tenant(), &who.trim().to_lowercase()).await?
            }
        };
        found.filter(|account| account.removed_at.is_none()).ok_or(Error::NotFound(Thing::Account))
    }

    /// Sets the password and ends open one-time links. If the account had a password before, this also ends all its
    /// tokens, legacy JWTs and sessions.
    pub async fn set_password(&self, caller: &dyn ActsFor, who: &str, password: String) -> Result<Account> {
        let account = self.find(caller, who).await?;
        let hash = self.hashed(password, &account).await?;
        self.save_edit(caller, who, AccountEdit::Password(hash)).await
    }

    pub async fn set_role(&self, caller: &dyn ActsFor, who: &str, role: Role) -> Result<Account> {
        check_role(role)?;
        self.save_edit(caller, who, AccountEdit::Role(role)).await
    }

    /// Applies all changes in one transaction.
    pub async fn update(&self, caller: &dyn ActsFor, who: &str, update: AccountUpdate) -> Result<Account> {
        update.role.map(check_role).transpose()?;
        let password = match update.password {
            Some(password) => {
                let account = self.find(caller, who).await?;
                Some(AccountEdit::Password(self.hashed(password, &account).await?))
            }
            None => None,
        };
        let changes = [update.role.map(AccountEdit::Role), update.disabled.map(AccountEdit::Disabled), password];
        self.save_edits(caller, who, changes.into_iter().flatten().collect()).await
    }

    /// Changes the caller's own password, which requires the present one. Ends every token, legacy JWT and session of
    /// the account.
    pub async fn change_own_password(
        &self,
        caller: &dyn ActsFor,
        current: String,
        new: String,
        source: &LogInSource,
    ) -> Result<Account> {
        let own = caller.account().ok_or(Error::NotFound(Thing::Account))?;
        check_password(Field::NewPassword, &new, &[&own.email]).await?;
        if !self.verify_own_password(caller, current, source).await? {
            return Err(Error::invalid(Field::CurrentPassword, "this is not your current password"));
        }
        self.set_password(caller, &own.id.to_string(), new).await
    }

    pub async fn set_disabled(&self, caller: &dyn ActsFor, who: &str, disabled: bool) -> Result<Account> {
        self.save_edit(caller, who, AccountEdit::Disabled(disabled)).await
    }

    pub async fn remove(&self, caller: &dyn ActsFor, who: &str) -> Result<Account> {
        self.save_edit(caller, who, AccountEdit::Removed).await
    }

    /// Ends every legacy JWT and session of the account, but no API token.
    pub async fn log_out_everywhere(&self, caller: &dyn ActsFor, who: &str) -> Result<Account> {
        self.save_edit(caller, who, AccountEdit::CredentialsEnded).await
    }

    async fn save_edit(&self, caller: &dyn ActsFor, who: &str, edit: AccountEdit) -> Result<Account> {
        self.save_edits(caller, who, vec![edit]).await
    }

    async fn save_edits(&self, caller: &dyn ActsFor, who: &str, changes: Vec<AccountEdit>) -> Result<Account> {
        let account = self.find(caller, who).await?;
        if changes.is_empty() {
            return Ok(account);
        }
        let (actor, tenant) = (caller.audit_actor(), caller.tenant());
        let change = AccountChange { actor, tenant, account: account.id, changes, now: self.0.now() };
        self.0.write_and_publish_credentials(change, |tx, change| Box::pin(apply(tx, change))).await?;
        let present = store::identity::accounts::by_id(self.0.db(), tenant, account.id).await?;
        present.ok_or(Error::NotFound(Thing::Account))
    }

    /// Counts a failure of this address. Waits a second before it returns when the address has too many in a minute.
    pub(crate) async fn slow_down(&self, from: IpAddr) {
        if let Some(delay) = self.0.attempts().failed(from) {
            tokio::time::sleep(delay).await;
        }
    }

    /// Checks and hashes a new password of the account.
    pub(crate) async fn hashed(&self, password: String, account: &Account) -> Result<String> {
        check_password(Field::Password, &password, &[&account.email, &account.name]).await?;
        self.0.hashing().hash(password).await
    }
}

const MAX_NAME_CHARACTERS: usize = 200;

/// Checks a password on a blocking thread: comparing it with lists of common passwords takes milliseconds.
async fn check_password(field: Field, password: &str, about: &[&str]) -> Result<()> {
    let (password, about) = (password.to_owned(), about.iter().map(|&text| text.to_owned()).collect::<Vec<_>>());
    let checked = tokio::task::spawn_blocking(move || {
        let about: Vec<_> = about.iter().map(String::as_str).collect();
        passwords::check(&password, &about)
    });
    let checked = checked.await.map_err(|_| Fault::Hashing)?;
    checked.map_err(|error| Error::invalid(field, error))
}

fn check_role(role: Role) -> Result<()> {
    if Role::OF_ACCOUNTS.contains(&role) {
        return Ok(());
    }
    Err(Error::invalid(Field::Role, "expected ADMINISTRATOR, DEVELOPER, OPERATOR or TRIAL"))
}

/// Changes of one account, applied together.
#[derive(Debug)]
struct AccountChange {
    actor: Actor,
    tenant: TenantId,
    account: AccountId,
    changes: Vec<AccountEdit>,
    now: Timestamp,
}

async fn apply(tx: &mut Tx<'_>, change: &AccountChange) -> Result<()> {
    let AccountChange { actor, tenant, account, changes, now } = change;
    if changes.iter().any(AccountEdit::ends_administration) {
        keep_an_administrator(tx, *tenant, *account).await?;
    }
    for change in changes {
        change.apply(tx, *tenant, *account, *now).await?;
        actor.record(tx, *tenant, *now, change.action(), &account.to_string(), change.details()).await?;
    }
    Ok(store::base::epochs::bump_credentials(tx).await?)
}

/// Refuses a change after which a tenant would have no active administrator: no account could create another one.
async fn keep_an_administrator(tx: &mut Tx<'_>, tenant: TenantId, leaving: AccountId) -> Result<()> {
    let mut active = store::identity::accounts::administrators(tx, tenant).await?;
    active.retain(Account::is_active);
    if active.iter().any(|account| account.id == leaving) && active.len() == 1 {
        return Err(Error::conflict(Field::Account, "this is the tenant's last active administrator"));
    }
    Ok(())
}

async fn insert(
    tx: &mut Tx<'_>,
    (actor, tenant, account, hash): &(Actor, TenantId, Account, String),
) -> Result<Account> {
    let made = if store::identity::accounts::insert(tx, *tenant, account, hash).await? {
        account.clone()
    } else {
        let revived = store::identity::accounts::revive(tx, *tenant, account, hash).await?;
        let taken =
            || Error::conflict(Field::Email, format!("{} already has an account in this tenant", account.email));
        revived.ok_or_else(taken)?
    };
    let details = serde_json::json!({"email": made.email, "role": made.role});
    actor.record(tx, *tenant, account.created_at, "account.create", &made.id.to_string(), details).await?;
    store::base::epochs::bump_credentials(tx).await?;
    Ok(made)
}

async fn insert_with_link(
    tx: &mut Tx<'_>,
    identity: &Identity,
    input: &(Actor, TenantId, Account, String),
) -> Result<IssuedLink> {
    let (actor, tenant, ..) = input;
    let account = insert(tx, input).await?;
    let purpose = LinkPurpose::Invitation;
    let (code, link) = identity.one_time_links().fresh(*tenant, account.id, purpose)?;
    replace_link_and_record(tx, actor, *tenant, &link).await?;
    let account = AccountDetails { account, has_password: false, has_second_factor: false, last_log_in_at: None };
    Ok(IssuedLink { account, code, purpose, expires_at: link.expires_at })
}
