//! One-time links by mail: to a person whom an administrator invites or gives a new link, and to a person who lost the
//! password. If a mail cannot be sent, that is reported, and the link works nevertheless.

use channels::mail::Mail;
use domain::identity::accounts::{Account, AccountDetails};
use domain::identity::mails::{MailKind, MailLimit, mailable_name};
use domain::identity::memberships::Reach;
use domain::identity::one_time_links::LinkPurpose;
use domain::{Field, TenantId};

use super::{IssuedLink, OneTimeLinks};
use crate::identity::Identity;
use crate::identity::log_in::LogInSource;
use crate::identity::mails::MailOutcome;
use crate::{Actor, ActsFor, Error, Result};

/// Seconds in which an account gets at most one mail for a lost password, even if several requests ask for it.
const PAUSE_SECONDS: i64 = 60;

#[boxed::futures]
impl OneTimeLinks<'_> {
    /// Whether a person who lost the password can get a link by mail.
    pub fn are_mailed(&self) -> bool {
        self.0.mailer().is_some()
    }

    /// Sends a new link to the owner of its account by mail.
    pub async fn mail(&self, caller: &dyn ActsFor, issued: &IssuedLink, public_url: &str) -> Result<MailOutcome> {
        if !self.are_mailed() {
            return Ok(MailOutcome::NotConfigured);
        }
        let account = &issued.account.account;
        if let Some(limit) = self.0.mails().count(caller.tenant(), MailKind::Link, &account.email).await? {
            return Ok(MailOutcome::Failed(limit.to_string()));
        }
        let tenant_name = self.place_name(caller.tenant(), account.id).await?;
        Ok(send(self.0, issued, &tenant_name, public_url).await)
    }

    /// Sends a link to the owner of the account with this address, if it is active and has a password. The work is done
    /// after the answer, so the answer is the same and takes the same time whether or not there is such an account.
    pub async fn reset_by_mail(&self, email: &str, source: &LogInSource, public_url: &str) -> Result<()> {
        if !self.are_mailed() {
            return Err(Error::conflict(
                Field::Email,
                "this server does not send mail: ask an administrator for a link",
            ));
        }
        // Every request counts as a failure, since the answer must not show whether there is an account.
        self.0.accounts().slow_down(source.address).await;
        let identity = self.0.clone();
        let (email, public_url) = (email.trim().to_lowercase(), public_url.to_owned());
        let address = source.address.to_canonical().to_string();
        let actor = Actor::new("system".to_owned(), Some(address), source.request_id.clone());
        tokio::spawn(async move {
            if let Err(error) = mail_resets(&identity, &actor, &email, &public_url).await {
                tracing::error!(%error, "links for a lost password could not be made");
            }
        });
        Ok(())
    }
}

/// A password that a person may have lost.
#[derive(Debug)]
struct LostPassword {
    /// Where it is stored: in the tenant, or in the installation.
    tenant: TenantId,
    account: AccountDetails,
    /// The tenants that the password enters. The mail counts as one of theirs.
    enters: Vec<TenantId>,
}

/// The passwords that a person with this address may have lost: that of the account; where it has none, those of its
/// memberships with one of their own. An account without a password is not set up yet, or has no log-in: its
/// administrator decides on links.
async fn lost_passwords(identity: &Identity, email: &str) -> Result<Vec<LostPassword>> {
    let (db, installation) = (identity.db(), TenantId::INSTALLATION);
    let account = store::identity::accounts::by_email(db, installation, email).await?;
    let Some(account) = account.filter(Account::is_active) else { return Ok(Vec::new()) };
    let (mut own, mut enters) = (Vec::new(), Vec::new());
    for membership in store::identity::memberships::of_account(db, account.id).await? {
        let (tenant, row) = (membership.member_of, membership.membership_id);
        let row = store::identity::accounts::details(db, tenant, row).await?;
        let Some(row) = row.filter(|row| row.account.is_active()) else { continue };
        match membership.reach {
            Reach::Account => enters.push(tenant),
            Reach::Own if row.has_password => own.push(LostPassword { tenant, account: row, enters: vec![tenant] }),
            Reach::Own => {}
        }
    }
    let details = store::identity::accounts::details(db, installation, account.id).await?;
    match details.filter(|it| it.has_password && !enters.is_empty()) {
        Some(account) => Ok(vec![LostPassword { tenant: installation, account, enters }]),
        None => Ok(own),
    }
}

async fn mail_resets(identity: &Identity, actor: &Actor, email: &str, public_url: &str) -> Result<()> {
    for LostPassword { tenant, account, enters } in lost_passwords(identity, email).await? {
        let (links, id) = (identity.one_time_links(), account.account.id);
        let earlier = store::identity::one_time_links::find(identity.db(), tenant, id, LinkPurpose::Reset).await?;
        if earlier.is_some_and(|link| identity.now() < link.created_at.plus_seconds(PAUSE_SECONDS)) {
            continue;
        }
        // Beyond the limit no link is made either: it would end the one that was mailed last.
        if !count_reset(identity, &enters, email).await? {
            continue;
        }
        let issued = links.issue_for(actor.clone(), tenant, account).await?;
        let tenant_name = links.place_name(tenant, id).await?;
        send(identity, &issued, &tenant_name, public_url).await;
    }
    Ok(())
}

/// Counts a mail for a lost password in the first of these tenants that may still send one today: a tenant that has
/// used up its mails must not keep people of other tenants from theirs. False if none may, or the address has had
/// enough.
async fn count_reset(identity: &Identity, tenants: &[TenantId], email: &str) -> Result<bool> {
    for tenant in tenants {
        match identity.mails().count(*tenant, MailKind::Reset, email).await? {
            None => return Ok(true),
            Some(MailLimit::Tenant(_)) => {}
            Some(MailLimit::Address(_)) => return Ok(false),
        }
    }
    Ok(false)
}

/// Sends a link by a mail that is counted already.
async fn send(identity: &Identity, issued: &IssuedLink, tenant_name: &str, public_url: &str) -> MailOutcome {
    let account = &issued.account.account;
    let (subject, text) = compose(issued, tenant_name, public_url);
    let mail = Mail { to: &account.email, subject: &subject, text: &text };
    let outcome = identity.mails().send_counted(mail).await;
    if let MailOutcome::Failed(error) = &outcome {
        tracing::warn!(account = %account.id, %error, "a one-time link could not be mailed");
    }
    outcome
}

fn compose(issued: &IssuedLink, tenant_name: &str, public_url: &str) -> (String, String) {
    let account = &issued.account.account;
    let tenant_name = mailable_name(tenant_name);
    let (subject, what) = match issued.purpose {
        LinkPurpose::Setup | LinkPurpose::Invitation => (
            format!("Your account at {tenant_name}"),
            format!("you have an account at {tenant_name}. Choose a password with this link:"),
        ),
        LinkPurpose::Reset => (
            format!("A new password for {tenant_name}"),
            format!(
                "someone asked to reset the password for your account at {tenant_name}. Choose a new one with this \
                 link. This ends your API tokens and sessions:"
            ),
        ),
    };
    let text = format!(
        "Hello {},\n\n{what}\n\n{}\n\nThe link works once, until {}. If you did not expect this e-mail, ignore it.\n",
        mailable_name(&account.name),
        issued.code.url(public_url),
        issued.expires_at.to_rfc3339(),
    );
    (subject, text)
}
