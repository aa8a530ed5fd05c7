//! Scores the stored hits again after a change of the rules, in batches. A hit that only now counts as a person's click
//! emits the event of its link, if that was not emitted before; an emitted event is never revoked.
//!
//! Each batch is one transaction that also stores the progress of the tenant, so an interrupted run with the same
//! version of the rules continues after its last batch. A dry run stores nothing and always starts at the beginning.

use std::collections::HashMap;

use domain::messaging::clicks::{ClickClass, Link, PastHit, Request, VERSION, rescore};
use domain::{ClickId, MessageId, TenantId};
use serde::{Deserialize, Serialize};
use store::Tx;
use store::messaging::clicks::{HitPosition, HitScore, StoredHit};

use super::Clicks;
use super::target::LinkTarget;
use super::write_hits::{emit_clicks, mark_clicked};
use crate::Result;
use crate::messaging::messages::{Rollback, dry_run_as_done};

/// Most hits of one transaction.
const BATCH: i64 = 500;

#[derive(Debug, Clone, Copy, Default)]
pub struct RescoreRequest {
    /// Scores the hits of this tenant; none: of all tenants.
    pub tenant: Option<TenantId>,
    /// Only counts what would change, and writes nothing.
    pub dry_run: bool,
    /// Ignores the progress of an interrupted run.
    pub restart: bool,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct RescoreSummary {
    /// Hits that were scored.
    pub hits: u64,
    /// Hits with another class than before.
    pub changed: u64,
    /// Hits that counted as a person's before, and no longer do.
    pub no_longer_people: u64,
    /// Hits that count as a person's only now.
    pub now_people: u64,
    /// Clicks whose event is emitted only now.
    #[serde(rename = "told")]
    pub emitted: u64,
    /// True if the run continued an interrupted one.
    pub resumed: bool,
    /// True if the run was stopped before its end.
    pub stopped: bool,
}

/// Position of a run, stored with each batch.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
struct Progress {
    rules: i64,
    message: MessageId,
    at: domain::Timestamp,
    id: ClickId,
}

/// The result of one batch.
#[derive(Debug, Default)]
struct ScoredBatch {
    done: RescoreSummary,
    /// Position of the last hit of the batch; none when no hits were left.
    last: Option<HitPosition>,
    /// Links of the last hit's message that people opened.
    people: Vec<Link>,
}

#[derive(Debug, Clone)]
struct RescoreStep {
    tenant: TenantId,
    after: HitPosition,
    /// Links of the message at `after` that people opened. None at the start of a run: then they are read from the
    /// database.
    people: Option<Vec<Link>>,
    dry_run: bool,
    now: domain::Timestamp,
}

#[boxed::futures]
impl Clicks<'_> {
    /// How many hits a run will score.
    pub async fn count_to_rescore(&self, rescore: &RescoreRequest) -> Result<u64> {
        let mut all = 0;
        for tenant in self.tenants(rescore).await? {
            all += u64::try_from(store::messaging::clicks::count_hits(self.0.db(), tenant).await?).unwrap_or(0);
        }
        Ok(all)
    }

    /// Scores the hits of the requested tenant, or of all tenants one after the other, from where an interrupted run
    /// ended. Calls `is_stopped` before each batch and ends early when it returns true. Calls `show` after each batch
    /// with the sums of this run.
    pub async fn rescore(
        &self,
        rescore: &RescoreRequest,
        show: &mut (dyn FnMut(&RescoreSummary) + Send),
        is_stopped: &(dyn Fn() -> bool + Sync),
    ) -> Result<RescoreSummary> {
        let mut done = RescoreSummary::default();
        for tenant in self.tenants(rescore).await? {
            let (mut after, mut people) = (HitPosition::START, None);
            if let Some(position) = self.resume_position(tenant, rescore).await? {
                (after, done.resumed) = (position, true);
            }
            loop {
                if is_stopped() {
                    done.stopped = true;
                    return Ok(done);
                }
                let step = RescoreStep { tenant, after, people, dry_run: rescore.dry_run, now: self.0.now() };
                let batch = self.score_batch(step).await?;
                done.add(&batch.done);
                show(&done);
                let Some(last) = batch.last else { break };
                (after, people) = (last, Some(batch.people));
            }
        }
        Ok(done)
    }

    async fn tenants(&self, rescore: &RescoreRequest) -> Result<Vec<TenantId>> {
        match rescore.tenant {
            Some(tenant) => Ok(vec![self.0.identity().tenants().find(tenant).await?.id]),
            None => {
                Ok(store::identity::tenants::list(self.0.db()).await?.into_iter().map(|tenant| tenant.id).collect())
            }
        }
    }

    async fn resume_position(&self, tenant: TenantId, rescore: &RescoreRequest) -> Result<Option<HitPosition>> {
        if rescore.dry_run || rescore.restart {
            return Ok(None);
        }
        let kept = store::messaging::clicks::progress(self.0.db(), tenant).await?;
        let progress: Option<Progress> = kept.and_then(|kept| serde_json::from_str(&kept).ok());
        let ours = progress.filter(|progress| progress.rules == VERSION);
        Ok(ours.map(|Progress { message, at, id, .. }| HitPosition { message, at, id }))
    }

    async fn score_batch(&self, step: RescoreStep) -> Result<ScoredBatch> {
        let outcome = self.0.db().write(step, |tx, step| {
            Box::pin(async move {
                let batch = score_batch_in(tx, step).await?;
                if step.dry_run {
                    return Err(Rollback::DryRun(Box::new(batch)));
                }
                Ok(batch)
            })
        });
        dry_run_as_done(outcome.await)
    }
}

impl RescoreSummary {
    fn add(&mut self, other: &Self) {
        self.hits += other.hits;
        self.changed += other.changed;
        self.no_longer_people += other.no_longer_people;
        self.now_people += other.now_people;
        self.emitted += other.emitted;
    }

    fn count(&mut self, before: ClickClass, now: ClickClass) {
        self.hits += 1;
        self.changed += u64::from(before != now);
        self.no_longer_people += u64::from(before.is_person() && !now.is_person());
        self.now_people += u64::from(!before.is_person() && now.is_person());
    }
}

async fn score_batch_in(tx: &mut Tx<'_>, step: &RescoreStep) -> Result<ScoredBatch> {
    let hits = store::messaging::clicks::hits_after(tx, step.tenant, step.after, BATCH).await?;
    let Some(last) = hits.last().map(|hit| hit.position) else {
        store::messaging::clicks::set_progress(tx, step.tenant, None).await?;
        return Ok(ScoredBatch::default());
    };
    let before = match &step.people {
        Some(people) => people.clone(),
        None => store::messaging::clicks::human_links_before(tx, step.tenant, step.after).await?,
    };
    let past: Vec<PastHit> = hits.iter().map(past_hit).collect();
    let classes = rescore(&past, &before);
    let mut done = RescoreSummary::default();
    hits.iter().zip(&classes).for_each(|(hit, class)| done.count(hit.class, *class));
    let people = human_links(&before, &past, &classes, last.message);
    done.emitted = write_scores(tx, step, &hits, &classes).await?;
    let progress = Progress { rules: VERSION, message: last.message, at: last.at, id: last.id };
    let progress = domain::to_json(&progress);
    store::messaging::clicks::set_progress(tx, step.tenant, Some(&progress)).await?;
    Ok(ScoredBatch { done, last: Some(last), people })
}

fn past_hit(hit: &StoredHit) -> PastHit {
    let request = hit.headers.as_deref().and_then(|headers| Request::parse(&hit.method, headers));
    PastHit { link: hit.link, class: hit.class, source: hit.source, request }
}

/// The links of one message that people opened, up to the end of a batch.
fn human_links(before: &[Link], past: &[PastHit], classes: &[ClickClass], message: MessageId) -> Vec<Link> {
    let human = past.iter().zip(classes).filter(|(_, class)| **class == ClickClass::Human).map(|(hit, _)| hit.link);
    before.iter().copied().chain(human).filter(|link| link.message == message).collect()
}

/// Writes the new classes, and returns for how many clicks the event is emitted only now. First unmarks the links that
/// are no longer opened by a person, then marks those that are: a link may have hits of both kinds.
async fn write_scores(tx: &mut Tx<'_>, step: &RescoreStep, hits: &[StoredHit], classes: &[ClickClass]) -> Result<u64> {
    let tenant = step.tenant;
    let both = || hits.iter().zip(classes.iter().copied());
    let stale = both().filter(|(hit, class)| hit.class != *class || hit.rules != VERSION);
    let scores: Vec<HitScore> =
        stale.map(|(hit, class)| HitScore { position: hit.position, class, rules: VERSION }).collect();
    store::messaging::clicks::update_scores(tx, tenant, &scores).await?;
    for (hit, _) in both().filter(|(hit, class)| hit.class == ClickClass::Human && !class.is_person()) {
        store::messaging::clicks::unmark_human(tx, tenant, &hit.link).await?;
    }
    let mut targets = HashMap::new();
    let mut people = Vec::new();
    for (hit, _) in both().filter(|(_, class)| *class == ClickClass::Human) {
        let target = load_target(tx, tenant, hit.link).await?;
        people.push((hit.link, target.as_ref().and_then(|target| target.context.broadcast_id)));
        targets.extend(target.map(|target| (hit.link, target)));
    }
    let (first, _) = mark_clicked(tx, tenant, &people, step.now).await?;
    let emitted: Vec<&LinkTarget> = first.iter().filter_map(|link| targets.get(link)).collect();
    emit_clicks(tx, tenant, &emitted, step.now).await?;
    Ok(u64::try_from(emitted.len()).unwrap_or(0))
}

/// Loads the target of a link. None where the button is unknown, or the contact was erased.
async fn load_target(tx: &mut Tx<'_>, tenant: TenantId, link: Link) -> Result<Option<LinkTarget>> {
    let Some(context) = store::messaging::clicks::click_context_in(tx, tenant, link.message).await? else {
        return Ok(None);
    };
    let Some(template_id) = context.template_id else { return Ok(None) };
    let template = store::messaging::templates::by_id(tx, tenant, template_id).await?;
    Ok(template.and_then(|template| LinkTarget::new(context, &template, link)))
}
