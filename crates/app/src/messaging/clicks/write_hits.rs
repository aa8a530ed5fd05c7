//! Writes hits, those of concurrent requests in one transaction (`base/group_writer.rs`).
//!
//! The transaction also marks the first hit of a person on a link and appends its event, so a link (one button of one
//! message) has at most one event. Later hits of people on the link become `repeat`.
//!
//! A link gets at most `clicks.rows_per_link` rows besides those of class `human`; further hits are only counted, by
//! class and day. Rows are counted only for links that this process saw often, so that the usual hit costs no further
//! statement. Groups that are written at the same time may exceed the number by their hits.
//!
//! The redirect is in `open.rs`; the network's reports, which have a transaction of their own, call [`write_hits`].

use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use domain::messaging::clicks::{ClickClass, Link, day};
use domain::{BroadcastId, MessageId, TenantId, Timestamp};
use futures_util::future::BoxFuture;
use store::messaging::clicks::{Hit, OverflowCount};
use store::{Engine, Tx};

use super::hit_queue::NewHit;
use super::target::LinkTarget;
use crate::base::emit::emit;
use crate::base::group_writer::{GroupWriter, GroupedRow};
use crate::messaging::Messaging;
use crate::{Error, Result};

impl GroupedRow for NewHit {
    type Room = Messaging;
    type Outcome = ();

    const MOST_TOGETHER: usize = 256;

    /// PostgreSQL commits several groups at a time.
    fn most_writers(engine: Engine) -> usize {
        match engine {
            Engine::Sqlite => 2,
            Engine::Postgres => 4,
        }
    }

    fn turn(&self) -> Option<TenantId> {
        None
    }

    fn writer(messaging: &Messaging) -> &GroupWriter<Self> {
        &messaging.click_writer().queue
    }

    fn write(messaging: &Messaging, hits: Arc<[Self]>) -> BoxFuture<'_, Result<Vec<Result<()>>>> {
        Box::pin(async move {
            let outcomes = hits.iter().map(|_| Ok(())).collect();
            write(messaging, hits).await.map(|()| outcomes)
        })
    }
}

async fn write(messaging: &Messaging, hits: Arc<[NewHit]>) -> Result<()> {
    let (now, seen) = (messaging.now(), &messaging.click_writer().seen);
    let busy = hits.iter().filter(|one| seen.count(one.tenant, one.hit.link)).map(|one| one.hit.link).collect();
    let bound = RowBound { busy, most: messaging.rows_per_link() };
    messaging
        .db()
        .write((hits, now, bound), |tx, (hits, now, bound)| {
            Box::pin(async move {
                for (tenant, hits) in by_tenant(hits) {
                    write_hits(tx, tenant, &hits, *now, bound).await?;
                }
                Ok::<_, Error>(())
            })
        })
        .await
}

/// Groups hits by tenant. The groups are ordered, so that all transactions lock rows of tenants in the same order.
fn by_tenant(hits: &[NewHit]) -> Vec<(TenantId, Vec<&NewHit>)> {
    let mut groups: Vec<(TenantId, Vec<&NewHit>)> = Vec::new();
    for hit in hits {
        match groups.iter_mut().find(|(tenant, _)| *tenant == hit.tenant) {
            Some((_, group)) => group.push(hit),
            None => groups.push((hit.tenant, vec![hit])),
        }
    }
    groups.sort_unstable_by_key(|(tenant, _)| tenant.number());
    groups
}

/// The most rows of a link, and the links whose rows are counted because they were hit often.
#[derive(Debug, Default)]
pub(super) struct RowBound {
    busy: HashSet<Link>,
    most: i64,
}

/// Writes hits of one tenant in their order, marks the links that people opened, and emits the first click of each
/// link. A human hit on a link that was marked before becomes `repeat`.
pub(super) async fn write_hits(
    tx: &mut Tx<'_>,
    tenant: TenantId,
    new: &[&NewHit],
    now: Timestamp,
    bound: &RowBound,
) -> Result<()> {
    let new = &without_erased(tx, tenant, new).await?;
    let people: Vec<(Link, Option<BroadcastId>)> =
        new.iter().filter(|one| one.hit.class == ClickClass::Human).map(link_of).collect();
    let (first, again) = mark_clicked(tx, tenant, &people, now).await?;
    let mut open: HashSet<Link> = first.iter().chain(&again).copied().collect();
    let with_class = |new: &NewHit| {
        let class = match new.hit.class {
            ClickClass::Human => ClickClass::Human.after(!open.remove(&new.hit.link)),
            other => other,
        };
        Hit { class, ..new.hit.clone() }
    };
    let hits: Vec<Hit> = new.iter().map(with_class).collect();
    let (hits, counted) = within_rows(tx, tenant, hits, bound).await?;
    store::messaging::clicks::insert_many(tx, tenant, &hits).await?;
    store::messaging::clicks::add_overflow(tx, tenant, &counted).await?;
    let targets: Vec<&LinkTarget> = first
        .iter()
        .filter_map(|link| new.iter().find(|one| one.hit.link == *link && one.person.is_some()))
        .filter_map(|one| one.person.as_deref())
        .collect();
    emit_clicks(tx, tenant, &targets, now).await
}

/// Takes the person, the address and the headers from hits whose contact was erased after they were queued.
async fn without_erased(tx: &mut Tx<'_>, tenant: TenantId, new: &[&NewHit]) -> Result<Vec<NewHit>> {
    let mut messages: Vec<MessageId> = new.iter().map(|one| one.hit.link.message).collect();
    messages.sort_unstable();
    messages.dedup();
    let known = store::messaging::clicks::with_content(tx, tenant, &messages).await?;
    let checked = |one: &&NewHit| {
        let mut one = (*one).clone();
        if !known.contains(&one.hit.link.message) {
            one.hit = Hit { class: one.hit.class.after(true), address: None, headers: None, ..one.hit };
            one.person = None;
        }
        one
    };
    Ok(new.iter().map(checked).collect())
}

/// Separates the hits that get rows from those that are only counted. A hit of class `human` always gets a row.
async fn within_rows(
    tx: &mut Tx<'_>,
    tenant: TenantId,
    hits: Vec<Hit>,
    bound: &RowBound,
) -> Result<(Vec<Hit>, Vec<OverflowCount>)> {
    if bound.busy.is_empty() {
        return Ok((hits, Vec::new()));
    }
    let mut room: HashMap<Link, i64> = HashMap::new();
    let (mut kept, mut counted) = (Vec::with_capacity(hits.len()), Vec::<OverflowCount>::new());
    for hit in hits {
        if !bound.busy.contains(&hit.link) {
            kept.push(hit);
            continue;
        }
        let room = match room.entry(hit.link) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(unknown) => {
                let rows = store::messaging::clicks::count_rows(tx, tenant, &hit.link, bound.most).await?;
                unknown.insert(bound.most - rows)
            }
        };
        if *room > 0 || hit.class == ClickClass::Human {
            *room -= 1;
            kept.push(hit);
            continue;
        }
        let Hit { link, template_id, class, at, .. } = hit;
        let one = OverflowCount { day: day(at), template_id, link, class, hits: 1 };
        match counted.iter_mut().find(|known| OverflowCount { hits: 1, ..**known } == one) {
            Some(known) => known.hits += 1,
            None => counted.push(one),
        }
    }
    Ok((kept, counted))
}

fn link_of(new: &NewHit) -> (Link, Option<BroadcastId>) {
    (new.hit.link, new.person.as_ref().and_then(|person| person.context.broadcast_id))
}

/// Marks links that people opened. Returns the links that were never marked before, and those that a rescoring had
/// unmarked.
pub(super) async fn mark_clicked(
    tx: &mut Tx<'_>,
    tenant: TenantId,
    people: &[(Link, Option<BroadcastId>)],
    now: Timestamp,
) -> Result<(Vec<Link>, Vec<Link>)> {
    if people.is_empty() {
        return Ok((Vec::new(), Vec::new()));
    }
    let first = store::messaging::clicks::mark_first(tx, tenant, people, now).await?;
    let known: Vec<Link> = people.iter().map(|(link, _)| *link).filter(|link| !first.contains(link)).collect();
    let again =
        if known.is_empty() { Vec::new() } else { store::messaging::clicks::mark_again(tx, tenant, &known).await? };
    Ok((first, again))
}

/// Appends the event of each click. A click over a removed channel has none: the event needs the channel.
pub(super) async fn emit_clicks(
    tx: &mut Tx<'_>,
    tenant: TenantId,
    targets: &[&LinkTarget],
    now: Timestamp,
) -> Result<()> {
    if targets.is_empty() {
        return Ok(());
    }
    let channels = store::messaging::channels::list_in(tx, tenant).await?;
    let fact = |target: &&LinkTarget| {
        let stored = channels.iter().find(|stored| stored.channel.id == target.context.channel_id)?;
        Some(target.fact(now, &stored.channel))
    };
    let facts: Vec<_> = targets.iter().filter_map(fact).collect();
    emit(tx, tenant, &facts).await
}
