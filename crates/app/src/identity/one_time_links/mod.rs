//! One-time links: the owner of an account sets its password with a code. An administrator, a command, the first start
//! or a request for a lost password creates the code.
//!
//! A code works once, within a day. Only its hash is stored. An unknown, a used, a replaced and an expired code get the
//! same answer, and failures of one address are slowed down like failed log-ins. Setting the first password of an
//! account ends nothing; setting a later one ends tokens and sessions (`memberships.rs`).
//!
//! A link of a tenant is in the hands of the tenant's administrators too. So it never changes the password of an
//! account that belongs to another tenant: an invited person who has an account joins with that account's password
//! (`redeem.rs`). Links of the account itself are rows of tenant 0: they are mailed to its address, or made by a
//! command.

mod mail;
mod redeem;

use std::net::IpAddr;

use domain::identity::accounts::AccountDetails;
use domain::identity::memberships::{MAX_OPEN_INVITATIONS, Reach};
use domain::identity::one_time_links::{FreshCode, LIFETIME_SECONDS, LinkPurpose, OneTimeLink, PresentedCode};
use domain::{AccountId, Field, TenantId, Timestamp};
use store::Tx;

use crate::identity::Identity;
use crate::identity::memberships::{joined_in, used_elsewhere};
use crate::{Actor, ActsFor, Cause, Error, Fault, Result, Thing};

#[derive(Debug)]
pub struct OneTimeLinks<'a>(&'a Identity);

impl Identity {
    pub fn one_time_links(&self) -> OneTimeLinks<'_> {
        OneTimeLinks(self)
    }
}

/// A new link. Only here is its code available.
#[derive(Debug)]
pub struct IssuedLink {
    pub account: AccountDetails,
    pub code: FreshCode,
    pub purpose: LinkPurpose,
    pub expires_at: Timestamp,
}

/// What the page shows to a person before the link is used.
#[derive(Debug)]
pub struct LinkView {
    pub purpose: LinkPurpose,
    pub email: String,
    pub name: String,
    pub tenant_name: String,
    pub expires_at: Timestamp,
}

/// What names the installation where an account belongs to several tenants.
const INSTALLATION_NAME: &str = "Switchboard";

/// The link of a presented code, and the row of its account in the tenant, or in the installation.
#[derive(Debug)]
struct FoundLink {
    tenant: TenantId,
    link: OneTimeLink,
    account: AccountDetails,
}

#[boxed::futures]
impl OneTimeLinks<'_> {
    /// Makes a new code and the row of its link. Stores nothing.
    pub(crate) fn fresh(
        &self,
        tenant: TenantId,
        account: AccountId,
        purpose: LinkPurpose,
    ) -> Result<(FreshCode, OneTimeLink)> {
        let key = self.0.keys().session.first().ok_or(Error::Fault(Fault::NoKey))?;
        let created_at = self.0.now().to_millis();
        let code = FreshCode::generate(tenant, account, purpose);
        let link = OneTimeLink {
            account_id: account,
            purpose,
            hash: code.hash(key),
            created_at,
            expires_at: created_at.plus_seconds(LIFETIME_SECONDS),
        };
        Ok((code, link))
    }

    /// Makes a link for an account: to reset its password, or to set its first one. Replaces an earlier link for the
    /// same. The password of an account that belongs to other tenants too is reset by a command alone.
    pub async fn issue(&self, caller: &dyn ActsFor, who: &str) -> Result<IssuedLink> {
        let account = self.0.accounts().find_details(caller, who).await?;
        if account.account.disabled {
            return Err(Error::conflict(Field::Account, "is disabled"));
        }
        let (actor, tenant) = (caller.audit_actor(), caller.tenant());
        let membership = store::identity::memberships::of_row(self.0.db(), tenant, account.account.id).await?;
        let Some(membership) = membership.filter(|it| it.reach == Reach::Account) else {
            return self.issue_for(actor, tenant, account).await;
        };
        if self.0.memberships().is_managed_by_tenant(&membership).await? {
            return self.issue_for(actor, tenant, account).await;
        }
        if caller.principal().is_some() {
            return Err(used_elsewhere());
        }
        let (db, installation) = (self.0.db(), TenantId::INSTALLATION);
        let of_account = store::identity::accounts::details(db, installation, membership.account_id).await?;
        let of_account = of_account.ok_or(Error::NotFound(Thing::Account))?;
        let issued = self.issue_for(actor, installation, of_account).await?;
        Ok(IssuedLink { account, ..issued })
    }

    async fn issue_for(&self, actor: Actor, tenant: TenantId, account: AccountDetails) -> Result<IssuedLink> {
        let purpose = if account.has_password { LinkPurpose::Reset } else { LinkPurpose::Setup };
        let (code, link) = self.fresh(tenant, account.account.id, purpose)?;
        let expires_at = link.expires_at;
        let write = self.0.db().write((actor, tenant, link), |tx, (actor, tenant, link)| {
            Box::pin(replace_link_and_record(tx, actor, *tenant, link))
        });
        write.await?;
        Ok(IssuedLink { account, code, purpose, expires_at })
    }

    /// Shows what a code is for. Changes nothing.
    pub async fn inspect(&self, code: &str, from: IpAddr) -> Result<LinkView> {
        let FoundLink { tenant, link, account } = self.find(code, from).await?;
        Ok(LinkView {
            purpose: link.purpose,
            email: account.account.email,
            tenant_name: self.place_name(tenant, account.account.id).await?,
            name: account.account.name,
            expires_at: link.expires_at,
        })
    }

    /// The name of the tenant that a link is for; for a link of the account, that of its only tenant.
    async fn place_name(&self, tenant: TenantId, account: AccountId) -> Result<String> {
        if tenant != TenantId::INSTALLATION {
            return Ok(self.0.tenants().find(tenant).await?.name);
        }
        match self.0.memberships().joined(account).await?.as_slice() {
            [only] => Ok(self.0.tenants().find(only.member_of).await?.name),
            _ => Ok(INSTALLATION_NAME.to_owned()),
        }
    }

    /// Finds the link of a code, if both are valid. Otherwise counts a failure of the address, which may delay the
    /// answer.
    async fn find(&self, code: &str, from: IpAddr) -> Result<FoundLink> {
        if let Some(presented) = PresentedCode::parse(code)
            && let Some(found) = self.look_up(&presented).await?
        {
            return Ok(found);
        }
        self.0.accounts().slow_down(from).await;
        Err(ended())
    }

    async fn look_up(&self, code: &PresentedCode<'_>) -> Result<Option<FoundLink>> {
        let PresentedCode { tenant, account, purpose, .. } = *code;
        let Some(link) = store::identity::one_time_links::find(self.0.db(), tenant, account, purpose).await? else {
            return Ok(None);
        };
        let fits = self.0.keys().session.iter().any(|key| code.matches(&link.hash, key));
        if !fits || link.expires_at <= self.0.now() {
            return Ok(None);
        }
        let account = store::identity::accounts::details(self.0.db(), tenant, account).await?;
        let account = account.filter(|it| it.account.is_active());
        Ok(account.map(|account| FoundLink { tenant, link, account }))
    }

    /// Deletes links that have expired.
    pub async fn sweep(&self) -> Result<()> {
        let now = self.0.now();
        let sweep =
            self.0.db().write(now, |tx, now: &Timestamp| Box::pin(store::identity::one_time_links::sweep(tx, *now)));
        sweep.await?;
        Ok(())
    }
}

fn ended() -> Error {
    Error::refused(
        Cause::LinkEnded,
        Field::Code,
        "the link was already used, was replaced or has expired; ask for a new one",
    )
}

pub(crate) async fn replace_link_and_record(
    tx: &mut Tx<'_>,
    actor: &Actor,
    tenant: TenantId,
    link: &OneTimeLink,
) -> Result<()> {
    store::identity::one_time_links::replace(tx, tenant, link).await?;
    check_open_invitations(tx, tenant, link).await?;
    if link.purpose == LinkPurpose::Reset {
        end_other_resets(tx, tenant, link.account_id).await?;
    }
    let details = serde_json::json!({ "purpose": link.purpose });
    Ok(actor.record(tx, tenant, link.created_at, "link.create", &link.account_id.to_string(), details).await?)
}

/// Refuses a link with which a tenant has more open invitations than it may have. A link that replaces one adds none.
async fn check_open_invitations(tx: &mut Tx<'_>, tenant: TenantId, link: &OneTimeLink) -> Result<()> {
    if link.purpose == LinkPurpose::Reset || tenant == TenantId::INSTALLATION {
        return Ok(());
    }
    store::identity::tenants::lock(tx, tenant).await?;
    let open = store::identity::one_time_links::count_invitations(tx, tenant, link.created_at).await?;
    let used = u64::try_from(open - 1).unwrap_or_default();
    if used >= MAX_OPEN_INVITATIONS {
        return Err(Error::LimitReached { limit: "invitations", used, max: MAX_OPEN_INVITATIONS });
    }
    Ok(())
}

/// Ends the links that reset the same password: it belongs to the account, and both the account and a tenant have links
/// for it.
async fn end_other_resets(tx: &mut Tx<'_>, tenant: TenantId, row: AccountId) -> Result<()> {
    let others: Vec<(TenantId, AccountId)> = if tenant == TenantId::INSTALLATION {
        let joined = joined_in(tx, row).await?;
        joined.iter().map(|membership| (membership.member_of, membership.membership_id)).collect()
    } else {
        let membership = store::identity::memberships::of_row_in(tx, tenant, row).await?;
        let joined = membership.filter(|membership| membership.reach == Reach::Account);
        joined.iter().map(|membership| (TenantId::INSTALLATION, membership.account_id)).collect()
    };
    for (tenant, row) in others {
        store::identity::one_time_links::end(tx, tenant, row, LinkPurpose::Reset).await?;
    }
    Ok(())
}
