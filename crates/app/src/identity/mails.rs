//! The one place where mails leave: counts each mail before it is sent, so that neither a tenant nor a stranger can use
//! the installation's mail server to flood an address. The limits are in `domain::identity::mails`.
//!
//! Counts are in the database: all nodes share them, and a restart keeps them. A mail that is counted and then fails
//! stays counted. The rows hold keyed hashes of addresses; a change of the secret key starts their counts at zero.

use channels::mail::Mail;
use domain::base::hex;
use domain::identity::mails::{MailKind, MailLimit, counted_address, day_of};
use domain::{TenantId, Timestamp};
use store::Tx;
use store::identity::mail_counts;

use crate::identity::Identity;
use crate::{Error, Fault, Result};

/// What became of a mail.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MailOutcome {
    Sent,
    /// The settings name no mail server.
    NotConfigured,
    /// The mail was not sent; with the reason, for the administrator.
    Failed(String),
}

#[derive(Debug)]
pub(crate) struct Mails<'a>(&'a Identity);

impl Identity {
    pub(crate) fn mails(&self) -> Mails<'_> {
        Mails(self)
    }
}

/// A mail to be counted.
#[derive(Debug)]
struct CountedMail {
    tenant: TenantId,
    kind: MailKind,
    /// The keyed hash of the recipient's address, in hex.
    address: String,
    day: Timestamp,
}

#[derive(Debug, thiserror::Error)]
enum NotCounted {
    #[error(transparent)]
    Limit(MailLimit),
    #[error(transparent)]
    Store(#[from] store::Error),
}

impl store::Failure for NotCounted {
    fn store_error(&self) -> Option<&store::Error> {
        match self {
            Self::Limit(_) => None,
            Self::Store(error) => Some(error),
        }
    }
}

impl Mails<'_> {
    /// Counts a mail and sends it.
    pub async fn send(&self, tenant: TenantId, kind: MailKind, mail: Mail<'_>) -> Result<MailOutcome> {
        if self.0.mailer().is_none() {
            return Ok(MailOutcome::NotConfigured);
        }
        match self.count(tenant, kind, mail.to).await? {
            Some(limit) => Ok(MailOutcome::Failed(limit.to_string())),
            None => Ok(self.send_counted(mail).await),
        }
    }

    /// Counts a mail that is about to be sent. Counts nothing, and returns the limit, if one is reached.
    pub async fn count(&self, tenant: TenantId, kind: MailKind, to: &str) -> Result<Option<MailLimit>> {
        let key = self.0.keys().session.first().ok_or(Error::Fault(Fault::NoKey))?;
        // The prefix separates these hashes from others under the same key.
        let address = hex::encode(key.mac(format!("mail:{}", counted_address(to)).as_bytes()));
        let mail = CountedMail { tenant, kind, address, day: day_of(self.0.now()) };
        match self.0.db().write(mail, |tx, mail| Box::pin(count(tx, mail))).await {
            Ok(()) => Ok(None),
            Err(NotCounted::Limit(limit)) => Ok(Some(limit)),
            Err(NotCounted::Store(error)) => Err(error.into()),
        }
    }

    /// Sends a mail that `count` has counted.
    pub async fn send_counted(&self, mail: Mail<'_>) -> MailOutcome {
        let Some(mailer) = self.0.mailer() else { return MailOutcome::NotConfigured };
        match mailer.send(mail).await {
            Ok(()) => MailOutcome::Sent,
            Err(error) => MailOutcome::Failed(error.to_string()),
        }
    }
}

/// Counts in all three buckets or in none: an error undoes the transaction.
async fn count(tx: &mut Tx<'_>, mail: &CountedMail) -> Result<(), NotCounted> {
    let CountedMail { tenant, kind, address, day } = mail;
    let of_tenant = format!("{}{kind}", mail_counts::PREFIX);
    let of_address = format!("{of_tenant}:{address}");
    let (tenant, day) = (*tenant, *day);
    if !mail_counts::take(tx, tenant, &of_tenant, day, kind.max_per_tenant()).await? {
        return Err(NotCounted::Limit(MailLimit::Tenant(kind.max_per_tenant())));
    }
    if !mail_counts::take(tx, tenant, &of_address, day, kind.max_per_address()).await? {
        return Err(NotCounted::Limit(MailLimit::Address(kind.max_per_address())));
    }
    if !mail_counts::take(tx, TenantId::INSTALLATION, &of_address, day, kind.max_per_address_of_all()).await? {
        return Err(NotCounted::Limit(MailLimit::Address(kind.max_per_address_of_all())));
    }
    Ok(())
}
