//! Sends one notification: a mail to each address, and a request to the URL.

use std::time::Duration;

use channels::mail::Mail;
use channels::transport::{self, CallTime};
use domain::identity::mails::{MAX_TEXT, MailKind, mailable, mailable_name};
use domain::platform::alerts::{Alert, AlertKind, AlertSettings, AlertStep, TenantProblem};
use domain::{Id, TenantId, Timestamp};
use http::header::{CONTENT_TYPE, USER_AGENT};
use http::{Method, Request};
use serde_json::json;

use super::{Alerts, state_name};
use crate::identity::mails::MailOutcome;
use crate::platform::Platform;
use crate::{ActsFor, Result};

/// Time-out of the request to the URL.
const ANSWER_WITHIN: Duration = Duration::from_secs(15);

/// What became of a notification.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AlertOutcome {
    /// Number of mails that the mail server accepted.
    pub emails: i64,
    pub webhook_status: Option<i64>,
    /// A failure. For an alert it is set only if no mail and no request succeeded; for a test, whenever one of them
    /// failed.
    pub error: Option<String>,
}

#[boxed::futures]
impl Alerts<'_> {
    /// Sends a test notification to all addresses and the URL of the settings.
    pub async fn test(&self, caller: &dyn ActsFor) -> Result<AlertOutcome> {
        let settings = self.settings(caller).await?;
        let now = self.0.now().to_millis();
        let problem = TenantProblem {
            kind: AlertKind::QueueStuck,
            subject: "test".to_owned(),
            title: "This is a test alert".to_owned(),
            detail: "Nothing is wrong: an administrator is testing whether alerts arrive.".to_owned(),
        };
        self.0.notify(&settings, caller.tenant(), &Alert::begun(Id::new(now), problem, now), None).await
    }
}

impl Platform {
    /// Sends a notification to all addresses and the URL of the settings. `step` is none for a test.
    pub(super) async fn notify(
        &self,
        settings: &AlertSettings,
        tenant: TenantId,
        alert: &Alert,
        step: Option<AlertStep>,
    ) -> Result<AlertOutcome> {
        let mut outcome = AlertOutcome::default();
        let (mut succeeded, mut error) = (settings.emails.is_empty() && settings.webhook_url.is_none(), None);
        if !settings.emails.is_empty() {
            (outcome.emails, error) = self.mail_alert(&settings.emails, tenant, alert, step).await?;
            succeeded |= outcome.emails > 0;
        }
        if let Some(url) = &settings.webhook_url {
            match self.post_alert(url, tenant, alert, step).await {
                Ok(status) => {
                    outcome.webhook_status = Some(i64::from(status));
                    let is_taken = (200..300).contains(&status);
                    succeeded |= is_taken;
                    error = error.or_else(|| (!is_taken).then(|| format!("the URL returned {status}")));
                }
                Err(failure) => error = Some(failure),
            }
        }
        // A test reports any failure; for an alert one success is enough.
        outcome.error = error.filter(|_| !succeeded || step.is_none());
        Ok(outcome)
    }

    /// Sends a mail to each confirmed address. Returns how many the mail server accepted, and the last failure.
    async fn mail_alert(
        &self,
        emails: &[String],
        tenant: TenantId,
        alert: &Alert,
        step: Option<AlertStep>,
    ) -> Result<(i64, Option<String>)> {
        if self.identity().mailer().is_none() {
            return Ok((0, Some("this server has no mail server configured (smtp.host)".to_owned())));
        }
        let unconfirmed = self.unconfirmed_recipients(tenant, emails).await?;
        let count = unconfirmed.len();
        let mut failure = (count > 0).then(|| format!("{count} of {} addresses are not confirmed", emails.len()));
        let mut sent = 0;
        let (subject, text) = compose(&self.identity().tenants().find(tenant).await?.name, alert, step);
        let kind = if step.is_some() { MailKind::Alert } else { MailKind::AlertTest };
        for to in emails.iter().filter(|email| !unconfirmed.contains(email)) {
            let mail = Mail { to, subject: &subject, text: &text };
            match self.identity().mails().send(tenant, kind, mail).await? {
                MailOutcome::Sent => sent += 1,
                MailOutcome::Failed(reason) => failure = Some(reason),
                MailOutcome::NotConfigured => {}
            }
        }
        Ok((sent, failure))
    }

    /// Posts the alert to the URL and returns the HTTP status of the answer. Uses the transport of webhooks, so the
    /// address guard holds for this URL too.
    async fn post_alert(
        &self,
        url: &str,
        tenant: TenantId,
        alert: &Alert,
        step: Option<AlertStep>,
    ) -> Result<u16, String> {
        let body = json!({
            "type": "alert",
            "state": state_name(step),
            "id": alert.id,
            "tenant_id": tenant.to_string(),
            "kind": alert.kind,
            "subject": alert.subject,
            "title": alert.title,
            "detail": alert.detail,
            "began_at": alert.began_at.to_rfc3339(),
            "ended_at": alert.ended_at.map(Timestamp::to_rfc3339),
        });
        let request = Request::builder()
            .method(Method::POST)
            .uri(url)
            .header(CONTENT_TYPE, "application/json")
            .header(USER_AGENT, transport::USER_AGENT)
            .extension(CallTime(ANSWER_WITHIN))
            .body(transport::full(body.to_string()))
            .map_err(|error| error.to_string())?;
        let answer =
            self.delivery().webhook_transport(tenant).call(request).await.map_err(|error| error.to_string())?;
        Ok(answer.status().as_u16())
    }
}

/// Subject and text of a mail. Names of channels and URLs of endpoints are texts of the tenant.
fn compose(tenant_name: &str, alert: &Alert, step: Option<AlertStep>) -> (String, String) {
    let (tenant_name, title) = (mailable_name(tenant_name), mailable(&alert.title, MAX_TEXT));
    let subject = match step {
        Some(AlertStep::Begun) => format!("[{tenant_name}] {title}"),
        Some(AlertStep::Ended) => format!("[{tenant_name}] Resolved: {title}"),
        None => format!("[{tenant_name}] Test: {title}"),
    };
    let when = match alert.ended_at {
        Some(ended) => format!("It started at {} and ended at {}.", alert.began_at.to_rfc3339(), ended.to_rfc3339()),
        None => format!("It started at {}.", alert.began_at.to_rfc3339()),
    };
    let text = format!(
        "{title}\n\n{}\n\n{when}\n\nAdministrators of {tenant_name} can change who receives these e-mails in the console.\n",
        mailable(&alert.detail, MAX_TEXT),
    );
    (subject, text)
}
