//! Applies the network's reports about templates, in the transaction that processes them. A report that is older than
//! an applied report of its kind changes nothing.

use domain::messaging::channels::Channel;
use domain::messaging::templates::{Category, Template, TemplateStatus};
use domain::{TemplateId, TenantId, Timestamp};
use store::Tx;

use super::emit::record_and_emit_changes;
use crate::Result;

/// The template that a report names, and when the network made the report.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TemplateReport<'a> {
    pub tenant: TenantId,
    pub channel: &'a Channel,
    pub id: &'a str,
    pub name: &'a str,
    pub language: &'a str,
    pub at: Timestamp,
    pub now: Timestamp,
}

impl TemplateReport<'_> {
    /// Finds the template that the report is about. A verdict may arrive before the answer to the submission: then the
    /// draft is found by its name. None for a template that was created elsewhere, which the next synchronization adds.
    async fn find_template(&self, tx: &mut Tx<'_>) -> Result<Option<Template>> {
        let known =
            store::messaging::templates::by_network_id(tx, self.tenant, &self.channel.account_id, self.id).await?;
        if known.is_some() {
            return Ok(known.filter(|known| known.deleted_at.is_none()));
        }
        let all = store::messaging::templates::by_name(tx, self.tenant, &self.channel.account_id, self.name).await?;
        let draft = all.into_iter().find(|one| one.language == self.language && one.network_id.is_none());
        let Some(draft) = draft else { return Ok(None) };
        let locked = store::messaging::templates::for_update(tx, self.tenant, draft.id).await?;
        Ok(locked.map(|locked| Template { network_id: Some(self.id.to_owned()), ..locked }))
    }

    async fn save(&self, tx: &mut Tx<'_>, before: &Template, mut after: Template) -> Result<()> {
        after.updated_at = self.now.to_millis();
        store::messaging::templates::update(tx, self.tenant, &after).await?;
        record_and_emit_changes(tx, self.tenant, Some(self.channel), &[(before.clone(), after)], self.now).await
    }

    /// True when a later report of this kind is stored.
    async fn is_outdated(&self, tx: &mut Tx<'_>, kind: &str) -> Result<bool> {
        let latest = store::messaging::network_reports::latest_in(tx, self.tenant, kind, self.id).await?;
        Ok(latest.is_some_and(|latest| latest > self.at))
    }
}

/// Marks a template as disabled, after the network refused a message because of that: the network's report is late or
/// lost. The time of the last report stays, so that a later verdict counts.
pub(crate) async fn mark_disabled(
    tx: &mut Tx<'_>,
    tenant: TenantId,
    template: TemplateId,
    now: Timestamp,
) -> Result<()> {
    let Some(known) = store::messaging::templates::for_update(tx, tenant, template).await? else { return Ok(()) };
    if !matches!(known.status, TemplateStatus::Approved | TemplateStatus::Paused) {
        return Ok(());
    }
    let disabled = Template { status: TemplateStatus::Disabled, updated_at: now.to_millis(), ..known.clone() };
    store::messaging::templates::update(tx, tenant, &disabled).await?;
    record_and_emit_changes(tx, tenant, None, &[(known, disabled)], now).await
}

pub(crate) async fn apply_status(
    tx: &mut Tx<'_>,
    report: TemplateReport<'_>,
    event: &str,
    reason: Option<&str>,
) -> Result<()> {
    let Some(status) = TemplateStatus::from_network(event) else { return Ok(()) };
    let Some(mut template) = report.find_template(tx).await? else { return Ok(()) };
    let before = template.clone();
    if !template.apply_verdict(status, reason, report.at) {
        return Ok(());
    }
    if status == TemplateStatus::Deleted {
        template.deleted_at = Some(report.now.to_millis());
    }
    report.save(tx, &before, template).await
}

pub(crate) async fn apply_quality(tx: &mut Tx<'_>, report: TemplateReport<'_>, quality: &str) -> Result<()> {
    if report.is_outdated(tx, "template_quality").await? {
        return Ok(());
    }
    let Some(template) = report.find_template(tx).await? else { return Ok(()) };
    report.save(tx, &template, Template { quality: Some(quality.to_owned()), ..template.clone() }).await
}

pub(crate) async fn apply_category(tx: &mut Tx<'_>, report: TemplateReport<'_>, category: &str) -> Result<()> {
    let Ok(category) = category.parse::<Category>() else { return Ok(()) };
    if report.is_outdated(tx, "template_category").await? {
        return Ok(());
    }
    let Some(template) = report.find_template(tx).await? else { return Ok(()) };
    report.save(tx, &template, Template { category, ..template.clone() }).await
}
