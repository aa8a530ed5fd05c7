//! One batch in one transaction: contacts, verdicts, rejected rows and how far the import is. All of it, or nothing.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};

use domain::contacts::identity::Kind;
use domain::contacts::{Contact, Team, fold};
use domain::{ContactId, Id, TenantId, Timestamp};
use store::Tx;
use store::contacts::ConsentChange;
use store::imports::Counts;

use super::decide::{Decision, Known, Person, decide};
use super::reader::Batch;
use super::row::{Row, SOURCE};
use super::verdicts::{Verdict, count, to_text};
use super::{Hold, LEASE_SECONDS};
use crate::{Error, Result};

/// A batch that is to be applied.
#[derive(Debug)]
pub(super) struct Step {
    pub hold: Hold,
    pub batch: Batch,
    /// The number of its first row.
    pub first_row: i64,
    pub now: Timestamp,
}

pub(super) fn taken_over() -> Error {
    Error::conflict("import", "somebody else works on this import now")
}

/// Whoever was slow finds that another has gone on, and changes nothing.
pub(super) async fn still_ours(tx: &mut Tx<'_>, hold: &Hold, bytes_done: u64) -> Result<()> {
    let at = store::imports::held(tx, hold.tenant, hold.import, &hold.holder).await?;
    if at.is_some_and(|at| u64::try_from(at) == Ok(bytes_done)) { Ok(()) } else { Err(taken_over()) }
}

pub(super) async fn apply(tx: &mut Tx<'_>, step: &Step) -> Result<Counts> {
    let Step { hold, batch, first_row, now } = step;
    still_ours(tx, hold, batch.bytes.start).await?;
    let known = look_up(tx, hold.tenant, batch).await?;
    let decision = decide(batch, *first_row, &known, *now);
    write(tx, hold.tenant, batch, &decision.people, *now).await?;
    let results = Results::of(decision);
    record(tx, step, &results).await
}

/// What a dry run asks in place of `apply`, before it decides.
pub(super) async fn look_up(tx: &mut Tx<'_>, tenant: TenantId, batch: &Batch) -> Result<Vec<Known>> {
    let mut known = Vec::new();
    for (kind, listed) in [(Kind::Bsuid, keys(batch, Row::bsuid)), (Kind::Phone, keys(batch, Row::phone))] {
        if listed.is_empty() {
            continue;
        }
        let found = store::contacts::known_by_any(tx, tenant, kind, &listed).await?;
        known.extend(found.into_iter().map(|(value, contact)| Known { kind, value, contact }));
    }
    Ok(known)
}

/// Each once.
fn keys(batch: &Batch, key: impl Fn(&Row) -> Option<&str>) -> Vec<&str> {
    let mut all: Vec<&str> = batch.rows().filter_map(key).collect();
    all.sort_unstable();
    all.dedup();
    all
}

async fn write(tx: &mut Tx<'_>, tenant: TenantId, batch: &Batch, people: &[Person<'_>], now: Timestamp) -> Result<()> {
    let teams = teams_of(tx, tenant, people, now).await?;
    let finished: Vec<Cow<'_, Contact>> = people.iter().map(|person| finished(person, &teams)).collect();
    let both = || people.iter().zip(&finished);
    let new: Vec<_> = both().filter(|(person, _)| person.is_new()).map(|(p, now)| (&**now, &*p.identities)).collect();
    if as_read(batch, people) {
        store::contacts::insert_indexed(tx, tenant, &new, &batch.index).await?;
    } else if !new.is_empty() {
        store::contacts::insert_many(tx, tenant, &new).await?;
    }
    let change = |(person, now): (&Person<'_>, &Cow<'_, Contact>)| {
        let before = person.before.filter(|_| person.is_changed())?;
        Some((before.clone(), now.clone().into_owned()))
    };
    store::contacts::update_many(tx, tenant, &both().filter_map(change).collect::<Vec<_>>()).await?;
    for person in people.iter().filter(|person| person.is_changed() && !person.identities.is_empty()) {
        store::contacts::put_identities(tx, tenant, person.now.id, &person.identities).await?;
    }
    let decisions: Vec<(ContactId, ConsentChange)> = people.iter().flat_map(|person| decisions(person, now)).collect();
    Ok(store::contacts::add_consents(tx, tenant, &decisions).await?)
}

/// Is every row of the batch a new contact, and stays as it was read? Teams are nothing that contacts are found by.
fn as_read(batch: &Batch, people: &[Person<'_>]) -> bool {
    let as_read = |person: &Person<'_>| person.is_new() && matches!(person.now, Cow::Borrowed(_));
    !people.is_empty() && people.len() == batch.rows().count() && people.iter().all(as_read)
}

fn decisions(person: &Person<'_>, at: Timestamp) -> impl Iterator<Item = (ContactId, ConsentChange)> {
    let change = move |change: &&str| ConsentChange { at, change: (*change).to_owned(), source: SOURCE.to_owned() };
    person.decisions.iter().map(move |decision| (person.now.id, change(decision)))
}

type Teams = HashMap<String, Team>;

async fn teams_of(tx: &mut Tx<'_>, tenant: TenantId, people: &[Person<'_>], now: Timestamp) -> Result<Teams> {
    let mut teams = Teams::new();
    for (key, name) in wanted_teams(people) {
        let new = Team { id: Id::new(now), name };
        let team = store::teams::named(tx, tenant, &key, &new, now).await?;
        teams.insert(key, team);
    }
    Ok(teams)
}

/// By their folded names, and so in one order everywhere.
fn wanted_teams(people: &[Person<'_>]) -> BTreeMap<String, String> {
    let names = people.iter().filter_map(|person| person.teams).flatten();
    names.map(|name| (fold(name.trim()), name.trim().to_owned())).rev().collect()
}

/// The person with the teams that were wanted.
fn finished<'a>(person: &'a Person<'_>, teams: &Teams) -> Cow<'a, Contact> {
    let Some(wanted) = person.teams else { return Cow::Borrowed(&*person.now) };
    let mut contact = person.now.clone().into_owned();
    contact.teams.clear();
    for team in wanted.iter().filter_map(|name| teams.get(&fold(name.trim()))) {
        if !contact.teams.contains(team) {
            contact.teams.push(team.clone());
        }
    }
    Cow::Owned(contact)
}

/// Of a decision, what is kept for whoever asks what came of the rows.
#[derive(Debug)]
pub(super) struct Results {
    pub verdicts: Vec<Verdict>,
    pub rejects: Vec<store::imports::Reject>,
}

impl Results {
    pub fn of(decision: Decision<'_>) -> Self {
        Self { verdicts: decision.verdicts, rejects: decision.rejects }
    }
}

pub(super) async fn record(tx: &mut Tx<'_>, step: &Step, results: &Results) -> Result<Counts> {
    let Step { hold, batch, first_row, now } = step;
    let (counts, text) = (count(&results.verdicts), to_text(&results.verdicts));
    store::imports::add_results(tx, hold.tenant, hold.import, (*first_row, &text), &results.rejects).await?;
    let done = i64::try_from(batch.bytes.end).unwrap_or(i64::MAX);
    let times = (*now, now.plus_seconds(LEASE_SECONDS));
    store::imports::progress(tx, hold.tenant, hold.import, done, counts, times).await?;
    Ok(counts)
}
