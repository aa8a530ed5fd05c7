//! Who gets alerts by mail: people with an account in the tenant, and other addresses once their owners have confirmed
//! that they want them. Otherwise a tenant could have the installation write to anyone.
//!
//! An address that needs a confirmation gets a mail with a link, once, when it is saved; the link works once, for a
//! week. The worker of alerts mails what the save could not, for example because the process ended. The page of the
//! link confirms with a button, because programs that scan mails open links. An administrator can have the mail sent
//! again, which ends the link before. An address that leaves the settings is forgotten.

use channels::mail::Mail;
use domain::identity::accounts::AccountDetails;
use domain::identity::mails::{MailKind, mailable_name};
use domain::platform::alert_confirmation::{FreshConfirmation, PresentedConfirmation};
use domain::platform::alerts::{AlertRecipient, AlertSettings};
use domain::{Field, TenantId};
use serde_json::json;

use super::Alerts;
use crate::identity::log_in::LogInSource;
use crate::identity::mails::MailOutcome;
use crate::platform::Platform;
use crate::{Actor, ActsFor, Cause, Command, Error, Fault, Result};

/// An address that was confirmed, and the name of the tenant whose alerts go there.
#[derive(Debug)]
pub struct ConfirmedRecipient {
    pub email: String,
    pub tenant_name: String,
}

#[derive(Debug, Clone, Copy)]
enum Asking {
    First,
    Again,
}

#[boxed::futures]
impl Alerts<'_> {
    /// The addresses of the settings that get no alerts until their owners confirm.
    pub async fn unconfirmed(&self, caller: &dyn ActsFor, settings: &AlertSettings) -> Result<Vec<String>> {
        self.0.unconfirmed_recipients(caller.tenant(), &settings.emails).await
    }

    /// Mails the link to an unconfirmed address again.
    pub async fn ask_again(&self, caller: &dyn ActsFor, email: &str) -> Result<MailOutcome> {
        let (settings, email) = (self.settings(caller).await?, email.trim().to_lowercase());
        if !self.unconfirmed(caller, &settings).await?.contains(&email) {
            return Err(Error::invalid(
                Field::Email,
                "expected an address of the alert settings that is not confirmed",
            ));
        }
        self.0.ask_recipient(caller.tenant(), &email, Asking::Again).await
    }

    /// Confirms the address of a link. Many wrong codes from one network are answered late.
    pub async fn confirm(&self, code: &str, source: &LogInSource) -> Result<ConfirmedRecipient> {
        let Some((tenant, recipient)) = self.0.find_confirmation(code).await? else {
            self.0.identity().accounts().slow_down(source.address).await;
            return Err(ended());
        };
        let address = source.address.to_canonical().to_string();
        let actor = Actor::new("system".to_owned(), Some(address), source.request_id.clone());
        let email = recipient.email.clone();
        let input = (actor, tenant, recipient, self.0.now().to_millis());
        let write = self.0.db().write(input, |tx, (actor, tenant, recipient, now)| {
            Box::pin(async move {
                let AlertRecipient { email, code_hash, .. } = recipient;
                let hash = code_hash.as_ref().ok_or_else(ended)?;
                if !store::platform::alerts::confirm_recipient(tx, *tenant, email, hash, *now).await? {
                    return Err(ended());
                }
                let details = json!({ "email": email });
                actor.record(tx, *tenant, *now, "alerts.confirm", &tenant.to_string(), details).await?;
                Ok::<_, Error>(())
            })
        });
        write.await?;
        Ok(ConfirmedRecipient { email, tenant_name: self.0.identity().tenants().find(tenant).await?.name })
    }
}

impl Alerts<'_> {
    /// Mails links to addresses that were not asked yet, after the answer: a slow mail server must not delay it.
    pub(super) fn ask_in_background(&self, tenant: TenantId, emails: Vec<String>) {
        let platform = self.0.clone();
        tokio::spawn(async move {
            if let Err(error) = crate::for_tenant(tenant, platform.ask_recipients(tenant, &emails)).await {
                tracing::warn!(%tenant, %error, "links to confirm addresses of alerts could not be mailed");
            }
        });
    }
}

impl Platform {
    /// Those of the addresses that are neither confirmed nor of an account that has logged in.
    pub(super) async fn unconfirmed_recipients(&self, tenant: TenantId, emails: &[String]) -> Result<Vec<String>> {
        if emails.is_empty() {
            return Ok(Vec::new());
        }
        let known = store::platform::alerts::recipients(self.db(), tenant).await?;
        let is_confirmed = |email: &str| known.iter().any(|it| it.email == email && it.confirmed_at.is_some());
        let mut unconfirmed: Vec<String> = emails.iter().filter(|email| !is_confirmed(email)).cloned().collect();
        if !unconfirmed.is_empty() {
            let accounts = self.identity().accounts().list_details(&Command(tenant)).await?;
            unconfirmed.retain(|email| !accounts.iter().any(|it| it.account.email == *email && has_logged_in(it)));
        }
        Ok(unconfirmed)
    }

    /// Mails a link to each unconfirmed address that has got none.
    pub(super) async fn ask_recipients(&self, tenant: TenantId, emails: &[String]) -> Result<()> {
        if self.identity().mailer().is_none() {
            return Ok(());
        }
        let unconfirmed = self.unconfirmed_recipients(tenant, emails).await?;
        let known = store::platform::alerts::recipients(self.db(), tenant).await?;
        for email in unconfirmed.iter().filter(|email| !known.iter().any(|it| it.email == **email)) {
            self.ask_recipient(tenant, email, Asking::First).await?;
        }
        Ok(())
    }

    async fn ask_recipient(&self, tenant: TenantId, email: &str, asking: Asking) -> Result<MailOutcome> {
        if self.identity().mailer().is_none() {
            return Ok(MailOutcome::NotConfigured);
        }
        // Beyond the limit no link is made either: it would end the one that was mailed last.
        if let Some(limit) = self.identity().mails().count(tenant, MailKind::Confirmation, email).await? {
            return Ok(MailOutcome::Failed(limit.to_string()));
        }
        let key = self.keys().session.first().ok_or(Error::Fault(Fault::NoKey))?;
        let code = FreshConfirmation::generate(tenant);
        let recipient = AlertRecipient {
            email: email.to_owned(),
            code_hash: Some(code.hash(key)),
            mailed_at: self.now().to_millis(),
            confirmed_at: None,
        };
        let saved = self.db().write((tenant, recipient, asking), |tx, (tenant, recipient, asking)| {
            Box::pin(async move {
                match asking {
                    Asking::First => store::platform::alerts::add_recipient(tx, *tenant, recipient).await,
                    Asking::Again => store::platform::alerts::renew_recipient(tx, *tenant, recipient).await,
                }
            })
        });
        if !saved.await? {
            return Ok(MailOutcome::Failed("the address was asked or confirmed at the same moment".to_owned()));
        }
        let name = mailable_name(&self.identity().tenants().find(tenant).await?.name);
        let subject = format!("Confirm alerts from {name}");
        let text = format!(
            "Hello,\n\nan administrator of {name} wants to send alerts about its messaging to this address. Confirm \
             with this link that you want them:\n\n{}\n\nThe link works once, for 7 days. If you did not expect this \
             mail, ignore it, and you get no alerts.\n",
            code.url(self.public_url()),
        );
        let outcome = self.identity().mails().send_counted(Mail { to: email, subject: &subject, text: &text }).await;
        if let MailOutcome::Failed(error) = &outcome {
            tracing::warn!(%tenant, %error, "a link to confirm an address of alerts could not be mailed");
        }
        Ok(outcome)
    }

    /// The unconfirmed address of a code, if its link still works. Writes nothing.
    async fn find_confirmation(&self, code: &str) -> Result<Option<(TenantId, AlertRecipient)>> {
        let Some(presented) = PresentedConfirmation::parse(code) else { return Ok(None) };
        let known = store::platform::alerts::recipients(self.db(), presented.tenant).await?;
        let (keys, now) = (&self.keys().session, self.now());
        let is_of_code = |it: &AlertRecipient| {
            let fits = it.code_hash.as_ref().is_some_and(|hash| keys.iter().any(|key| presented.matches(hash, key)));
            fits && it.can_confirm(now)
        };
        Ok(known.into_iter().find(is_of_code).map(|it| (presented.tenant, it)))
    }
}

/// An invited person has not agreed to anything yet.
const fn has_logged_in(account: &AccountDetails) -> bool {
    account.account.is_active() && account.last_log_in_at.is_some()
}

fn ended() -> Error {
    Error::refused(
        Cause::LinkEnded,
        Field::Code,
        "the link was already used, was replaced or has expired; ask an administrator to send it again",
    )
}
