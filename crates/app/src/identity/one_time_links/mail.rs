//! One-time links by mail: to a person whom an administrator invites or gives a new link, and to a person who lost the
//! password. If a mail cannot be sent, that is reported, and the link works nevertheless.

use channels::mail::{Mail, Mailer};
use domain::Field;
use domain::identity::one_time_links::LinkPurpose;
use store::identity::accounts::LogInCandidate;

use super::{IssuedLink, OneTimeLinks};
use crate::identity::Identity;
use crate::identity::log_in::LogInSource;
use crate::{Actor, ActsFor, Command, Error, Result};

/// Seconds in which an account gets at most one mail for a lost password, even if several requests ask for it.
const PAUSE_SECONDS: i64 = 60;

/// What became of the mail with a link.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MailOutcome {
    Sent,
    /// The settings name no mail server.
    NotConfigured,
    /// The mail was not sent; with the reason, for the administrator.
    Failed(String),
}

#[boxed::futures]
impl OneTimeLinks<'_> {
    /// Whether a person who lost the password can get a link by mail.
    pub fn are_mailed(&self) -> bool {
        self.0.mailer().is_some()
    }

    /// Sends a new link to the owner of its account by mail.
    pub async fn mail(&self, caller: &dyn ActsFor, issued: &IssuedLink, public_url: &str) -> Result<MailOutcome> {
        let Some(mailer) = self.0.mailer() else { return Ok(MailOutcome::NotConfigured) };
        let tenant_name = self.0.tenants().find(caller.tenant()).await?.name;
        Ok(send(mailer, issued, &tenant_name, public_url).await)
    }

    /// Sends a link to every active account with this address that has a password. The work is done after the answer,
    /// so the answer is the same and takes the same time whether or not there is such an account.
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

async fn mail_resets(identity: &Identity, actor: &Actor, email: &str, public_url: &str) -> Result<()> {
    for LogInCandidate { tenant, account, .. } in store::identity::accounts::for_log_in(identity.db(), email).await? {
        let details = store::identity::accounts::details(identity.db(), tenant, account.id).await?;
        // An account without a password is invited and not set up yet, or has no log-in: its administrator decides on
        // links.
        let Some(details) = details.filter(|it| it.account.is_active() && it.has_password) else { continue };
        let links = identity.one_time_links();
        let earlier =
            store::identity::one_time_links::find(identity.db(), tenant, account.id, LinkPurpose::Reset).await?;
        if earlier.is_some_and(|link| identity.now() < link.created_at.plus_seconds(PAUSE_SECONDS)) {
            continue;
        }
        let issued = links.issue_for(actor.clone(), tenant, details).await?;
        links.mail(&Command(tenant), &issued, public_url).await?;
    }
    Ok(())
}

async fn send(mailer: &Mailer, issued: &IssuedLink, tenant_name: &str, public_url: &str) -> MailOutcome {
    let account = &issued.account.account;
    let (subject, text) = compose(issued, tenant_name, public_url);
    match mailer.send(Mail { to: &account.email, subject: &subject, text: &text }).await {
        Ok(()) => MailOutcome::Sent,
        Err(error) => {
            tracing::warn!(account = %account.id, %error, "a one-time link could not be mailed");
            MailOutcome::Failed(error.to_string())
        }
    }
}

fn compose(issued: &IssuedLink, tenant_name: &str, public_url: &str) -> (String, String) {
    let account = &issued.account.account;
    // A name from the database must not begin another header or line.
    let tenant_name = tenant_name.replace(char::is_control, " ");
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
        account.name.replace(char::is_control, " "),
        issued.code.url(public_url),
        issued.expires_at.to_rfc3339(),
    );
    (subject, text)
}
