//! Memberships of accounts: where the password of a person is stored, which tenants a log-in enters, and how an account
//! gets a further tenant, or loses one.
//!
//! An account is a row of tenant 0, a membership its row in a tenant (`domain::identity::memberships`). Everything that
//! the gate checks for each request is in the row of the tenant: a change of the account's password is therefore
//! written to all of its memberships, in one transaction.
//!
//! Invariants: an administrator of one tenant changes neither password nor second factors of an account that belongs to
//! another tenant too, or that administers the installation; and a membership that an account's owner has not proven to
//! be theirs (`Reach::Own`) is neither entered nor listed with the account's password.

use std::net::IpAddr;

use domain::identity::accounts::Account;
use domain::identity::memberships::{AccessRefusal, Holder, MAX_TENANTS, Membership, NO_INSTALLATION_ROLE, Reach};
use domain::identity::roles::Role;
use domain::identity::second_factors::LogInMethod;
use domain::identity::tenants::Tenant;
use domain::{AccountId, Field, SessionId, TenantId, Timestamp};
use store::{BatchSize, Tx};

use crate::identity::Identity;
use crate::{Cause, Error, Result, Thing};

/// Most memberships of a deleted tenant that one transaction ends.
const BATCH: usize = 100;

#[derive(Debug)]
pub(crate) struct Memberships<'a>(&'a Identity);

impl Identity {
    pub(crate) fn memberships(&self) -> Memberships<'_> {
        Memberships(self)
    }
}

/// A tenant that the caller can choose, and what keeps the session from entering it.
#[derive(Debug)]
pub struct TenantChoice {
    pub tenant: Tenant,
    pub role: Role,
    pub current: bool,
    pub obstacle: Option<TenantObstacle>,
}

/// Why a session cannot enter a tenant of its account.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TenantObstacle {
    Suspended,
    Disabled,
    SingleSignOn,
    Network,
}

impl TenantObstacle {
    pub const fn name(self) -> &'static str {
        match self {
            Self::Suspended => "suspended",
            Self::Disabled => "disabled",
            Self::SingleSignOn => "single_sign_on",
            Self::Network => "network",
        }
    }

    /// The answer to a log-in or a switch that meets it.
    fn refusal(self) -> Error {
        match self {
            Self::Suspended => Error::TenantSuspended,
            Self::Disabled => Error::NotFound(Thing::Tenant),
            Self::SingleSignOn => Error::refused(
                Cause::SingleSignOnRequired,
                Field::Tenant,
                "this tenant requires single sign-on: log in through its identity provider",
            ),
            Self::Network => Error::refused(
                Cause::ConsoleNetworkDenied,
                Field::Tenant,
                "this tenant's console may not be used from this IP address",
            ),
        }
    }
}

impl Memberships<'_> {
    /// Where the password of an account's row in a tenant is stored.
    pub(crate) async fn holder(&self, tenant: TenantId, row: AccountId) -> Result<Holder> {
        let membership = store::identity::memberships::of_row(self.0.db(), tenant, row).await?;
        Ok(membership.map_or(Holder { tenant, id: row }, |membership| membership.holder()))
    }

    /// The account behind a holder; the holder itself for an invitation that is still open.
    pub(crate) async fn account_of(&self, holder: Holder) -> Result<AccountId> {
        if holder.is_account() {
            return Ok(holder.id);
        }
        let membership = store::identity::memberships::of_row(self.0.db(), holder.tenant, holder.id).await?;
        Ok(membership.map_or(holder.id, |membership| membership.account_id))
    }

    /// The memberships that sessions of the account's password enter.
    pub(crate) async fn joined(&self, account: AccountId) -> Result<Vec<Membership>> {
        let mut all = store::identity::memberships::of_account(self.0.db(), account).await?;
        all.retain(|membership| membership.reach == Reach::Account);
        Ok(all)
    }

    /// Whether an administrator of the membership's tenant may change what its account logs in with: a password of the
    /// membership's own; that of an account that enters no other tenant and does not administer the installation.
    pub(crate) async fn is_managed_by_tenant(&self, membership: &Membership) -> Result<bool> {
        if membership.reach == Reach::Own {
            return Ok(true);
        }
        let joined = self.joined(membership.account_id).await?;
        let account =
            store::identity::accounts::by_id(self.0.db(), TenantId::INSTALLATION, membership.account_id).await?;
        let is_ordinary = |account: &Account| account.is_active() && account.role != Role::Administrator;
        Ok(joined.len() == 1 && account.is_some_and(|account| is_ordinary(&account)))
    }

    /// What keeps a session that began like this from entering the tenant.
    pub(crate) async fn obstacle(
        &self,
        tenant: TenantId,
        method: LogInMethod,
        from: IpAddr,
    ) -> Result<Option<TenantObstacle>> {
        let found = store::identity::tenants::find(self.0.db(), tenant).await?;
        if found.is_none_or(|tenant| tenant.suspended_at.is_some()) {
            return Ok(Some(TenantObstacle::Suspended));
        }
        let access = store::identity::console_access::find(self.0.db(), tenant).await?;
        Ok(access.refusal(method, from).map(|refusal| match refusal {
            AccessRefusal::SingleSignOn => TenantObstacle::SingleSignOn,
            AccessRefusal::Network => TenantObstacle::Network,
        }))
    }

    /// Refuses a session that began like this where the tenant does not admit it.
    pub(crate) async fn check_access(&self, tenant: TenantId, method: LogInMethod, from: IpAddr) -> Result<()> {
        match self.obstacle(tenant, method, from).await? {
            Some(obstacle) => Err(obstacle.refusal()),
            None => Ok(()),
        }
    }

    /// The tenant that a log-in with a password enters, and the account's row there: of several, the one that was used
    /// last. `account` is the row of the holder.
    pub(crate) async fn entry(&self, holder: Holder, account: &Account, from: IpAddr) -> Result<(TenantId, Account)> {
        let owner = self.account_of(holder).await?;
        let owner = store::identity::accounts::by_id(self.0.db(), TenantId::INSTALLATION, owner).await?;
        if owner.is_some_and(|owner| !owner.is_active()) {
            return Err(Error::NotFound(Thing::Account));
        }
        if !holder.is_account() {
            self.check_access(holder.tenant, LogInMethod::Password, from).await?;
            return Ok((holder.tenant, account.clone()));
        }
        let mut memberships = self.joined(holder.id).await?;
        memberships.sort_by_key(|membership| (std::cmp::Reverse(membership.last_used_at), membership.member_of));
        let mut refusal = None;
        for membership in memberships {
            let tenant = membership.member_of;
            let row = store::identity::accounts::by_id(self.0.db(), tenant, membership.membership_id).await?;
            let Some(row) = row.filter(Account::is_active) else { continue };
            match self.obstacle(tenant, LogInMethod::Password, from).await? {
                None => return Ok((tenant, row)),
                Some(obstacle) => {
                    refusal.get_or_insert(obstacle);
                }
            }
        }
        Err(refusal.map_or(Error::NotFound(Thing::Account), TenantObstacle::refusal))
    }

    /// Ends all memberships of a tenant that is being deleted, and removes the accounts that belong to no other.
    pub(crate) async fn end_all_of(&self, tenant: TenantId) -> Result<()> {
        let mut size = BatchSize::new(self.0.db(), BATCH);
        loop {
            let input = (tenant, size.limit());
            let batch =
                self.0.db().write_timed(input, |tx, (tenant, limit)| Box::pin(end_memberships(tx, *tenant, *limit)));
            let (ended, took) = batch.await?;
            if ended == 0 {
                return Ok(());
            }
            size.record(took).await;
        }
    }

    /// Links an account's row in a tenant to the account with its address, because a provider of the tenant has named
    /// the person. False if the account is disabled.
    pub(crate) async fn link_at_provider(&self, tenant: TenantId, row: Account) -> Result<bool> {
        let input = (tenant, row, self.0.now());
        let link = self.0.db().write(input, |tx, (tenant, row, now)| {
            Box::pin(async move {
                let member = NewMember { tenant: *tenant, row, setter: PasswordSetter::Owner, now: *now };
                link_at_provider(tx, &member).await
            })
        });
        link.await
    }

    /// The tenants of an account, with what keeps a session that began like this from entering each.
    pub(crate) async fn choices(
        &self,
        account: AccountId,
        current: TenantId,
        method: LogInMethod,
        from: IpAddr,
    ) -> Result<Vec<TenantChoice>> {
        let mut choices = Vec::new();
        for membership in self.joined(account).await? {
            let id = membership.member_of;
            let row = store::identity::accounts::by_id(self.0.db(), id, membership.membership_id).await?;
            let row = row.filter(|row| row.removed_at.is_none());
            let (Some(row), Some(tenant)) = (row, store::identity::tenants::find(self.0.db(), id).await?) else {
                continue;
            };
            let obstacle =
                if row.disabled { Some(TenantObstacle::Disabled) } else { self.obstacle(id, method, from).await? };
            choices.push(TenantChoice { tenant, role: row.role, current: id == current, obstacle });
        }
        Ok(choices)
    }
}

/// The answer to an administrator who wants to change what an account logs in with that belongs to others too.
pub(crate) fn used_elsewhere() -> Error {
    Error::conflict(
        Field::Account,
        "this account is also used elsewhere: only its owner can change the password, or the installation's \
         administrator with a command",
    )
}

/// Who sets a password.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PasswordSetter {
    /// The person themself, with the present password or a link.
    Owner,
    /// An administrator of a tenant, who then knows it.
    Administrator,
    /// A command on the server's machine.
    Command,
}

/// An account's row in a tenant, as it gets linked to the account.
#[derive(Debug, Clone)]
pub(crate) struct NewMember<'a> {
    pub tenant: TenantId,
    pub row: &'a Account,
    pub setter: PasswordSetter,
    pub now: Timestamp,
}

/// Links an account to its row in a tenant.
pub(crate) async fn link(tx: &mut Tx<'_>, account: AccountId, member: &NewMember<'_>, reach: Reach) -> Result<()> {
    store::identity::accounts::lock(tx, TenantId::INSTALLATION, account).await?;
    let present = store::identity::memberships::of_account_in(tx, account).await?;
    let others = present.iter().filter(|it| it.member_of != member.tenant).count();
    let used = u64::try_from(others).unwrap_or(u64::MAX);
    if used >= MAX_TENANTS {
        return Err(Error::LimitReached { limit: "memberships", used, max: MAX_TENANTS });
    }
    let membership = Membership {
        account_id: account,
        member_of: member.tenant,
        membership_id: member.row.id,
        reach,
        password_by_administrator: reach == Reach::Account && member.setter == PasswordSetter::Administrator,
        created_at: member.now,
        last_used_at: Some(member.now),
    };
    Ok(store::identity::memberships::save(tx, &membership).await?)
}

/// Makes the account of a person who has none, with this password, and links it. The first administrator of the tenant
/// that the first start made administers the installation, if no account does.
pub(crate) async fn create_account(tx: &mut Tx<'_>, member: &NewMember<'_>, password_hash: &str) -> Result<AccountId> {
    let role = installation_role(tx, member).await?;
    let account = insert_account(tx, member, role, password_hash).await?;
    link(tx, account, member, Reach::Account).await?;
    Ok(account)
}

async fn insert_account(tx: &mut Tx<'_>, member: &NewMember<'_>, role: Role, password_hash: &str) -> Result<AccountId> {
    let account = Account {
        role,
        disabled: false,
        removed_at: None,
        password_version: 1,
        credential_version: 1,
        created_at: member.now.to_millis(),
        ..member.row.clone()
    };
    if !store::identity::accounts::insert(tx, TenantId::INSTALLATION, &account, password_hash).await? {
        return Err(Error::conflict(
            Field::Email,
            "another request has just created an account with this address; try again",
        ));
    }
    Ok(account.id)
}

/// Links the row of a person whom a provider of its tenant has named, if it is not linked yet. The account enters no
/// other tenant by that: the provider's word counts in its own tenant alone. Returns whether the account is active.
async fn link_at_provider(tx: &mut Tx<'_>, member: &NewMember<'_>) -> Result<bool> {
    let installation = TenantId::INSTALLATION;
    if let Some(present) = store::identity::memberships::of_row_in(tx, member.tenant, member.row.id).await? {
        let account = store::identity::accounts::by_id_in(tx, installation, present.account_id).await?;
        return Ok(account.is_some_and(|account| account.is_active()));
    }
    let account = store::identity::accounts::by_email_in(tx, installation, &member.row.email).await?;
    let (id, is_active) = match account {
        Some(account) => (account.id, account.is_active()),
        None => (insert_account(tx, member, NO_INSTALLATION_ROLE, "").await?, true),
    };
    link(tx, id, member, Reach::Own).await?;
    Ok(is_active)
}

/// Gives an account without a password its first one, and links it.
pub(crate) async fn claim_account(
    tx: &mut Tx<'_>,
    account: AccountId,
    member: &NewMember<'_>,
    password_hash: &str,
) -> Result<()> {
    let role = installation_role(tx, member).await?;
    if role == Role::Administrator {
        store::identity::accounts::set_role(tx, TenantId::INSTALLATION, account, role, member.now).await?;
    }
    set_account_password(tx, account, password_hash, member.now).await?;
    link(tx, account, member, Reach::Account).await
}

async fn installation_role(tx: &mut Tx<'_>, member: &NewMember<'_>) -> Result<Role> {
    let is_first = member.tenant == TenantId::FIRST && member.row.role == Role::Administrator;
    let installation = TenantId::INSTALLATION;
    if is_first && store::identity::accounts::administrators(tx, installation).await?.is_empty() {
        return Ok(Role::Administrator);
    }
    Ok(NO_INSTALLATION_ROLE)
}

/// Sets the password of an account. Unless it is the first one, ends the tokens, legacy JWTs and sessions of its
/// memberships.
pub(crate) async fn set_account_password(
    tx: &mut Tx<'_>,
    account: AccountId,
    password_hash: &str,
    now: Timestamp,
) -> Result<()> {
    let installation = TenantId::INSTALLATION;
    let before = store::identity::accounts::for_log_in_by_id_in(tx, installation, account).await?;
    let is_first = before.is_none_or(|account| account.password_hash.is_empty());
    store::identity::accounts::set_password(tx, installation, account, password_hash, now).await?;
    store::identity::one_time_links::end_all(tx, installation, account).await?;
    for membership in joined_in(tx, account).await? {
        let (tenant, row) = (membership.member_of, membership.membership_id);
        if !is_first {
            store::identity::accounts::end_with_password(tx, tenant, row, now).await?;
        }
        store::identity::one_time_links::end_all(tx, tenant, row).await?;
    }
    Ok(())
}

/// Ends the log-ins that wait, the sessions and the legacy JWTs of an account in all tenants that its password enters.
pub(crate) async fn end_credentials_everywhere(tx: &mut Tx<'_>, account: AccountId, now: Timestamp) -> Result<()> {
    store::identity::accounts::end_credentials(tx, TenantId::INSTALLATION, account, now).await?;
    for membership in joined_in(tx, account).await? {
        store::identity::accounts::end_credentials(tx, membership.member_of, membership.membership_id, now).await?;
    }
    Ok(())
}

pub(crate) async fn joined_in(tx: &mut Tx<'_>, account: AccountId) -> Result<Vec<Membership>> {
    let mut all = store::identity::memberships::of_account_in(tx, account).await?;
    all.retain(|membership| membership.reach == Reach::Account);
    Ok(all)
}

/// Joins a membership that had a separate log-in to its account: from now on the account's password enters it, and
/// its own password and factors are gone. Its tokens stay. Its sessions end, because they would reach the account's
/// other tenants from now on, and may be those of another person; `kept` is the session that has proven the account.
pub(crate) async fn join(
    tx: &mut Tx<'_>,
    membership: &Membership,
    kept: Option<SessionId>,
    now: Timestamp,
) -> Result<()> {
    let (tenant, row) = (membership.member_of, membership.membership_id);
    store::identity::memberships::set_reach(tx, membership.account_id, tenant, Reach::Account).await?;
    store::identity::accounts::forget_password(tx, tenant, row, now).await?;
    store::identity::second_factors::remove_all(tx, tenant, row).await?;
    let kept = kept.unwrap_or(SessionId::from_bytes([0; 12]));
    store::identity::sessions::end_others(tx, tenant, row, kept).await?;
    Ok(store::identity::one_time_links::end_all(tx, tenant, row).await?)
}

/// Ends at most `limit` memberships of a tenant, and returns how many.
pub(crate) async fn end_memberships(tx: &mut Tx<'_>, tenant: TenantId, limit: i64) -> store::Result<u64> {
    let mut ended = 0;
    for membership in store::identity::memberships::of_tenant(tx, tenant, limit).await? {
        unlink(tx, tenant, membership.membership_id).await?;
        ended += 1;
    }
    Ok(ended)
}

/// Ends a membership. An account without a further one goes with it, unless it administers the installation.
pub(crate) async fn unlink(tx: &mut Tx<'_>, tenant: TenantId, row: AccountId) -> store::Result<()> {
    let Some(membership) = store::identity::memberships::of_row_in(tx, tenant, row).await? else { return Ok(()) };
    let account = membership.account_id;
    store::identity::memberships::remove(tx, account, tenant).await?;
    if !store::identity::memberships::of_account_in(tx, account).await?.is_empty() {
        return Ok(());
    }
    let installation = TenantId::INSTALLATION;
    let found = store::identity::accounts::by_id_in(tx, installation, account).await?;
    if found.is_some_and(|account| account.role != Role::Administrator) {
        store::identity::second_factors::remove_all(tx, installation, account).await?;
        store::identity::one_time_links::end_all(tx, installation, account).await?;
        store::identity::accounts::delete(tx, installation, account).await?;
    }
    Ok(())
}
