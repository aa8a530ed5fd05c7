//! The network's own list becomes ours: verdicts that we missed, templates that were made elsewhere, and those that are
//! gone.

use std::collections::BTreeSet;

use channels::graph::{Graph, TemplateRow};
use domain::channels::Channel;
use domain::templates::{Category, Content, Status, Template};
use domain::{ChannelId, Id, TenantId, Timestamp};
use serde::Serialize;
use store::Tx;

use super::create::said;
use super::{FOUND, Templates, gone, read, told};
use crate::{ActsFor, Result};

/// Pages of the network's list; an account cannot have more.
const MOST_PAGES: usize = 1000;
/// Rows that share a transaction.
const BATCH: usize = 50;

/// What a look at the network's list has changed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Synced {
    pub found: u64,
    pub added: u64,
    pub changed: u64,
    pub deleted: u64,
}

#[derive(Debug)]
struct Look {
    tenant: TenantId,
    account_id: String,
    channel_id: ChannelId,
    /// Verdicts that came later stay. Hooks tell whole seconds.
    at: Timestamp,
    now: Timestamp,
}

impl Templates<'_> {
    /// Of one channel's account, or of the default one's.
    pub async fn sync(&self, caller: &impl ActsFor, channel: Option<&str>) -> Result<Synced> {
        let tenant = caller.tenant();
        let channel = self.channel(caller, channel).await?;
        let opened = self.0.channels().opened(tenant, channel.id).await?;
        let graph = self.0.channels().graph(&opened)?;
        let began = self.0.now();
        let rows = listed(&graph).await?;
        let ids: BTreeSet<String> = rows.iter().map(|row| row.id.clone()).collect();
        let mut synced = Synced { found: rows.len() as u64, ..Synced::default() };
        for batch in rows.chunks(BATCH) {
            let input = (look(tenant, &channel, began, self.0.now()), batch.to_vec());
            let write = self.0.db().write(input, |tx, (look, rows)| Box::pin(take_over(tx, look, rows)));
            let (added, changed) = write.await?;
            synced.added += added;
            synced.changed += changed;
        }
        let input = (look(tenant, &channel, began, self.0.now()), ids);
        synced.deleted = self.0.db().write(input, |tx, (look, ids)| Box::pin(let_go(tx, look, ids))).await?;
        Ok(synced)
    }
}

fn look(tenant: TenantId, channel: &Channel, began: Timestamp, now: Timestamp) -> Look {
    let at = Timestamp::from_seconds(began.seconds());
    Look { tenant, account_id: channel.account_id.clone(), channel_id: channel.id, at, now: now.to_millis() }
}

/// The whole list.
pub(super) async fn listed(graph: &Graph) -> Result<Vec<TemplateRow>> {
    let mut rows = Vec::new();
    let mut after: Option<String> = None;
    for _ in 0..MOST_PAGES {
        let page = graph.templates(after.as_deref()).await.map_err(|error| said(&error))?;
        rows.extend(page.templates);
        after = page.after;
        if after.is_none() {
            break;
        }
    }
    Ok(rows)
}

/// How many were added, and how many changed.
async fn take_over(tx: &mut Tx<'_>, look: &Look, rows: &[TemplateRow]) -> Result<(u64, u64)> {
    let (mut added, mut changed, mut pairs) = (0, 0, Vec::new());
    for row in rows {
        match known(tx, look, row).await? {
            Some(known) if known.deleted_at.is_some() => {}
            Some(known) => {
                let mut template = adopted(known.clone(), look, row);
                // When it was last told of is nothing that anybody sees.
                if template != (Template { reported_at: template.reported_at, ..known.clone() }) {
                    template.updated_at = look.now;
                    changed += 1;
                }
                store::templates::update(tx, look.tenant, &template).await?;
                pairs.push((known, template));
            }
            None => added += u64::from(store::templates::insert(tx, look.tenant, &found(look, row)).await?),
        }
    }
    told::changed(tx, look.tenant, None, &pairs, look.now).await?;
    Ok((added, changed))
}

/// By the network's id, or a draft of ours whose submission was not answered.
async fn known(tx: &mut Tx<'_>, look: &Look, row: &TemplateRow) -> Result<Option<Template>> {
    if let Some(known) = store::templates::by_network_id(tx, look.tenant, &look.account_id, &row.id).await? {
        return Ok(Some(known));
    }
    let all = store::templates::by_name(tx, look.tenant, &look.account_id, &row.name).await?;
    Ok(all.into_iter().find(|one| one.language == row.language))
}

fn adopted(mut template: Template, look: &Look, row: &TemplateRow) -> Template {
    template.network_id = Some(row.id.clone());
    if let Some(status) = Status::of_network(&row.status) {
        if template.status == Status::Draft {
            template.status = status;
        }
        template.told(status, reason(row).as_deref(), look.at);
    }
    template.category = category(row).unwrap_or(template.category);
    template.quality = quality(row).or(template.quality);
    if template.origin == FOUND {
        template.content = content(row);
    }
    template
}

fn found(look: &Look, row: &TemplateRow) -> Template {
    Template {
        id: Id::new(look.now),
        account_id: look.account_id.clone(),
        channel_id: look.channel_id,
        name: row.name.clone(),
        language: row.language.clone(),
        category: category(row).unwrap_or(Category::Utility),
        status: Status::of_network(&row.status).unwrap_or(Status::Pending),
        quality: quality(row),
        reason: reason(row),
        network_id: Some(row.id.clone()),
        content: content(row),
        origin: FOUND.to_owned(),
        created_at: look.now,
        updated_at: look.now,
        reported_at: look.at,
        deleted_at: None,
    }
}

fn content(row: &TemplateRow) -> Content {
    read::content(&row.components, category(row) == Some(Category::Authentication))
}

fn category(row: &TemplateRow) -> Option<Category> {
    row.category.as_deref()?.parse().ok()
}

fn reason(row: &TemplateRow) -> Option<String> {
    row.rejected_reason.clone().filter(|reason| reason != "NONE")
}

fn quality(row: &TemplateRow) -> Option<String> {
    row.quality_score.as_ref()?.get("score")?.as_str().map(str::to_owned)
}

/// Those that the network no longer lists. What was made while we looked is left alone.
async fn let_go(tx: &mut Tx<'_>, look: &Look, ids: &BTreeSet<String>) -> Result<u64> {
    let mut changes = Vec::new();
    for template in store::templates::of_account(tx, look.tenant, &look.account_id).await? {
        let listed = template.network_id.as_ref().is_none_or(|id| ids.contains(id));
        if listed || template.created_at >= look.at {
            continue;
        }
        let gone = gone(&template, look.now);
        store::templates::update(tx, look.tenant, &gone).await?;
        changes.push((template, gone));
    }
    told::changed(tx, look.tenant, None, &changes, look.now).await?;
    Ok(changes.len() as u64)
}
