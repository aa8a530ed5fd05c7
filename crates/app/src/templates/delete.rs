//! Taking templates away: at the network first, then here.

use channels::graph::{Class, Graph};
use domain::templates::{Status, Template};
use domain::{TemplateId, TenantId, Timestamp};
use store::Tx;

use super::create::said;
use super::{NO_TEMPLATE, Templates, gone, told};
use crate::{ActsFor, Error, Result};

/// The network's word for a template that it does not have.
const GONE: i32 = 2_593_002;

/// Which ones are meant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Which {
    Id(TemplateId),
    /// Of an account, in one language or in all.
    Name {
        account_id: String,
        name: String,
        language: Option<String>,
    },
}

impl Templates<'_> {
    /// Answers those that were taken away.
    pub async fn delete(&self, caller: &impl ActsFor, which: Which) -> Result<Vec<Template>> {
        let tenant = caller.tenant();
        let mut doomed = self.meant(tenant, which).await?;
        for template in &doomed {
            let graph = self.graph_of(caller, template).await?;
            take_away(&graph, template).await?;
        }
        let ids: Vec<TemplateId> = doomed.iter().map(|template| template.id).collect();
        let now = self.0.now().to_millis();
        self.0.db().write((tenant, ids, now), |tx, (tenant, ids, now)| Box::pin(mark(tx, *tenant, ids, *now))).await?;
        for template in &mut doomed {
            (template.status, template.deleted_at) = (Status::Deleted, Some(now));
        }
        Ok(doomed)
    }

    async fn meant(&self, tenant: TenantId, which: Which) -> Result<Vec<Template>> {
        let read = self.0.db().write((tenant, which), |tx, (tenant, which)| {
            Box::pin(async move {
                Ok::<_, store::Error>(match which {
                    Which::Id(id) => store::templates::by_id(tx, *tenant, *id).await?.into_iter().collect(),
                    Which::Name { account_id, name, language } => {
                        let mut all = store::templates::by_name(tx, *tenant, account_id, name).await?;
                        all.retain(|one| language.as_ref().is_none_or(|language| *language == one.language));
                        all
                    }
                })
            })
        });
        let mut doomed: Vec<Template> = read.await?;
        doomed.retain(|template| template.deleted_at.is_none());
        if doomed.is_empty() { Err(NO_TEMPLATE) } else { Ok(doomed) }
    }

    /// Over the channel that it was made with, or another one of the same account.
    async fn graph_of(&self, caller: &impl ActsFor, template: &Template) -> Result<Graph> {
        let channels = self.0.channels().list(caller).await?;
        let own = channels.iter().find(|one| one.id == template.channel_id);
        let channel = own.or_else(|| channels.iter().find(|one| one.account_id == template.account_id));
        let channel =
            channel.ok_or_else(|| Error::conflict("channel", "no channel of the template's account is left"))?;
        let opened = self.0.channels().opened(caller.tenant(), channel.id).await?;
        self.0.channels().graph(&opened)
    }
}

/// A draft was perhaps never there, and whoever asks again finds it gone: both are well.
async fn take_away(graph: &Graph, template: &Template) -> Result<()> {
    let Some(id) = template.network_id.as_deref() else { return Ok(()) };
    match graph.delete_template(&template.name, Some(id)).await {
        Ok(()) => Ok(()),
        Err(error) if error.class == Class::Refuse && error.subcode == Some(GONE) => Ok(()),
        Err(error) => Err(said(&error)),
    }
}

/// A draft leaves no trace: no message was ever made with it.
async fn mark(tx: &mut Tx<'_>, tenant: TenantId, ids: &[TemplateId], now: Timestamp) -> Result<()> {
    let mut changes = Vec::new();
    for id in ids {
        let Some(template) = store::templates::for_update(tx, tenant, *id).await? else { continue };
        if template.network_id.is_none() {
            store::templates::remove(tx, tenant, *id).await?;
        } else if template.deleted_at.is_none() {
            let gone = gone(&template, now);
            store::templates::update(tx, tenant, &gone).await?;
            changes.push((template, gone));
        }
    }
    told::changed(tx, tenant, None, &changes, now).await
}
