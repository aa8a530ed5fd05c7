//! Accounts of a tenant: creates, invites, finds, changes and removes them. An account is a user with an e-mail
//! address, a role and, in most cases, a password.
//!
//! The functions work on an account's row in the caller's tenant, its membership (`memberships.rs`). The account of the
//! installation behind it gets a password here only from a command, or while it belongs to no other tenant.

use std::collections::HashMap;
use std::net::IpAddr;

use domain::identity::accounts::{Account, AccountDetails, normalise_email};
use domain::identity::memberships::{Holder, MAX_MEMBERS, Membership, Reach};
use domain::identity::one_time_links::LinkPurpose;
use domain::identity::passwords;
use domain::identity::roles::Role;
use domain::{AccountId, Field, Id, TenantId, Timestamp};
use store::Tx;
use store::identity::memberships::MemberStanding;

use crate::identity::Identity;
use crate::identity::log_in::LogInSource;
use crate::identity::memberships::{
    NewMember, PasswordSetter, create_account, end_credentials_everywhere, link, set_account_password, unlink,
    used_elsewhere,
};
use crate::identity::one_time_links::{IssuedLink, replace_link_and_record};
use crate::{Actor, ActsFor, Command, Error, Fault, Result, Thing};

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
/// link. If an account of the installation has the address already, the password is for this tenant alone.
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
    Name(String),
    Password(String),
    Role(Role),
    Disabled(bool),
    Removed,
    CredentialsEnded(Extent),
}

/// Where sessions and legacy JWTs end.
#[derive(Debug, Clone, Copy)]
enum Extent {
    /// In the tenant.
    Tenant,
    /// In all tenants that the password of this account enters.
    Account(AccountId),
}

impl AccountEdit {
    const fn action(&self) -> &'static str {
        match self {
            Self::Name(_) => "account.set_name",
            Self::Password(_) => "account.set_password",
            Self::Role(_) => "account.set_role",
            Self::Disabled(true) => "account.disable",
            Self::Disabled(false) => "account.enable",
            Self::Removed => "account.remove",
            Self::CredentialsEnded(_) => "account.log_out_everywhere",
        }
    }

    fn details(&self, account: &Account) -> serde_json::Value {
        match self {
            Self::Name(name) => serde_json::json!({ "name": name }),
            Self::Role(role) => serde_json::json!({ "role": role, "before": account.role }),
            _ => serde_json::json!({}),
        }
    }

    /// True if an administrator who gets this change would no longer be an active administrator.
    const fn ends_administration(&self) -> bool {
        match self {
            Self::Role(role) => !matches!(role, Role::Administrator),
            Self::Disabled(disabled) => *disabled,
            Self::Removed => true,
            Self::Name(_) | Self::Password(_) | Self::CredentialsEnded(_) => false,
        }
    }

    async fn apply(&self, tx: &mut Tx<'_>, change: &AccountChange) -> Result<()> {
        let AccountChange { tenant, account: row, setter, now, .. } = change;
        let (tenant, id, now) = (*tenant, row.id, *now);
        match self {
            Self::Password(hash) => {
                let member = NewMember { tenant, row, setter: *setter, now };
                set_password(tx, &member, hash).await?;
                store::identity::one_time_links::end_all(tx, tenant, id).await?;
            }
            Self::Name(name) => store::identity::accounts::set_name(tx, tenant, id, name, now).await?,
            // Sessions and legacy JWTs go on: they have the rights of the present role.
            Self::Role(role) => {
                store::identity::accounts::set_role(tx, tenant, id, *role, now).await?;
                if !role.may_own_tokens() {
                    store::identity::tokens::revoke_of_account(tx, tenant, id, now).await?;
                }
            }
            // Enabling ends sessions, tokens and links as well: earlier versions of Switchboard did not end them when
            // they disabled an account.
            Self::Disabled(disabled) => {
                if store::identity::accounts::set_disabled(tx, tenant, id, *disabled, now).await? {
                    store::identity::accounts::end_credentials(tx, tenant, id, now).await?;
                    store::identity::tokens::revoke_of_account(tx, tenant, id, now).await?;
                    store::identity::one_time_links::end_all(tx, tenant, id).await?;
                }
            }
            Self::Removed => {
                store::identity::accounts::remove(tx, tenant, id, now).await?;
                store::identity::second_factors::remove_all(tx, tenant, id).await?;
                store::identity::tokens::revoke_of_account(tx, tenant, id, now).await?;
                store::identity::one_time_links::end_all(tx, tenant, id).await?;
                unlink(tx, tenant, id).await?;
            }
            Self::CredentialsEnded(Extent::Tenant) => {
                store::identity::accounts::end_credentials(tx, tenant, id, now).await?;
            }
            Self::CredentialsEnded(Extent::Account(account)) => end_credentials_everywhere(tx, *account, now).await?,
        }
        Ok(())
    }
}

/// Sets the password of an account's row in a tenant where it is stored: with the account, or with the row itself if it
/// has its own. For a person without an account, makes the account.
async fn set_password(tx: &mut Tx<'_>, member: &NewMember<'_>, hash: &str) -> Result<()> {
    let (tenant, row, now) = (member.tenant, member.row, member.now);
    let membership = store::identity::memberships::of_row_in(tx, tenant, row.id).await?;
    match membership {
        Some(Membership { reach: Reach::Account, account_id, .. }) => {
            set_account_password(tx, account_id, hash, now).await?;
            if member.setter == PasswordSetter::Owner {
                store::identity::memberships::password_is_the_owner_s(tx, account_id).await?;
            } else if member.setter == PasswordSetter::Administrator {
                link(tx, account_id, member, Reach::Account).await?;
            }
        }
        Some(_) => store::identity::accounts::set_password(tx, tenant, row.id, hash, now).await?,
        None => give_first_password(tx, member, hash).await?,
    }
    Ok(())
}

/// The first password of an account's row that is still an invitation: makes the account. If another account has the
/// address, the password is one of the row's own, because its owner has not agreed to anything here.
async fn give_first_password(tx: &mut Tx<'_>, member: &NewMember<'_>, hash: &str) -> Result<()> {
    let (tenant, row) = (member.tenant, member.row);
    let account = store::identity::accounts::by_email_in(tx, TenantId::INSTALLATION, &row.email).await?;
    match account {
        None => create_account(tx, member, hash).await.map(drop),
        Some(account) => {
            store::identity::accounts::set_password(tx, tenant, row.id, hash, member.now).await?;
            link(tx, account.id, member, Reach::Own).await
        }
    }
}

#[boxed::futures]
impl Accounts<'_> {
    pub async fn create(&self, caller: &dyn ActsFor, new: NewAccount) -> Result<Account> {
        let account = self.checked(caller.tenant(), &new).await?;
        let password_hash = match new.password {
            Some(password) => Some(self.hashed(password, &account).await?),
            None => None,
        };
        let (actor, tenant, setter) = (caller.audit_actor(), caller.tenant(), setter(caller));
        let creation = AccountCreation { actor, tenant, account, password_hash, setter };
        self.0.write_and_publish_credentials(creation, |tx, creation| Box::pin(insert(tx, creation))).await
    }

    /// Adds the account that has this address to a tenant, with its own password and without an invitation: for
    /// commands, which need no consent.
    pub async fn add(&self, caller: &Command, new: Invitation) -> Result<Account> {
        let new = NewAccount { email: new.email, name: new.name, role: new.role, password: None };
        let account = self.checked(caller.tenant(), &new).await?;
        let found = store::identity::accounts::by_email(self.0.db(), TenantId::INSTALLATION, &account.email).await?;
        let known = found.ok_or(Error::NotFound(Thing::Account))?.id;
        let (actor, tenant) = (caller.audit_actor(), caller.tenant());
        let (password_hash, setter) = (None, PasswordSetter::Command);
        let creation = AccountCreation { actor, tenant, account, password_hash, setter };
        self.0
            .write_and_publish_credentials((creation, known), |tx, (creation, known)| {
                Box::pin(insert_and_link(tx, creation, *known))
            })
            .await
    }

    /// Creates an account without a password, and a link with which its owner sets one, or joins the tenant with the
    /// account that has the address. The answer is the same in both cases.
    pub async fn invite(&self, caller: &dyn ActsFor, new: Invitation) -> Result<IssuedLink> {
        let new = NewAccount { email: new.email, name: new.name, role: new.role, password: None };
        let account = self.checked(caller.tenant(), &new).await?;
        let (actor, tenant, setter) = (caller.audit_actor(), caller.tenant(), setter(caller));
        let creation = AccountCreation { actor, tenant, account, password_hash: None, setter };
        let input = (self.0.clone(), creation);
        self.0
            .write_and_publish_credentials(input, |tx, (identity, input)| {
                Box::pin(insert_with_link(tx, identity, input))
            })
            .await
    }

    /// Creates an account for a person whom a provider of the tenant names for the first time.
    pub(crate) async fn create_for_provider(&self, tenant: TenantId, email: &str, role: Role) -> Result<Account> {
        let new = NewAccount { email: email.to_owned(), name: None, role, password: None };
        let account = self.checked(tenant, &new).await?;
        let (actor, password_hash, setter) = (Actor::system(), None, PasswordSetter::Command);
        let creation = AccountCreation { actor, tenant, account, password_hash, setter };
        self.0.write_and_publish_credentials(creation, |tx, creation| Box::pin(insert(tx, creation))).await
    }

    /// Checks the request and builds the account, without storing it.
    async fn checked(&self, tenant: TenantId, new: &NewAccount) -> Result<Account> {
        self.0.tenants().find(tenant).await?;
        let email = normalise_email(&new.email).map_err(|error| Error::invalid(Field::Email, error))?;
        check_role(new.role)?;
        let now = self.0.now().to_millis();
        let name = new.name.clone().unwrap_or_else(|| email.split('@').next().unwrap_or_default().to_owned());
        Ok(Account {
            id: Id::new(now),
            email,
            name: checked_name(&name)?,
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

    /// Lists the same accounts as `list`. Adds whether each has a password and when it last logged in here.
    pub async fn list_details(&self, caller: &dyn ActsFor) -> Result<Vec<AccountDetails>> {
        let (db, tenant) = (self.0.db(), caller.tenant());
        self.0.tenants().find(tenant).await?;
        let mut all = store::identity::accounts::list_details(db, tenant).await?;
        let standings = store::identity::memberships::standings(db, tenant).await?;
        let standings: HashMap<AccountId, MemberStanding> =
            standings.into_iter().map(|standing| (standing.membership_id, standing)).collect();
        for one in &mut all {
            if let Some(standing) = standings.get(&one.account.id) {
                (one.has_password, one.has_second_factor) = (standing.has_password, standing.has_second_factor);
            }
        }
        Ok(all)
    }

    /// Finds an account like `find`. Adds whether it has a password and when it last logged in here.
    pub async fn find_details(&self, caller: &dyn ActsFor, who: &str) -> Result<AccountDetails> {
        let account = self.find(caller, who).await?;
        let details = self.details(caller.tenant(), account.id).await?;
        details.ok_or(Error::NotFound(Thing::Account))
    }

    /// An account's row in a tenant, with what the account logs in with.
    pub(crate) async fn details(&self, tenant: TenantId, row: AccountId) -> Result<Option<AccountDetails>> {
        let db = self.0.db();
        let Some(mut details) = store::identity::accounts::details(db, tenant, row).await? else { return Ok(None) };
        let Holder { tenant: of, id } = self.0.memberships().holder(tenant, row).await?;
        if let Some(held) = store::identity::accounts::details(db, of, id).await? {
            (details.has_password, details.has_second_factor) = (held.has_password, held.has_second_factor);
        }
        Ok(Some(details))
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

    /// Changes the name by which the account's colleagues in this tenant know its owner.
    pub async fn rename(&self, caller: &dyn ActsFor, who: &str, name: &str) -> Result<Account> {
        self.save_edit(caller, who, AccountEdit::Name(checked_name(name)?)).await
    }

    /// Like `rename`, for the caller's own account.
    pub async fn rename_own(&self, caller: &dyn ActsFor, name: &str) -> Result<Account> {
        let own = caller.account().ok_or(Error::NotFound(Thing::Account))?;
        self.rename(caller, &own.id.to_string(), name).await
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

    /// Ends every legacy JWT and session of the account, but no API token: in all of its tenants, unless the caller's
    /// session is for one tenant alone.
    pub async fn log_out_everywhere(&self, caller: &dyn ActsFor, who: &str) -> Result<Account> {
        let account = self.find(caller, who).await?;
        let membership = if caller.principal().is_some() {
            self.0.sessions().acts_for_account(caller).await?
        } else {
            store::identity::memberships::of_row(self.0.db(), caller.tenant(), account.id).await?
        };
        let joined = membership.filter(|it| it.reach == Reach::Account && it.membership_id == account.id);
        let extent = joined.map_or(Extent::Tenant, |it| Extent::Account(it.account_id));
        self.save_edit(caller, who, AccountEdit::CredentialsEnded(extent)).await
    }

    async fn save_edit(&self, caller: &dyn ActsFor, who: &str, edit: AccountEdit) -> Result<Account> {
        self.save_edits(caller, who, vec![edit]).await
    }

    async fn save_edits(&self, caller: &dyn ActsFor, who: &str, changes: Vec<AccountEdit>) -> Result<Account> {
        let account = self.find(caller, who).await?;
        if changes.is_empty() {
            return Ok(account);
        }
        let (actor, tenant, id) = (caller.audit_actor(), caller.tenant(), account.id);
        let setter =
            if caller.account().is_some_and(|own| own.id == id) { PasswordSetter::Owner } else { setter(caller) };
        if setter == PasswordSetter::Administrator && changes.iter().any(|it| matches!(it, AccountEdit::Password(_))) {
            self.check_managed(tenant, id).await?;
        }
        let change = AccountChange { actor, tenant, account, setter, changes, now: self.0.now() };
        self.0.write_and_publish_credentials(change, |tx, change| Box::pin(apply(tx, change))).await?;
        let present = store::identity::accounts::by_id(self.0.db(), tenant, id).await?;
        present.ok_or(Error::NotFound(Thing::Account))
    }

    /// Refuses a tenant's administrator the password of an account that belongs to others too.
    async fn check_managed(&self, tenant: TenantId, row: AccountId) -> Result<()> {
        let membership = store::identity::memberships::of_row(self.0.db(), tenant, row).await?;
        if let Some(membership) = membership
            && !self.0.memberships().is_managed_by_tenant(&membership).await?
        {
            return Err(used_elsewhere());
        }
        Ok(())
    }

    /// Counts a failure of this address. Waits a second before it returns when the address has too many in a minute.
    pub(crate) async fn slow_down(&self, from: IpAddr) {
        if let Some(delay) = self.0.attempts().failed(from) {
            tokio::time::sleep(delay).await;
        }
    }

    /// Checks and hashes a new password of the account.
    async fn hashed(&self, password: String, account: &Account) -> Result<String> {
        check_new_password(&password, account).await?;
        self.0.hashing().hash(password).await
    }
}

const MAX_NAME_CHARACTERS: usize = 200;

/// The name of an account or a tenant, without spaces around it.
pub(crate) fn checked_name(name: &str) -> Result<String> {
    let name = name.trim();
    if !(1..=MAX_NAME_CHARACTERS).contains(&name.chars().count()) {
        return Err(Error::invalid(Field::Name, format!("expected 1 to {MAX_NAME_CHARACTERS} characters")));
    }
    Ok(name.to_owned())
}

fn setter(caller: &dyn ActsFor) -> PasswordSetter {
    if caller.principal().is_some() { PasswordSetter::Administrator } else { PasswordSetter::Command }
}

/// Checks a new password of the account.
pub(crate) async fn check_new_password(password: &str, account: &Account) -> Result<()> {
    check_password(Field::Password, password, &[&account.email, &account.name]).await
}

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
    account: Account,
    setter: PasswordSetter,
    changes: Vec<AccountEdit>,
    now: Timestamp,
}

/// An account's row to insert into a tenant.
#[derive(Debug)]
struct AccountCreation {
    actor: Actor,
    tenant: TenantId,
    account: Account,
    password_hash: Option<String>,
    setter: PasswordSetter,
}

async fn apply(tx: &mut Tx<'_>, change: &AccountChange) -> Result<()> {
    let AccountChange { actor, tenant, account, changes, now, .. } = change;
    if changes.iter().any(AccountEdit::ends_administration) {
        keep_an_administrator(tx, *tenant, account.id).await?;
    }
    for edit in changes {
        edit.apply(tx, change).await?;
        actor.record(tx, *tenant, *now, edit.action(), &account.id.to_string(), edit.details(account)).await?;
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

async fn insert(tx: &mut Tx<'_>, creation: &AccountCreation) -> Result<Account> {
    let AccountCreation { actor, tenant, account, password_hash, setter } = creation;
    store::identity::tenants::lock(tx, *tenant).await?;
    let used = u64::try_from(store::identity::accounts::count(tx, *tenant).await?).unwrap_or_default();
    if used >= MAX_MEMBERS {
        return Err(Error::LimitReached { limit: "accounts", used, max: MAX_MEMBERS });
    }
    let made = if store::identity::accounts::insert(tx, *tenant, account, "").await? {
        account.clone()
    } else {
        let revived = store::identity::accounts::revive(tx, *tenant, account, "").await?;
        let taken =
            || Error::conflict(Field::Email, format!("{} already has an account in this tenant", account.email));
        revived.ok_or_else(taken)?
    };
    let now = account.created_at;
    if let Some(hash) = password_hash {
        give_first_password(tx, &NewMember { tenant: *tenant, row: &made, setter: *setter, now }, hash).await?;
    }
    let details = serde_json::json!({"email": made.email, "role": made.role});
    actor.record(tx, *tenant, now, "account.create", &made.id.to_string(), details).await?;
    store::base::epochs::bump_credentials(tx).await?;
    Ok(made)
}

async fn insert_and_link(tx: &mut Tx<'_>, creation: &AccountCreation, known: AccountId) -> Result<Account> {
    let row = insert(tx, creation).await?;
    let AccountCreation { tenant, setter, .. } = creation;
    let member = NewMember { tenant: *tenant, row: &row, setter: *setter, now: row.created_at };
    link(tx, known, &member, Reach::Account).await?;
    Ok(row)
}

async fn insert_with_link(tx: &mut Tx<'_>, identity: &Identity, creation: &AccountCreation) -> Result<IssuedLink> {
    let AccountCreation { actor, tenant, .. } = creation;
    let account = insert(tx, creation).await?;
    let purpose = LinkPurpose::Invitation;
    let (code, link) = identity.one_time_links().fresh(*tenant, account.id, purpose)?;
    replace_link_and_record(tx, actor, *tenant, &link).await?;
    let account = AccountDetails { account, has_password: false, has_second_factor: false, last_log_in_at: None };
    Ok(IssuedLink { account, code, purpose, expires_at: link.expires_at })
}
