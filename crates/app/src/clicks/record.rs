//! Writing hits down: whatever waits shares one transaction, and nobody is answered before it is durable. The first hit
//! of a person on a link is told in the same transaction, once.

use std::collections::HashSet;
use std::mem;
use std::sync::Arc;

use domain::clicks::{Class, Link};
use domain::{BroadcastId, TenantId, Timestamp};
use parking_lot::Mutex;
use store::clicks::Hit;
use store::{Engine, Tx};
use tokio::sync::oneshot;

use super::target::{Target, Templates};
use crate::{App, Error, Fault, Result, events};

/// Hits that share a transaction at most.
const TOGETHER: usize = 256;

/// This node's part in writing hits down.
#[derive(Debug, Default)]
pub(crate) struct Desk {
    queue: Mutex<Queue>,
    pub(super) templates: Templates,
}

#[derive(Debug, Default)]
struct Queue {
    waiting: Vec<Waiting>,
    writers: usize,
}

#[derive(Debug)]
struct Waiting {
    entry: Entry,
    reply: oneshot::Sender<Result<()>>,
}

/// A hit, and what is told if it is the first of a person on its link.
#[derive(Debug, Clone)]
pub(super) struct Entry {
    pub tenant: TenantId,
    /// Its class is that of the request alone.
    pub hit: Hit,
    /// None where nothing could be told: the link's button is not known, or it is nobody's.
    pub person: Option<Arc<Target>>,
}

/// While one group is being made durable, the next is gathered; PostgreSQL takes several at the same time.
const fn most_writers(engine: Engine) -> usize {
    match engine {
        Engine::Sqlite => 2,
        Engine::Postgres => 4,
    }
}

/// When this returns, the hit is durable.
pub(super) async fn record(app: &App, entry: Entry) -> Result<()> {
    let (reply, done) = oneshot::channel();
    if app.clicks_desk().put(Waiting { entry, reply }, most_writers(app.db().engine())) {
        tokio::spawn(Writer { app: app.clone(), has_left: false }.run());
    }
    done.await.unwrap_or(Err(Error::Fault(Fault::ClickWriter)))
}

impl Desk {
    /// True when a writer must be started for it.
    fn put(&self, waiting: Waiting, most: usize) -> bool {
        let mut queue = self.queue.lock();
        queue.waiting.push(waiting);
        let starts = queue.writers < most;
        queue.writers += usize::from(starts);
        starts
    }

    /// The next group; none when nothing waits.
    fn take(&self) -> Vec<Waiting> {
        let mut queue = self.queue.lock();
        let later = queue.waiting.len().min(TOGETHER);
        let rest = queue.waiting.split_off(later);
        mem::replace(&mut queue.waiting, rest)
    }

    /// True when a writer may end; false when something came meanwhile.
    fn leave(&self) -> bool {
        let mut queue = self.queue.lock();
        let done = queue.waiting.is_empty();
        queue.writers = queue.writers.saturating_sub(usize::from(done));
        done
    }

    fn give_up(&self) {
        let mut queue = self.queue.lock();
        queue.writers = queue.writers.saturating_sub(1);
    }
}

/// Whoever writes. Its place is given up also when it panics, so that another one can take it.
struct Writer {
    app: App,
    has_left: bool,
}

impl Writer {
    async fn run(mut self) {
        while !self.has_left {
            let group = self.app.clicks_desk().take();
            if group.is_empty() {
                self.has_left = self.app.clicks_desk().leave();
            } else {
                write_group(&self.app, group).await;
            }
        }
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        if !self.has_left {
            self.app.clicks_desk().give_up();
        }
    }
}

/// What fails together is tried one by one, so that nobody fails for another.
async fn write_group(app: &App, group: Vec<Waiting>) {
    let (entries, replies): (Vec<Entry>, Vec<_>) = group.into_iter().map(|one| (one.entry, one.reply)).unzip();
    let entries: Arc<[Entry]> = entries.into();
    match write(app, entries.clone()).await {
        Ok(()) => replies.into_iter().for_each(|reply| drop(reply.send(Ok(())))),
        Err(error) if replies.len() == 1 => drop(replies.into_iter().next().map(|reply| reply.send(Err(error)))),
        Err(_) => {
            for (entry, reply) in entries.iter().zip(replies) {
                let alone: Arc<[Entry]> = [entry.clone()].into();
                // Whoever asked may have gone; the hit counts all the same.
                drop(reply.send(write(app, alone).await));
            }
        }
    }
}

async fn write(app: &App, entries: Arc<[Entry]>) -> Result<()> {
    let now = app.now();
    app.db()
        .write((entries, now), |tx, (entries, now)| {
            Box::pin(async move {
                for (tenant, entries) in by_tenant(entries) {
                    record_in(tx, tenant, &entries, *now).await?;
                }
                Ok::<_, Error>(())
            })
        })
        .await
}

/// In one order everywhere.
fn by_tenant(entries: &[Entry]) -> Vec<(TenantId, Vec<&Entry>)> {
    let mut groups: Vec<(TenantId, Vec<&Entry>)> = Vec::new();
    for entry in entries {
        match groups.iter_mut().find(|(tenant, _)| *tenant == entry.tenant) {
            Some((_, group)) => group.push(entry),
            None => groups.push((entry.tenant, vec![entry])),
        }
    }
    groups.sort_unstable_by_key(|(tenant, _)| tenant.number());
    groups
}

/// Hits of one tenant, in the order in which they came.
pub(super) async fn record_in(tx: &mut Tx<'_>, tenant: TenantId, entries: &[&Entry], now: Timestamp) -> Result<()> {
    let people: Vec<(Link, Option<BroadcastId>)> =
        entries.iter().filter(|one| one.hit.class == Class::Human).map(|one| link_of(one)).collect();
    let (first, again) = marked(tx, tenant, &people, now).await?;
    let mut open: HashSet<Link> = first.iter().chain(&again).copied().collect();
    let settle = |entry: &&Entry| {
        let class = match entry.hit.class {
            Class::Human => Class::Human.after(!open.remove(&entry.hit.link)),
            other => other,
        };
        Hit { class, ..entry.hit.clone() }
    };
    let hits: Vec<Hit> = entries.iter().map(settle).collect();
    store::clicks::insert_many(tx, tenant, &hits).await?;
    let targets: Vec<&Target> = first
        .iter()
        .filter_map(|link| entries.iter().find(|one| one.hit.link == *link && one.person.is_some()))
        .filter_map(|one| one.person.as_deref())
        .collect();
    tell(tx, tenant, &targets, now).await
}

fn link_of(entry: &Entry) -> (Link, Option<BroadcastId>) {
    (entry.hit.link, entry.person.as_ref().and_then(|person| person.told.broadcast_id))
}

/// Which links a person opened for the first time ever, and which for the first time that is still taken for one.
pub(super) async fn marked(
    tx: &mut Tx<'_>,
    tenant: TenantId,
    people: &[(Link, Option<BroadcastId>)],
    now: Timestamp,
) -> Result<(Vec<Link>, Vec<Link>)> {
    if people.is_empty() {
        return Ok((Vec::new(), Vec::new()));
    }
    let first = store::clicks::first(tx, tenant, people, now).await?;
    let known: Vec<Link> = people.iter().map(|(link, _)| *link).filter(|link| !first.contains(link)).collect();
    let again = if known.is_empty() { Vec::new() } else { store::clicks::again(tx, tenant, &known).await? };
    Ok((first, again))
}

/// Of a channel that was removed there is nothing left that could be told.
pub(super) async fn tell(tx: &mut Tx<'_>, tenant: TenantId, targets: &[&Target], now: Timestamp) -> Result<()> {
    if targets.is_empty() {
        return Ok(());
    }
    let channels = store::channels::list_in(tx, tenant).await?;
    let fact = |target: &&Target| {
        let stored = channels.iter().find(|stored| stored.channel.id == target.told.channel_id)?;
        Some(target.fact(now, &stored.channel))
    };
    let facts: Vec<_> = targets.iter().filter_map(fact).collect();
    events::append(tx, tenant, &facts).await
}
