//! Synchronizes templates with the network's list: applies verdicts that were missed, adds templates that were created
//! elsewhere, and marks those that are gone as deleted.

use std::collections::BTreeSet;

use channels::graph::TemplateRow;
use domain::messaging::channels::Channel;
use domain::messaging::templates::{Category, Content, Template, TemplateStatus};
use domain::{ChannelId, Id, TenantId, Timestamp};
use serde::Serialize;
use store::Tx;

use super::emit::record_and_emit_changes;
use super::network_list::fetch_all;
use super::{ORIGIN_NETWORK, Templates, as_deleted, parse};
use crate::{ActsFor, Result};

/// Rows of the list that share a transaction.
const BATCH: usize = 50;

/// What a synchronization changed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct SyncSummary {
    pub found: u64,
    pub added: u64,
    pub changed: u64,
    pub deleted: u64,
}

#[derive(Debug)]
struct SyncRun {
    tenant: TenantId,
    account_id: String,
    channel_id: ChannelId,
    /// When the list was requested, in whole seconds like the times of the network's reports. Later verdicts are kept.
    at: Timestamp,
    now: Timestamp,
}

#[boxed::futures]
impl Templates<'_> {
    /// Synchronizes the templates of one channel's account; that of the default channel if none is named.
    pub async fn sync(&self, caller: &dyn ActsFor, channel: Option<&str>) -> Result<SyncSummary> {
        let tenant = caller.tenant();
        let channel = self.channel(caller, channel).await?;
        let opened = self.0.channels().open(tenant, channel.id).await?;
        let graph = self.0.channels().graph(&opened)?;
        let started = self.0.now();
        let rows = fetch_all(&graph).await?;
        let ids: BTreeSet<String> = rows.iter().map(|row| row.id.clone()).collect();
        let mut summary = SyncSummary { found: rows.len() as u64, ..SyncSummary::default() };
        for batch in rows.chunks(BATCH) {
            let input = (sync_run(tenant, &channel, started, self.0.now()), batch.to_vec());
            let write = self.0.db().write(input, |tx, (run, rows)| Box::pin(apply_rows(tx, run, rows)));
            let (added, changed) = write.await?;
            summary.added += added;
            summary.changed += changed;
        }
        let input = (sync_run(tenant, &channel, started, self.0.now()), ids);
        summary.deleted = self.0.db().write(input, |tx, (run, ids)| Box::pin(delete_missing(tx, run, ids))).await?;
        Ok(summary)
    }
}

fn sync_run(tenant: TenantId, channel: &Channel, started: Timestamp, now: Timestamp) -> SyncRun {
    let at = Timestamp::from_seconds(started.seconds());
    SyncRun { tenant, account_id: channel.account_id.clone(), channel_id: channel.id, at, now: now.to_millis() }
}

/// Applies rows of the network's list. Returns how many templates were added, and how many changed.
async fn apply_rows(tx: &mut Tx<'_>, run: &SyncRun, rows: &[TemplateRow]) -> Result<(u64, u64)> {
    let (mut added, mut changed, mut pairs) = (0, 0, Vec::new());
    for row in rows {
        match find_known(tx, run, row).await? {
            Some(known) if known.deleted_at.is_some() => {}
            Some(known) => {
                let mut template = with_row(known.clone(), run, row);
                // The time of the last report is not shown to clients, so it does not count as a change.
                if template != (Template { reported_at: template.reported_at, ..known.clone() }) {
                    template.updated_at = run.now;
                    changed += 1;
                }
                store::messaging::templates::update(tx, run.tenant, &template).await?;
                pairs.push((known, template));
            }
            None => added += u64::from(store::messaging::templates::insert(tx, run.tenant, &from_row(run, row)).await?),
        }
    }
    record_and_emit_changes(tx, run.tenant, None, &pairs, run.now).await?;
    Ok((added, changed))
}

/// Finds the template by the network's id, or else by name and language: then it is a draft whose submission got no
/// answer, or a template that the network has under a new id.
async fn find_known(tx: &mut Tx<'_>, run: &SyncRun, row: &TemplateRow) -> Result<Option<Template>> {
    if let Some(known) = store::messaging::templates::by_network_id(tx, run.tenant, &run.account_id, &row.id).await? {
        return Ok(Some(known));
    }
    let all = store::messaging::templates::by_name(tx, run.tenant, &run.account_id, &row.name).await?;
    Ok(all.into_iter().find(|one| one.language == row.language))
}

fn with_row(mut template: Template, run: &SyncRun, row: &TemplateRow) -> Template {
    template.network_id = Some(row.id.clone());
    if let Some(status) = TemplateStatus::from_network(&row.status) {
        if template.status == TemplateStatus::Draft {
            template.status = status;
        }
        template.apply_verdict(status, reason(row).as_deref(), run.at);
    }
    template.category = category(row).unwrap_or(template.category);
    template.quality = quality(row).or(template.quality);
    if template.origin == ORIGIN_NETWORK {
        template.content = content(row);
    }
    template
}

fn from_row(run: &SyncRun, row: &TemplateRow) -> Template {
    Template {
        id: Id::new(run.now),
        account_id: run.account_id.clone(),
        channel_id: run.channel_id,
        name: row.name.clone(),
        language: row.language.clone(),
        category: category(row).unwrap_or(Category::Utility),
        status: TemplateStatus::from_network(&row.status).unwrap_or(TemplateStatus::Pending),
        quality: quality(row),
        reason: reason(row),
        network_id: Some(row.id.clone()),
        content: content(row),
        origin: ORIGIN_NETWORK.to_owned(),
        created_at: run.now,
        updated_at: run.now,
        reported_at: run.at,
        deleted_at: None,
    }
}

fn content(row: &TemplateRow) -> Content {
    parse::content(&row.components, category(row) == Some(Category::Authentication))
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

/// Marks the templates that the network no longer lists as deleted, except drafts, whose network id is unknown, and
/// those created since the list was requested.
async fn delete_missing(tx: &mut Tx<'_>, run: &SyncRun, ids: &BTreeSet<String>) -> Result<u64> {
    let mut changes = Vec::new();
    for template in store::messaging::templates::of_account(tx, run.tenant, &run.account_id).await? {
        let listed = template.network_id.as_ref().is_none_or(|id| ids.contains(id));
        if listed || template.created_at >= run.at {
            continue;
        }
        let deleted = as_deleted(&template, run.now);
        store::messaging::templates::update(tx, run.tenant, &deleted).await?;
        changes.push((template, deleted));
    }
    record_and_emit_changes(tx, run.tenant, None, &changes, run.now).await?;
    Ok(changes.len() as u64)
}
