//! One-time links: the owner of an account sets its password with a code. An administrator, a command, the first start
//! or a request for a lost password creates the code.
//!
//! A code works once, within a day. Only its hash is stored. An unknown, a used, a replaced and an expired code get the
//! same answer, and failures of one address are slowed down like failed log-ins. Setting the first password of an
//! account ends nothing; setting a later one ends tokens and sessions (`store::identity::accounts::set_password`).

mod mail;

use std::net::IpAddr;

use domain::identity::accounts::AccountDetails;
use domain::identity::one_time_links::{
    CodeHash, FreshCode, LIFETIME_SECONDS, LinkPurpose, OneTimeLink, PresentedCode,
};
use domain::{AccountId, Field, TenantId, Timestamp};
use store::Tx;

pub use mail::MailOutcome;

use crate::identity::Identity;
use crate::identity::log_in::{LogInSource, LogInStep, VerifiedPassword};
use crate::{Actor, ActsFor, Cause, Error, Fault, Result};

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

/// The link of a presented code, and its account.
#[derive(Debug)]
struct FoundLink {
    tenant: TenantId,
    link: OneTimeLink,
    account: AccountDetails,
}

#[derive(Debug)]
struct Redemption {
    actor: Actor,
    tenant: TenantId,
    account: AccountId,
    purpose: LinkPurpose,
    code_hash: CodeHash,
    password_hash: String,
    now: Timestamp,
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

    /// Makes a link for an account: to reset its password, or to set its first one. Replaces an earlier link of the
    /// same purpose.
    pub async fn issue(&self, caller: &dyn ActsFor, who: &str) -> Result<IssuedLink> {
        let account = self.0.accounts().find_details(caller, who).await?;
        if account.account.disabled {
            return Err(Error::conflict(Field::Account, "is disabled"));
        }
        self.issue_for(caller.audit_actor(), caller.tenant(), account).await
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
            name: account.account.name,
            tenant_name: self.0.tenants().find(tenant).await?.name,
            expires_at: link.expires_at,
        })
    }

    /// Sets the password, ends every link of the account, this one included, and logs in: an account with a second
    /// factor is still asked for it.
    pub async fn redeem(&self, code: &str, password: String, source: &LogInSource) -> Result<LogInStep> {
        let FoundLink { tenant, link, account } = self.find(code, source.address).await?;
        let password_hash = self.0.accounts().hashed(password, &account.account).await?;
        let account = account.account.id;
        let redemption = Redemption {
            actor: source.actor(account),
            tenant,
            account,
            purpose: link.purpose,
            code_hash: link.hash,
            password_hash,
            now: self.0.now(),
        };
        self.0.write_and_publish_credentials(redemption, |tx, redemption| Box::pin(redeem(tx, redemption))).await?;
        let account = store::identity::accounts::by_id(self.0.db(), tenant, account).await?.ok_or_else(ended)?;
        let factors = self.0.second_factors().of_account(tenant, account.id).await?;
        self.0.sessions().after_password(source, VerifiedPassword { tenant, account, factors }).await
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
) -> store::Result<()> {
    store::identity::one_time_links::replace(tx, tenant, link).await?;
    let details = serde_json::json!({ "purpose": link.purpose });
    actor.record(tx, tenant, link.created_at, "link.create", &link.account_id.to_string(), details).await
}

async fn redeem(tx: &mut Tx<'_>, redemption: &Redemption) -> Result<()> {
    let Redemption { actor, tenant, account, purpose, code_hash, password_hash, now } = redemption;
    if !store::identity::one_time_links::take(tx, *tenant, *account, *purpose, code_hash, *now).await? {
        return Err(ended());
    }
    store::identity::accounts::set_password(tx, *tenant, *account, password_hash, *now).await?;
    store::identity::one_time_links::end_all(tx, *tenant, *account).await?;
    let (subject, details) = (account.to_string(), serde_json::json!({ "purpose": purpose }));
    actor.record(tx, *tenant, *now, "link.redeem", &subject, details).await?;
    actor.record(tx, *tenant, *now, "account.set_password", &subject, serde_json::json!({})).await?;
    Ok(store::base::epochs::bump_credentials(tx).await?)
}
