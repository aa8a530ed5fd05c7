//! Scoring the kept hits again when the rules have changed, stretch by stretch. Where a person is found only now, that is
//! told; nothing that was told is taken back.

use std::collections::HashMap;

use domain::clicks::{Class, Link, Past, Request, VERSION, rescored};
use domain::{ClickId, MessageId, TenantId};
use serde::{Deserialize, Serialize};
use store::Tx;
use store::clicks::{Kept, Place, Scored};

use super::Clicks;
use super::record::{marked, tell};
use super::target::Target;
use crate::Result;
use crate::messages::{Rollback, dry_run_as_done};

/// Hits of one transaction.
const STRETCH: i64 = 500;

/// What is to be done.
#[derive(Debug, Clone, Copy, Default)]
pub struct Rescore {
    /// One tenant's hits; all tenants' when none is named.
    pub tenant: Option<TenantId>,
    /// Says what would change, and changes nothing.
    pub dry_run: bool,
    /// Begins anew where an earlier run was cut off.
    pub restart: bool,
}

/// What came of it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Rescored {
    /// Hits that were looked at.
    pub hits: u64,
    /// Those that are called something else now.
    pub changed: u64,
    /// Those that were a person's and are not, and the other way round.
    pub no_longer_people: u64,
    pub now_people: u64,
    /// Clicks that are told only now.
    pub told: u64,
    /// An earlier run was taken up.
    pub resumed: bool,
    /// It was stopped before its end.
    pub stopped: bool,
}

/// How far a run is. It is kept with what it has done.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
struct Progress {
    rules: i64,
    message: MessageId,
    at: domain::Timestamp,
    id: ClickId,
}

/// One stretch of hits, scored.
#[derive(Debug, Default)]
struct Walked {
    done: Rescored,
    /// The last hit; none when there were none left.
    last: Option<Place>,
    /// The links of the last hit's message that people opened.
    people: Vec<Link>,
}

#[derive(Debug, Clone)]
struct Step {
    tenant: TenantId,
    after: Place,
    /// None at the beginning of a run: then the database knows.
    people: Option<Vec<Link>>,
    dry_run: bool,
    now: domain::Timestamp,
}

impl Clicks<'_> {
    /// How many hits there are to look at.
    pub async fn to_rescore(&self, rescore: &Rescore) -> Result<u64> {
        let mut all = 0;
        for tenant in self.tenants(rescore).await? {
            all += u64::try_from(store::clicks::stretches(self.0.db(), tenant).await?).unwrap_or(0);
        }
        Ok(all)
    }

    /// `show` hears how far it is after each stretch; `is_stopped` is asked between two.
    pub async fn rescore(
        &self,
        rescore: &Rescore,
        mut show: impl FnMut(&Rescored) + Send,
        is_stopped: impl Fn() -> bool + Send,
    ) -> Result<Rescored> {
        let mut done = Rescored::default();
        for tenant in self.tenants(rescore).await? {
            let (mut after, mut people) = (Place::START, None);
            if let Some(place) = self.resumed(tenant, rescore).await? {
                (after, done.resumed) = (place, true);
            }
            loop {
                if is_stopped() {
                    done.stopped = true;
                    return Ok(done);
                }
                let step = Step { tenant, after, people, dry_run: rescore.dry_run, now: self.0.now() };
                let walked = self.step(step).await?;
                done.add(&walked.done);
                show(&done);
                let Some(last) = walked.last else { break };
                (after, people) = (last, Some(walked.people));
            }
        }
        Ok(done)
    }

    async fn tenants(&self, rescore: &Rescore) -> Result<Vec<TenantId>> {
        match rescore.tenant {
            Some(tenant) => Ok(vec![self.0.tenants().find(tenant).await?.id]),
            None => Ok(store::tenants::list(self.0.db()).await?.into_iter().map(|tenant| tenant.id).collect()),
        }
    }

    async fn resumed(&self, tenant: TenantId, rescore: &Rescore) -> Result<Option<Place>> {
        if rescore.dry_run || rescore.restart {
            return Ok(None);
        }
        let kept = store::clicks::progress(self.0.db(), tenant).await?;
        let progress: Option<Progress> = kept.and_then(|kept| serde_json::from_str(&kept).ok());
        let ours = progress.filter(|progress| progress.rules == VERSION);
        Ok(ours.map(|Progress { message, at, id, .. }| Place { message, at, id }))
    }

    async fn step(&self, step: Step) -> Result<Walked> {
        let outcome = self.0.db().write(step, |tx, step| {
            Box::pin(async move {
                let walked = walk(tx, step).await?;
                if step.dry_run {
                    return Err(Rollback::DryRun(Box::new(walked)));
                }
                Ok(walked)
            })
        });
        dry_run_as_done(outcome.await)
    }
}

impl Rescored {
    fn add(&mut self, other: &Self) {
        self.hits += other.hits;
        self.changed += other.changed;
        self.no_longer_people += other.no_longer_people;
        self.now_people += other.now_people;
        self.told += other.told;
    }

    fn note(&mut self, before: Class, now: Class) {
        self.hits += 1;
        self.changed += u64::from(before != now);
        self.no_longer_people += u64::from(before.is_person() && !now.is_person());
        self.now_people += u64::from(!before.is_person() && now.is_person());
    }
}

async fn walk(tx: &mut Tx<'_>, step: &Step) -> Result<Walked> {
    let hits = store::clicks::stretch(tx, step.tenant, step.after, STRETCH).await?;
    let Some(last) = hits.last().map(|hit| hit.place) else {
        store::clicks::set_progress(tx, step.tenant, None).await?;
        return Ok(Walked::default());
    };
    let before = match &step.people {
        Some(people) => people.clone(),
        None => store::clicks::people_before(tx, step.tenant, step.after).await?,
    };
    let past: Vec<Past> = hits.iter().map(past).collect();
    let classes = rescored(&past, &before);
    let mut done = Rescored::default();
    hits.iter().zip(&classes).for_each(|(hit, class)| done.note(hit.class, *class));
    let people = opened(&before, &past, &classes, last.message);
    done.told = settle(tx, step, &hits, &classes).await?;
    let progress = Progress { rules: VERSION, message: last.message, at: last.at, id: last.id };
    let progress = serde_json::to_string(&progress).unwrap_or_default();
    store::clicks::set_progress(tx, step.tenant, Some(&progress)).await?;
    Ok(Walked { done, last: Some(last), people })
}

fn past(hit: &Kept) -> Past {
    let request = hit.headers.as_deref().and_then(|headers| Request::read(&hit.method, headers));
    Past { link: hit.link, class: hit.class, source: hit.source, request }
}

/// The links of this message that people opened, up to the end of a stretch.
fn opened(before: &[Link], past: &[Past], classes: &[Class], message: MessageId) -> Vec<Link> {
    let human = past.iter().zip(classes).filter(|(_, class)| **class == Class::Human).map(|(hit, _)| hit.link);
    before.iter().copied().chain(human).filter(|link| link.message == message).collect()
}

/// Writes what the hits are now. First who is nobody any more, then who is somebody: one link may have both. Answers how
/// many clicks are told only now.
async fn settle(tx: &mut Tx<'_>, step: &Step, hits: &[Kept], classes: &[Class]) -> Result<u64> {
    let tenant = step.tenant;
    let both = || hits.iter().zip(classes.iter().copied());
    let stale = both().filter(|(hit, class)| hit.class != *class || hit.rules != VERSION);
    let scored: Vec<Scored> = stale.map(|(hit, class)| Scored { place: hit.place, class, rules: VERSION }).collect();
    store::clicks::score(tx, tenant, &scored).await?;
    for (hit, _) in both().filter(|(hit, class)| hit.class == Class::Human && !class.is_person()) {
        store::clicks::nobody(tx, tenant, &hit.link).await?;
    }
    let mut targets = HashMap::new();
    let mut people = Vec::new();
    for (hit, _) in both().filter(|(_, class)| *class == Class::Human) {
        let target = target(tx, tenant, hit.link).await?;
        people.push((hit.link, target.as_ref().and_then(|target| target.told.broadcast_id)));
        targets.extend(target.map(|target| (hit.link, target)));
    }
    let (first, _) = marked(tx, tenant, &people, step.now).await?;
    let told: Vec<&Target> = first.iter().filter_map(|link| targets.get(link)).collect();
    tell(tx, tenant, &told, step.now).await?;
    Ok(u64::try_from(told.len()).unwrap_or(0))
}

/// None where the button is not known, or the person was erased.
async fn target(tx: &mut Tx<'_>, tenant: TenantId, link: Link) -> Result<Option<Target>> {
    let Some(told) = store::clicks::told_in(tx, tenant, link.message).await? else { return Ok(None) };
    let Some(template_id) = told.template_id else { return Ok(None) };
    let template = store::templates::by_id(tx, tenant, template_id).await?;
    Ok(template.and_then(|template| Target::new(told, &template, link)))
}
