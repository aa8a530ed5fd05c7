//! Alerts: notifies the administrators of a tenant, by mail or by a request to a URL, when something is wrong and again
//! when it is over.
//!
//! A worker looks at every tenant that has settings, once a minute and on one node at a time, under a lease. In one
//! transaction it compares the present problems with the alerts that are open: a new problem becomes an alert, and the
//! alert of a problem that is gone ends. Each begin and end writes an entry into the audit log and a pending
//! notification into the alert's row, unless the settings no longer want this kind of alert. Notifications are sent
//! after the commit and marked as sent afterwards: after a crash in between one may be sent twice, and none is lost. A
//! notification that cannot be sent is tried again in the next rounds, up to `MAX_ATTEMPTS` times in all. Mails go to
//! confirmed addresses only (`recipients.rs`).

mod notify;
mod problems;
mod recipients;

pub use notify::AlertOutcome;
pub use recipients::ConfirmedRecipient;

use domain::platform::alerts::{Alert, AlertSettings, AlertStep, TenantProblem};
use domain::{Field, Id, TenantId, Timestamp};
use serde_json::json;
use store::Tx;

use crate::platform::Platform;
use crate::{Actor, ActsFor, Command, Error, Result};

const LEASE: &str = "alerts";
const LEASE_SECONDS: i64 = 300;
const MAX_ATTEMPTS: i64 = 5;
/// Most notifications that one round sends for a tenant.
const AT_ONCE: i64 = 20;
/// Most alerts that `recent` returns.
const RECENT: i64 = 50;
/// Days that an alert is kept after its end.
const KEEP_DAYS: i64 = 90;

#[derive(Debug)]
pub struct Alerts<'a>(&'a Platform);

impl Platform {
    pub fn alerts(&self) -> Alerts<'_> {
        Alerts(self)
    }
}

/// The present problems of a tenant, to be compared with its open alerts.
#[derive(Debug, Clone)]
struct Comparison {
    tenant: TenantId,
    settings: AlertSettings,
    problems: Vec<TenantProblem>,
    now: Timestamp,
}

#[boxed::futures]
impl Alerts<'_> {
    pub async fn settings(&self, caller: &dyn ActsFor) -> Result<AlertSettings> {
        Ok(store::platform::alerts::settings(self.0.db(), caller.tenant()).await?.unwrap_or_default())
    }

    /// Whether this server has a mail server to send with.
    pub fn can_mail(&self) -> bool {
        self.0.identity().mailer().is_some()
    }

    pub async fn set_settings(&self, caller: &dyn ActsFor, settings: AlertSettings) -> Result<AlertSettings> {
        let settings = settings.checked().map_err(|error| Error::of_field(&error))?;
        if let Some(url) = &settings.webhook_url {
            let guard = &self.0.delivery().webhook_policy().guard;
            let refused = |error: channels::guard::Refused| Error::invalid(Field::WebhookUrl, error);
            guard.check_url(url).map_err(refused)?;
            guard.check_host(url).await.map_err(refused)?;
        }
        let input = (caller.audit_actor(), caller.tenant(), settings.clone(), self.0.now().to_millis());
        let saved = self.0.db().write(input, |tx, (actor, tenant, settings, now)| {
            Box::pin(async move {
                store::platform::alerts::save_settings(tx, *tenant, settings, *now).await?;
                store::platform::alerts::keep_recipients(tx, *tenant, &settings.emails).await?;
                let details = json!({"emails": settings.emails, "has_url": settings.webhook_url.is_some(),
                    "kinds": settings.kinds});
                actor.record(tx, *tenant, *now, "alerts.update", &tenant.to_string(), details).await
            })
        });
        saved.await?;
        self.ask_in_background(caller.tenant(), settings.emails.clone());
        Ok(settings)
    }

    /// The last `RECENT` alerts, ended ones included, newest first.
    pub async fn recent(&self, caller: &dyn ActsFor) -> Result<Vec<Alert>> {
        Ok(store::platform::alerts::recent(self.0.db(), caller.tenant(), RECENT).await?)
    }
}

#[boxed::futures]
impl Platform {
    /// Compares the problems of every tenant that has settings with its open alerts, and sends pending notifications.
    /// Does nothing while another node holds the lease.
    pub async fn check_alerts(&self) -> Result<()> {
        let tenants = store::platform::alerts::tenants(self.db()).await?;
        if tenants.is_empty() {
            return Ok(());
        }
        let input = (self.node_name().to_owned(), self.now());
        let lease = self.db().write(input, |tx, (holder, now)| {
            Box::pin(store::base::leases::acquire(tx, LEASE, holder, *now, now.plus_seconds(LEASE_SECONDS)))
        });
        if lease.await?.is_none() {
            return Ok(());
        }
        let mut failed = Ok(());
        for tenant in tenants {
            if let Err(error) = self.check_tenant(tenant).await {
                tracing::warn!(%tenant, %error, "a tenant's problems cannot be looked for");
                failed = Err(error);
            }
        }
        failed
    }

    async fn check_tenant(&self, tenant: TenantId) -> Result<()> {
        let settings = self.alerts().settings(&Command(tenant)).await?;
        let found = self.find_problems(tenant).await?;
        let problems = found.into_iter().filter(|problem| settings.wants(problem.kind)).collect();
        let comparison = Comparison { tenant, settings, problems, now: self.now().to_millis() };
        self.db().write(comparison.clone(), |tx, comparison| Box::pin(compare(tx, comparison))).await?;
        for alert in store::platform::alerts::pending(self.db(), tenant, AT_ONCE).await? {
            self.send_pending(&comparison.settings, tenant, alert).await?;
        }
        self.ask_recipients(tenant, &comparison.settings.emails).await
    }

    async fn send_pending(&self, settings: &AlertSettings, tenant: TenantId, alert: Alert) -> Result<()> {
        let Some(step) = alert.pending else { return Ok(()) };
        let outcome = self.notify(settings, tenant, &alert, Some(step)).await?;
        let attempts = alert.attempts + 1;
        let is_done = outcome.error.is_none() || attempts >= MAX_ATTEMPTS;
        let sent = Alert {
            pending: alert.pending.filter(|_| !is_done),
            attempts: if is_done { 0 } else { attempts },
            emails_sent: outcome.emails,
            webhook_status: outcome.webhook_status,
            error: outcome.error,
            ..alert
        };
        let saved = self.db().write((tenant, sent), |tx, (tenant, sent)| Box::pin(save_outcome(tx, *tenant, sent)));
        Ok(saved.await?)
    }
}

/// Opens alerts for new problems, ends those whose problem is gone, and deletes those that ended `KEEP_DAYS` ago.
async fn compare(tx: &mut Tx<'_>, comparison: &Comparison) -> Result<()> {
    let Comparison { tenant, settings, problems, now } = comparison;
    let open = store::platform::alerts::open(tx, *tenant).await?;
    let is_of = |alert: &Alert, problem: &TenantProblem| alert.kind == problem.kind && alert.subject == problem.subject;
    for problem in problems.iter().filter(|problem| !open.iter().any(|alert| is_of(alert, problem))) {
        let alert = Alert::begun(Id::new(*now), problem.clone(), *now);
        if store::platform::alerts::insert(tx, *tenant, &alert).await? {
            record_in_audit(tx, *tenant, &alert, "alert.begin", *now).await?;
        }
    }
    for alert in open {
        if !problems.iter().any(|problem| is_of(&alert, problem)) {
            let is_wanted = settings.wants(alert.kind);
            let ended = alert.ended(is_wanted, *now);
            store::platform::alerts::update(tx, *tenant, &ended).await?;
            record_in_audit(tx, *tenant, &ended, "alert.end", *now).await?;
        }
    }
    store::platform::alerts::sweep(tx, *tenant, now.plus_seconds(-KEEP_DAYS * 86_400)).await?;
    Ok(())
}

async fn record_in_audit(tx: &mut Tx<'_>, tenant: TenantId, alert: &Alert, action: &str, now: Timestamp) -> Result<()> {
    let details = json!({"kind": alert.kind, "title": alert.title});
    Ok(Actor::system().record(tx, tenant, now, action, &alert.subject, details).await?)
}

/// Saves the outcome of a notification. Writes nothing if the alert has ended meanwhile: its row has the pending
/// notification of the end already.
async fn save_outcome(tx: &mut Tx<'_>, tenant: TenantId, sent: &Alert) -> store::Result<()> {
    let now_open = store::platform::alerts::open(tx, tenant).await?.into_iter().any(|alert| alert.id == sent.id);
    let ended_meanwhile = sent.ended_at.is_none() && !now_open;
    if ended_meanwhile {
        return Ok(());
    }
    store::platform::alerts::update(tx, tenant, sent).await
}

/// The member `state` of a notification.
const fn state_name(step: Option<AlertStep>) -> &'static str {
    match step {
        Some(AlertStep::Begun) => "begun",
        Some(AlertStep::Ended) => "ended",
        None => "test",
    }
}
