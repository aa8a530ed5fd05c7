//! Records and emits changes of templates: status, quality, category.

use domain::delivery::events::{Fact, TemplateSubject};
use domain::messaging::channels::Channel;
use domain::messaging::templates::{Template, TemplateChange};
use domain::{TemplateId, TenantId, Timestamp};
use store::Tx;

use crate::Result;
use crate::base::emit::emit;

/// Adds to the history and appends the events of templates, given as pairs of the template before and after. `channel`
/// is the channel that reported the change, if one did.
pub(super) async fn record_and_emit_changes(
    tx: &mut Tx<'_>,
    tenant: TenantId,
    channel: Option<&Channel>,
    changes: &[(Template, Template)],
    now: Timestamp,
) -> Result<()> {
    let differing: Vec<_> = changes.iter().filter(|(before, after)| differ(before, after)).collect();
    if differing.is_empty() {
        return Ok(());
    }
    let history: Vec<(TemplateId, TemplateChange)> = differing
        .iter()
        .flat_map(|(before, after)| TemplateChange::between(before, after, now).into_iter().map(|one| (after.id, one)))
        .collect();
    store::messaging::templates::add_changes(tx, tenant, &history).await?;
    let channels = match channel {
        Some(channel) if differing.iter().all(|(_, after)| after.channel_id == channel.id) => vec![channel.clone()],
        _ => store::messaging::channels::list_in(tx, tenant).await?.into_iter().map(|stored| stored.channel).collect(),
    };
    let facts: Vec<Fact> = differing.iter().flat_map(|(before, after)| facts(before, after, &channels, now)).collect();
    emit(tx, tenant, &facts).await
}

fn differ(before: &Template, after: &Template) -> bool {
    (before.status, &before.quality, before.category) != (after.status, &after.quality, after.category)
}

fn facts(before: &Template, after: &Template, channels: &[Channel], now: Timestamp) -> Vec<Fact> {
    // The channel that created the template, or another one of the same account.
    let own = channels.iter().find(|one| one.id == after.channel_id);
    let channel = own.or_else(|| channels.iter().find(|one| one.account_id == after.account_id));
    let subject = TemplateSubject { template: after, channel };
    let mut facts = Vec::new();
    if before.status != after.status {
        facts.push(Fact::template_reviewed(now, subject, before.status, after.status));
    }
    if let Some(quality) = after.quality.as_deref().filter(|quality| before.quality.as_deref() != Some(quality)) {
        facts.push(Fact::template_quality(now, subject, before.quality.as_deref(), quality));
    }
    if before.category != after.category {
        facts.push(Fact::template_category(now, subject, before.category.name(), after.category.name()));
    }
    facts
}
