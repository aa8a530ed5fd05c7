//! Deletes templates: at the network first, then here. After a crash in between, the same request or a synchronization
//! completes the deletion.

use channels::graph::{Class, Graph};
use domain::messaging::templates::{Template, TemplateStatus};
use domain::{Field, TemplateId, TenantId, Timestamp};
use store::Tx;

use super::emit::record_and_emit_changes;
use super::errors::network_error;
use super::{NO_TEMPLATE, Templates, as_deleted};
use crate::{Actor, ActsFor, Error, Result};

/// The network's subcode for a template that it does not have.
const NOT_FOUND: i32 = 2_593_002;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TemplateSelector {
    Id(TemplateId),
    /// A template of a network account, in one language or in all.
    Name {
        account_id: String,
        name: String,
        language: Option<String>,
    },
}

#[boxed::futures]
impl Templates<'_> {
    /// Deletes the selected templates and returns them.
    pub async fn delete(&self, caller: &dyn ActsFor, selector: TemplateSelector) -> Result<Vec<Template>> {
        let tenant = caller.tenant();
        let mut selected = self.select(tenant, selector).await?;
        for template in &selected {
            let graph = self.graph_of(caller, template).await?;
            delete_at_network(&graph, template).await?;
        }
        let ids: Vec<TemplateId> = selected.iter().map(|template| template.id).collect();
        let now = self.0.now().to_millis();
        let input = (tenant, ids, now, caller.audit_actor());
        self.0.db().write(input, |tx, input| Box::pin(delete_and_record(tx, input))).await?;
        for template in &mut selected {
            (template.status, template.deleted_at) = (TemplateStatus::Deleted, Some(now));
        }
        Ok(selected)
    }

    async fn select(&self, tenant: TenantId, selector: TemplateSelector) -> Result<Vec<Template>> {
        let read = self.0.db().write((tenant, selector), |tx, (tenant, selector)| {
            Box::pin(async move {
                Ok::<_, store::Error>(match selector {
                    TemplateSelector::Id(id) => {
                        store::messaging::templates::by_id(tx, *tenant, *id).await?.into_iter().collect()
                    }
                    TemplateSelector::Name { account_id, name, language } => {
                        let mut all = store::messaging::templates::by_name(tx, *tenant, account_id, name).await?;
                        all.retain(|one| language.as_ref().is_none_or(|language| *language == one.language));
                        all
                    }
                })
            })
        });
        let mut selected: Vec<Template> = read.await?;
        selected.retain(|template| template.deleted_at.is_none());
        if selected.is_empty() { Err(NO_TEMPLATE) } else { Ok(selected) }
    }

    /// The network client of the channel that created the template, or of another channel of the same account.
    async fn graph_of(&self, caller: &dyn ActsFor, template: &Template) -> Result<Graph> {
        let channels = self.0.channels().list(caller).await?;
        let own = channels.iter().find(|one| one.id == template.channel_id);
        let channel = own.or_else(|| channels.iter().find(|one| one.account_id == template.account_id));
        let channel =
            channel.ok_or_else(|| Error::conflict(Field::Channel, "the template's account has no channel left"))?;
        let opened = self.0.channels().open(caller.tenant(), channel.id).await?;
        self.0.channels().graph(&opened)
    }
}

/// Deletes a template at the network. A draft without a network id is not deleted there: if the network has the
/// template after all, the next synchronization adds it again. A template that the network does not have counts as
/// deleted.
async fn delete_at_network(graph: &Graph, template: &Template) -> Result<()> {
    let Some(id) = template.network_id.as_deref() else { return Ok(()) };
    match graph.delete_template(&template.name, Some(id)).await {
        Ok(()) => Ok(()),
        Err(error) if error.class == Class::Refuse && error.subcode == Some(NOT_FOUND) => Ok(()),
        Err(error) => Err(network_error(&error)),
    }
}

/// Removes drafts, which no message refers to, and marks the other templates as deleted. Adds an entry to the audit log
/// for each.
async fn delete_and_record(
    tx: &mut Tx<'_>,
    (tenant, ids, now, actor): &(TenantId, Vec<TemplateId>, Timestamp, Actor),
) -> Result<()> {
    mark_deleted(tx, *tenant, ids, *now).await?;
    for id in ids {
        actor.record(tx, *tenant, *now, "template.delete", &id.to_string(), serde_json::json!({})).await?;
    }
    Ok(())
}

async fn mark_deleted(tx: &mut Tx<'_>, tenant: TenantId, ids: &[TemplateId], now: Timestamp) -> Result<()> {
    let mut changes = Vec::new();
    for id in ids {
        let Some(template) = store::messaging::templates::for_update(tx, tenant, *id).await? else { continue };
        if template.network_id.is_none() {
            store::messaging::templates::remove(tx, tenant, *id).await?;
        } else if template.deleted_at.is_none() {
            let deleted = as_deleted(&template, now);
            store::messaging::templates::update(tx, tenant, &deleted).await?;
            changes.push((template, deleted));
        }
    }
    record_and_emit_changes(tx, tenant, None, &changes, now).await
}
