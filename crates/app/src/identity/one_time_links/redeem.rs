//! Using a one-time link: the owner of an account sets its password, or joins a tenant with the account they have.

use std::net::IpAddr;

use domain::identity::accounts::Account;
use domain::identity::memberships::{Holder, Membership, Reach};
use domain::identity::one_time_links::{CodeHash, LinkPurpose};
use domain::identity::roles::Role;
use domain::{AccountId, Field, TenantId, Timestamp};
use store::Tx;
use store::identity::accounts::LogInCandidate;

use super::{FoundLink, OneTimeLinks, ended};
use crate::identity::accounts::check_new_password;
use crate::identity::log_in::{LogInSource, LogInStep, VerifiedPassword};
use crate::identity::memberships::{
    NewMember, PasswordSetter, claim_account, create_account, join, joined_in, link, set_account_password,
};
use crate::{Actor, ActsFor, Cause, Error, Result};

/// What a link is good for.
#[derive(Debug)]
enum LinkUse {
    Set(PasswordFor),
    /// The address has an account with a password: its owner joins the tenant.
    Join(Box<LogInCandidate>),
}

/// Which password a link sets.
#[derive(Debug, Clone, Copy)]
enum PasswordFor {
    /// That of an account, or of a membership with its own.
    Holder(Holder),
    /// The first one of an account that has none and enters no tenant with one.
    Claimed(AccountId),
    NewAccount,
}

#[derive(Debug)]
struct Redemption {
    source: LogInSource,
    tenant: TenantId,
    /// The account's row there.
    row: Account,
    purpose: LinkPurpose,
    code_hash: CodeHash,
    password: PasswordFor,
    password_hash: String,
    now: Timestamp,
}

/// An account joins a tenant by its link.
#[derive(Debug)]
struct Acceptance {
    actor: Actor,
    tenant: TenantId,
    row: Account,
    purpose: LinkPurpose,
    code_hash: CodeHash,
    account: AccountId,
    now: Timestamp,
}

#[boxed::futures]
impl OneTimeLinks<'_> {
    /// Uses a link and logs in: an account with a second factor is still asked for it. Sets the password, unless the
    /// address has an account with one: then it must be that account's password, and the account joins the tenant. Ends
    /// every link of the account, this one included. The password is checked in both cases before the account is looked
    /// at, so that a link tells little about the address.
    pub async fn redeem(&self, code: &str, password: String, source: &LogInSource) -> Result<LogInStep> {
        let found = self.find(code, source.address).await?;
        let row = &found.account.account;
        check_new_password(&password, row).await?;
        match self.link_use(&found).await? {
            LinkUse::Set(password_for) => self.set_password(&found, password_for, password, source).await,
            LinkUse::Join(account) => self.join_by_password(&found, *account, &password, source).await,
        }
    }

    /// Adds the tenant of a link to the account of the caller, whose session began with the account's password. Returns
    /// the tenant.
    pub async fn accept(&self, caller: &dyn ActsFor, code: &str, from: IpAddr) -> Result<TenantId> {
        let Some(present) = self.0.sessions().acts_for_account(caller).await? else {
            return Err(Error::conflict(Field::Session, "log in with your account's password first"));
        };
        let found = self.find(code, from).await?;
        if caller.email().as_deref() != Some(found.account.account.email.as_str()) {
            return Err(Error::conflict(Field::Code, "this link is for another e-mail address"));
        }
        let LinkUse::Join(_) = self.link_use(&found).await? else { return Err(ended()) };
        self.check_own_password(present.account_id).await?;
        // In the log of this tenant the person has this tenant's id.
        let row = found.account.account.id;
        let actor = Actor::new(format!("account:{row}"), Some(from.to_canonical().to_string()), None);
        self.write_acceptance(&found, present.account_id, actor).await?;
        Ok(found.tenant)
    }

    async fn link_use(&self, found: &FoundLink) -> Result<LinkUse> {
        let (db, tenant, row) = (self.0.db(), found.tenant, &found.account.account);
        if tenant == TenantId::INSTALLATION {
            return Ok(LinkUse::Set(PasswordFor::Holder(Holder::account(row.id))));
        }
        // The account is read before the membership: another use of this link creates both at once, and a membership
        // that was not there yet must not meet its account.
        let account = store::identity::accounts::for_log_in_by_email(db, TenantId::INSTALLATION, &row.email).await?;
        let membership = store::identity::memberships::of_row(db, tenant, row.id).await?;
        if let Some(membership) = membership.filter(|it| it.reach == Reach::Account || found.account.has_password) {
            // The account may have joined another tenant since the link was made.
            let may = self.0.memberships().is_managed_by_tenant(&membership).await?;
            let holder = PasswordFor::Holder(membership.holder());
            return if may { Ok(LinkUse::Set(holder)) } else { Err(ended()) };
        }
        let Some(account) = account else { return Ok(LinkUse::Set(PasswordFor::NewAccount)) };
        if !account.account.is_active() {
            return Err(ended());
        }
        if !account.password_hash.is_empty() {
            return Ok(LinkUse::Join(Box::new(account)));
        }
        let id = account.account.id;
        let enters_others = !self.0.memberships().joined(id).await?.is_empty();
        if enters_others || account.account.role == Role::Administrator {
            return Err(ended());
        }
        Ok(LinkUse::Set(PasswordFor::Claimed(id)))
    }

    async fn set_password(
        &self,
        found: &FoundLink,
        password_for: PasswordFor,
        password: String,
        source: &LogInSource,
    ) -> Result<LogInStep> {
        let row = found.account.account.clone();
        let password_hash = self.0.hashing().hash(password).await?;
        let redemption = Redemption {
            source: source.clone(),
            tenant: found.tenant,
            row,
            purpose: found.link.purpose,
            code_hash: found.link.hash,
            password: password_for,
            password_hash,
            now: self.0.now(),
        };
        let write = self.0.write_and_publish_credentials(redemption, |tx, it| Box::pin(write_redemption(tx, it)));
        let holder = write.await?;
        let account = store::identity::accounts::by_id(self.0.db(), holder.tenant, holder.id).await?;
        let account = account.ok_or_else(ended)?;
        let factors = self.0.second_factors().of_holder(holder).await?;
        self.0.sessions().after_password(source, VerifiedPassword { holder, account, factors }).await
    }

    async fn join_by_password(
        &self,
        found: &FoundLink,
        account: LogInCandidate,
        password: &str,
        source: &LogInSource,
    ) -> Result<LogInStep> {
        let id = account.account.id;
        let Some(verified) = self.0.accounts().log_in_to(account, password, source).await? else {
            return Err(Error::refused(
                Cause::LogInFailed,
                Field::Password,
                "this address already has an account, and this is not its password",
            ));
        };
        self.check_own_password(id).await?;
        self.write_acceptance(found, id, source.actor(found.account.account.id)).await?;
        self.0.sessions().after_password(source, verified).await
    }

    /// An account whose password an administrator of a tenant chose joins no other tenant with it: the administrator
    /// could log in there.
    async fn check_own_password(&self, account: AccountId) -> Result<()> {
        let all = store::identity::memberships::of_account(self.0.db(), account).await?;
        if all.iter().any(|membership| membership.password_by_administrator) {
            let message = "an administrator chose your current password: log in, change it, and open the link again";
            return Err(Error::conflict(Field::Password, message));
        }
        Ok(())
    }

    async fn write_acceptance(&self, found: &FoundLink, account: AccountId, actor: Actor) -> Result<()> {
        let acceptance = Acceptance {
            actor,
            tenant: found.tenant,
            row: found.account.account.clone(),
            purpose: found.link.purpose,
            code_hash: found.link.hash,
            account,
            now: self.0.now(),
        };
        self.0.write_and_publish_credentials(acceptance, |tx, it| Box::pin(write_acceptance(tx, it))).await
    }
}

/// Returns where the password is stored.
async fn write_redemption(tx: &mut Tx<'_>, redemption: &Redemption) -> Result<Holder> {
    let Redemption { source, tenant, row, purpose, code_hash, password, password_hash, now } = redemption;
    if !store::identity::one_time_links::take(tx, *tenant, row.id, *purpose, code_hash, *now).await? {
        return Err(ended());
    }
    let member = NewMember { tenant: *tenant, row, setter: PasswordSetter::Owner, now: *now };
    let holder = match password {
        PasswordFor::NewAccount => Holder::account(create_account(tx, &member, password_hash).await?),
        PasswordFor::Claimed(account) => {
            claim_account(tx, *account, &member, password_hash).await?;
            Holder::account(*account)
        }
        PasswordFor::Holder(holder) => {
            replace_password(tx, *tenant, *holder, password_hash, *now).await?;
            *holder
        }
    };
    store::identity::one_time_links::end_all(tx, *tenant, row.id).await?;
    for (tenant, row) in recorded_rows(tx, *tenant, row.id).await? {
        let (actor, subject) = (source.actor(row), row.to_string());
        let details = serde_json::json!({ "purpose": purpose });
        actor.record(tx, tenant, *now, "link.redeem", &subject, details).await?;
        actor.record(tx, tenant, *now, "account.set_password", &subject, serde_json::json!({})).await?;
    }
    store::base::epochs::bump_credentials(tx).await?;
    Ok(holder)
}

async fn replace_password(
    tx: &mut Tx<'_>,
    tenant: TenantId,
    holder: Holder,
    password_hash: &str,
    now: Timestamp,
) -> Result<()> {
    if !holder.is_account() {
        return Ok(store::identity::accounts::set_password(tx, holder.tenant, holder.id, password_hash, now).await?);
    }
    let memberships = store::identity::memberships::of_account_in(tx, holder.id).await?;
    let is_of_account = tenant == TenantId::INSTALLATION;
    if !is_of_account && memberships.iter().filter(|it| it.reach == Reach::Account).count() > 1 {
        return Err(ended());
    }
    set_account_password(tx, holder.id, password_hash, now).await?;
    store::identity::memberships::password_is_the_owner_s(tx, holder.id).await?;
    if is_of_account {
        join_without_factors(tx, &memberships, now).await?;
    }
    Ok(())
}

/// The owner of the address has chosen one password: it replaces those of memberships with one of their own. Those with
/// a second factor stay, because the person has not shown it.
async fn join_without_factors(tx: &mut Tx<'_>, memberships: &[Membership], now: Timestamp) -> Result<()> {
    for membership in memberships.iter().filter(|it| it.reach == Reach::Own) {
        let Holder { tenant, id } = membership.holder();
        let has_factor = store::identity::second_factors::totp_in(tx, tenant, id).await?.is_some()
            || !store::identity::second_factors::passkeys_in(tx, tenant, id).await?.is_empty();
        if !has_factor {
            join(tx, membership, None, now).await?;
        }
    }
    Ok(())
}

/// The rows whose tenants record the use of a link: that of the link, or all of the account.
async fn recorded_rows(tx: &mut Tx<'_>, tenant: TenantId, row: AccountId) -> Result<Vec<(TenantId, AccountId)>> {
    if tenant != TenantId::INSTALLATION {
        return Ok(vec![(tenant, row)]);
    }
    Ok(joined_in(tx, row).await?.iter().map(|it| (it.member_of, it.membership_id)).collect())
}

async fn write_acceptance(tx: &mut Tx<'_>, acceptance: &Acceptance) -> Result<()> {
    let Acceptance { actor, tenant, row, purpose, code_hash, account, now } = acceptance;
    if !store::identity::one_time_links::take(tx, *tenant, row.id, *purpose, code_hash, *now).await? {
        return Err(ended());
    }
    let member = NewMember { tenant: *tenant, row, setter: PasswordSetter::Owner, now: *now };
    link(tx, *account, &member, Reach::Account).await?;
    store::identity::one_time_links::end_all(tx, *tenant, row.id).await?;
    let (subject, details) = (row.id.to_string(), serde_json::json!({ "purpose": purpose }));
    actor.record(tx, *tenant, *now, "link.redeem", &subject, details).await?;
    Ok(store::base::epochs::bump_credentials(tx).await?)
}
